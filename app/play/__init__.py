"""Rooms: a game is the fold of its log entries; people, bots and clocks add entries to it."""
