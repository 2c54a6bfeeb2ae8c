"""The store: tables and queries; the only layer that knows SQL."""
