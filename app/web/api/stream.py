"""A room's frames as server-sent events, for programs: the frames of the socket, from a given seq."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from typing import Annotated

from fastapi import Header, Query
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from app.play.commands import messages as cmd
from app.play.frames import Frame
from app.play.join import PROTOCOL_VERSION, enter, leave
from app.play.ports import EndReason
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.play.server import GameServer
from app.web.api.games import GameId, RoomPassword
from app.web.api.models import error_responses
from app.web.auth.identity import MaybePerson, credential_of
from app.web.game_server import actor_of, game_server_of
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["games"])

MAX_UNREAD_FRAMES = 500  # then the stream is closed
KEEPALIVE_SECONDS = 15.0


class StreamListener:
    """Buffers frames for one stream. Implements Listener."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[Frame | None] = asyncio.Queue(MAX_UNREAD_FRAMES)

    def send(self, frame: Frame) -> None:
        try:
            self.frames.put_nowait(frame)
        except asyncio.QueueFull:
            self._end()  # a slow reader

    def send_batch(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            self.send(frame)

    def end(self, why: EndReason) -> None:
        self._end()

    def close(self, code: int, reason: str) -> None:
        self._end()

    def _end(self) -> None:
        while self.frames.full():
            self.frames.get_nowait()
        self.frames.put_nowait(None)


@router.get(
    "/games/{game}/events",
    response_class=StreamingResponse,
    responses={**error_responses(403, 422), 200: {"content": {"text/event-stream": {}}}},
)
async def game_events(
    request: Request,
    game: GameId,
    person: MaybePerson,
    since: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
    password: RoomPassword = None,
) -> StreamingResponse:
    """Stream `welcome`, then everything since `since` (or the state), then every frame as it happens."""
    game_server, actor = game_server_of(request), actor_of(person)
    room = await find_room(request, game, actor, password)
    if since is None and last is not None and last.isdecimal():
        since = int(last)
    site, listener = site_of(request), StreamListener()
    resources = ExitStack()
    resources.enter_context(site.limits.open_socket(request, actor.id or None))
    site.sockets.add(listener, credential_of(request), actor.ids, site.limits.address_of(request))
    resources.callback(site.sockets.discard, listener)
    visit = (game_server, room, Subscriber(actor, listener))
    return _GameStream(listener, visit, cmd.Hello(v=PROTOCOL_VERSION, seq=since), resources)


class _GameStream(StreamingResponse):
    """Enters the room before the first byte and leaves it after the last.

    Not done in the generator, which is cancelled at any point when the client disconnects: cancelling a query can leave
    its database connection in an unusable state.
    """

    def __init__(
        self,
        listener: StreamListener,
        visit: tuple[GameServer, Room, Subscriber],
        hello: cmd.Hello,
        resources: ExitStack,
    ) -> None:
        super().__init__(
            _event_lines(listener),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
        self._visit = visit
        self._hello = hello
        self._resources = resources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._resources:
            try:
                await enter(*self._visit, self._hello)
                await super().__call__(scope, receive, send)
            finally:
                await leave(*self._visit)


async def _event_lines(listener: StreamListener) -> AsyncIterator[bytes]:
    while True:
        try:
            frame = await asyncio.wait_for(listener.frames.get(), KEEPALIVE_SECONDS)
        except TimeoutError:
            yield b": still here\n\n"
            continue
        if frame is None:
            return
        name = b"" if frame.seq is None else b"id: %d\n" % frame.seq
        yield b"%bdata: %b\n\n" % (name, frame.payload)
