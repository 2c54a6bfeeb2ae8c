"""The connection of a client to a table: a WebSocket of the `websockets` library, with JSON over it."""

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
    """To a table of the server at `base`; to be awaited, or entered."""
    address = f"ws{base.removeprefix('http')}/ws/game/{quote(game, safe='')}"
    return connect(address, additional_headers=headers, **options)


async def send(link: ClientConnection, message: Json) -> None:
    """Nothing is lost with a socket that is gone: reading finds out, and the next one says it again."""
    with contextlib.suppress(ConnectionClosed):
        await link.send(encode(message))


async def receive(link: ClientConnection) -> Json | None:
    """The next frame; None when the socket is closed."""
    try:
        return decode(await link.recv())
    except ConnectionClosed:
        return None
