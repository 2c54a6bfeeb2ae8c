"""A socket's conversation once it is open: what a frame means is asked at once, what takes time is waited for.

Under the thin wire no task lives with a socket. The wire hands each frame to `hear`; only a message that
`hear` cannot deal with on the spot gets a task, and only for as long as that takes. An idle socket is then
an entry in the poller and a few small objects. Under any other ASGI server one task reads frame by frame.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from starlette.types import Receive

from app.web.wire import AsgiWire, Wire

__all__ = ["Talk", "converse"]

HELLO_SECONDS = 10


class Talk(Protocol):
    """What a kind of socket talks about."""

    @property
    def is_open(self) -> bool: ...

    def hear(self, text: str | None) -> Any | None:
        """A frame (None: one that is no text). The message it holds, if answering it takes time."""

    async def answer(self, message: Any) -> None:
        """What `hear` could not answer at once."""

    def silent(self) -> None:
        """Not a word came for so long that there will be none."""

    async def over(self) -> None:
        """The socket is gone; called once."""


async def converse(talk: Talk, wire: Wire, receive: Receive) -> None:
    """The first message here, with a limit to the wait; then by the wire itself if it can, else to the end."""
    is_carried = False
    try:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                goes_on = await _step(talk, await receive())
        except TimeoutError:
            talk.silent()
            return
        if goes_on and not isinstance(wire, AsgiWire):
            wire.carry(talk)
            is_carried = True
            return
        while goes_on:
            goes_on = await _step(talk, await receive())
    finally:
        if not is_carried:
            await talk.over()
            if isinstance(wire, AsgiWire):
                await wire.end()


async def _step(talk: Talk, event: Any) -> bool:
    """One frame; False when the socket is done."""
    if event["type"] != "websocket.receive":
        return False
    message = talk.hear(event.get("text"))
    if message is not None:
        await talk.answer(message)
    return talk.is_open
