"""Sockets: accepted, read, answered; the game's and the lobby's."""
