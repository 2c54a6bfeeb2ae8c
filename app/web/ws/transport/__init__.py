"""The WebSocket transport under uvicorn: one protocol class, with framing, handshake and keep-alive beside it."""
