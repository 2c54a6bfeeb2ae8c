"""How the server grows: workers, rooms, sockets, spectators, long games, stored games (`bench/scale.py`)."""
