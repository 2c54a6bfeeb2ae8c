"""One game in this worker: its lock, its subscribers, what they are sent, who is present, chat."""
