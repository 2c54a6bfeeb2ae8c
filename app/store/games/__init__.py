"""The game log, and the heads, seats, due work and chat stored with it."""
