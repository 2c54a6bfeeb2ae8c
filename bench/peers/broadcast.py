"""The bare broadcast: an ASGI app that sends 1.5 KB to everyone in a room for every message it receives."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

__all__ = ["app"]

_TEXT = '{"t":"state","n":1,"pad":"' + "x" * 1460 + '"}'
_rooms: dict[str, set[Any]] = {}


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
    elif scope["type"] == "websocket":
        room = _rooms.setdefault(parse_qs(scope["query_string"].decode())["room"][0], set())
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": '{"w":1}'})
        room.add(send)
        try:
            while (await receive())["type"] != "websocket.disconnect":
                for each in list(room):
                    await each({"type": "websocket.send", "text": _TEXT})
        finally:
            room.discard(send)
