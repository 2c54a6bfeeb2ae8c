"""The deal of the day: one deal for everybody, played alone against the same bots."""
