"""Tables and queries: the only layer that contains SQL."""
