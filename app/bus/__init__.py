"""The bus between workers. Its messages are only hints: they save time, but the log is authoritative."""
