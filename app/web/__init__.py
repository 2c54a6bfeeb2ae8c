"""The web layer: pages, JSON API, sockets, identity, limits. Only here do exceptions become responses."""
