"""Fuzzing: nonsense of every kind against a running server, the engine's lines and records (`make fuzz`)."""
