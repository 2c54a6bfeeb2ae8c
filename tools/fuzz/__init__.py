"""Fuzzing: malformed input of every kind for a running server, the engine's lines and records (`make fuzz`)."""
