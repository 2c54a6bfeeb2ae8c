"""How frames travel between a socket and its session, under uvicorn."""
