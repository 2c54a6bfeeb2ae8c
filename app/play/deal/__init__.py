"""The deal of the day: the same deal for all players, each alone against the same bots."""
