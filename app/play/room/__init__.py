"""One game in this worker: its table and lock, the path of a command, subscribers and their frames, chat."""
