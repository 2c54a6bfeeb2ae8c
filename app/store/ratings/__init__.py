"""The projection of rated games: the queue's writer, rebuilding, reading, the public file, people's settings."""
