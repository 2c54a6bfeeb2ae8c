"""What clients send, and the entry each command would make of the present table."""
