"""WebSockets: accepting them, and the sessions of games and of the lobby."""
