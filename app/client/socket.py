"""A client's connection to a table: JSON over a WebSocket of the `websockets` library."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from app.client.protocol import decode, encode
from app.rules import Json


def open_socket(base: str, game: str, headers: Mapping[str, str], **options: Any) -> connect:
    """Open a socket to a table of the server at `base`. Await the result, or use it as a context manager."""
    address = f"ws{base.removeprefix('http')}/ws/game/{quote(game, safe='')}"
    return connect(address, additional_headers=headers, **options)


async def send(socket: ClientConnection, message: Json) -> None:
    """Send a message. If the socket is closed this is a no-op: `receive` reports it, and the message is resent."""
    with contextlib.suppress(ConnectionClosed):
        await socket.send(encode(message))


async def receive(socket: ClientConnection) -> Json | None:
    """Return the next frame; None once the socket is closed."""
    try:
        return decode(await socket.recv())
    except ConnectionClosed:
        return None
