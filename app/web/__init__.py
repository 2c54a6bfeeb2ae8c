"""The web: pages, JSON API, sockets, identity, limits; here and only here exceptions become answers."""
