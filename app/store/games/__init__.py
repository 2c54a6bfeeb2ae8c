"""The log of games and what is stored beside it: entries, heads, seats, due work, chat."""
