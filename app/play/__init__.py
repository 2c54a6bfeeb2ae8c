"""The game server: a game is the fold of its log entries, which people, bots and clocks add."""
