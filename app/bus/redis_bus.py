"""The bus over Redis: one channel a game that some worker has loaded, one for everybody.

It only hurries: a worker that misses something sees the gap in the numbers and reads the log. So a
Redis that is away costs a second or two of delay, and nothing else. Whoever may have missed something
is told so by a `gap`: by its own bus when it was cut off, by the others' when they could not send.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

import msgspec
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import RedisError

from app.play.log.entries import ChatLine, Entry
from app.play.ports import TO_ALL, News, NewsHandler

_log = logging.getLogger("cartagena.bus")
_TO_ALL = "cartagena:all"
_GAME = "cartagena:game:"
_WAITING = 10_000  # news waiting for Redis; beyond it they are dropped, the numbers show the gap
_PAUSE = 0.5
_BODIES: dict[str, type] = {"entry": Entry, "chat": ChatLine}
_FAILURES = (RedisError, OSError, TimeoutError)


def encode(news: News) -> bytes:
    return msgspec.msgpack.encode(news)


def decode(data: bytes) -> News:
    news = msgspec.msgpack.decode(data, type=News)
    kind = _BODIES.get(news.kind)
    return news if kind is None else msgspec.structs.replace(news, body=msgspec.convert(news.body, kind))


def _channel(news: News) -> str:
    return _TO_ALL if news.kind in TO_ALL else f"{_GAME}{news.about}"


class RedisBus:
    """Implements Bus."""

    is_alone = False

    def __init__(self, url: str) -> None:
        # socket_timeout stays open for the subscriber, which waits; the pings below find a dead peer.
        # It must not reconnect by itself: it would be silent about what it missed.
        self._sender, self._receiver = (
            redis.asyncio.Redis.from_url(
                url,
                socket_connect_timeout=3,
                health_check_interval=10,
                retry=Retry(ConstantBackoff(0.1), retries),
            )
            for retries in (2, 0)
        )
        self._handler: NewsHandler | None = None
        self._waiting: asyncio.Queue[News] = asyncio.Queue(_WAITING)
        self._wanted: set[str] = {_TO_ALL}
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._awaited: set[str] = set()  # channels whose subscription Redis has not confirmed yet
        self._was_away = False
        self._has_lost = False  # news were dropped, and the others do not know it yet
        self.dropped = 0

    def listen(self, handler: NewsHandler) -> None:
        self._handler = handler

    def follow(self, game: str) -> None:
        self._wanted.add(f"{_GAME}{game}")
        self._changed.set()

    def unfollow(self, game: str) -> None:
        self._wanted.discard(f"{_GAME}{game}")
        self._changed.set()

    def publish(self, news: News) -> None:
        try:
            self._waiting.put_nowait(news)
        except asyncio.QueueFull:
            self._lost(1)

    def _lost(self, count: int) -> None:
        self.dropped += count
        self._has_lost = True

    async def open(self) -> None:
        self._tasks = [asyncio.create_task(self._send()), asyncio.create_task(self._receive())]

    async def close(self) -> None:
        """What was said last is sent, if Redis is there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._waiting.join()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._sender.aclose()
        await self._receiver.aclose()

    async def _send(self) -> None:
        while True:
            batch = [await self._waiting.get()]
            while not self._waiting.empty() and len(batch) < 200:
                batch.append(self._waiting.get_nowait())
            gap = [News("gap", "", "", None)] if self._has_lost else []
            try:
                async with self._sender.pipeline(transaction=False) as pipe:
                    for news in gap + batch:
                        pipe.publish(_channel(news), encode(news))
                    await pipe.execute()
                if gap:
                    self._has_lost = False
            except _FAILURES:
                self._lost(len(batch))
                await asyncio.sleep(_PAUSE)
            finally:
                for _ in batch:
                    self._waiting.task_done()
            if self._has_lost and self._waiting.empty():
                self.publish(News("gap", "", "", None))  # do not wait for the next move to say so

    async def _receive(self) -> None:
        is_away = False
        while True:
            try:
                async with self._receiver.pubsub() as channels:
                    self._awaited = {_TO_ALL}
                    await channels.subscribe(_TO_ALL)
                    is_away = False
                    following = asyncio.create_task(self._subscribe(channels))
                    try:
                        await self._read(channels)
                    finally:
                        following.cancel()
                        await asyncio.gather(following, return_exceptions=True)
            except _FAILURES as problem:
                if not is_away:
                    _log.warning("the bus is away (%s); rooms follow the log", type(problem).__name__)
                is_away = self._was_away = True
                await asyncio.sleep(_PAUSE)

    async def _subscribe(self, channels: Any) -> None:
        """Keep to the games that are loaded. If this fails the connection is gone, and reading fails too."""
        subscribed = {_TO_ALL}
        while True:
            wanted = set(self._wanted)
            if wanted - subscribed:
                self._awaited |= wanted - subscribed
                await channels.subscribe(*(wanted - subscribed))
            if subscribed - wanted:
                self._awaited -= subscribed - wanted
                await channels.unsubscribe(*(subscribed - wanted))
            subscribed = wanted
            await self._changed.wait()
            self._changed.clear()

    async def _read(self, channels: Any) -> None:
        while True:
            message = await channels.get_message(timeout=5.0)
            if message is None or self._handler is None:
                continue
            if message["type"] == "message":
                self._hear(message["data"])
            elif message["type"] == "subscribe":
                self._confirmed(message["channel"].decode())

    def _hear(self, data: bytes) -> None:
        assert self._handler is not None
        try:
            news = decode(data)
        except msgspec.MsgspecError:
            _log.warning("news that this release does not understand")  # a newer worker's; the log has it
            return
        self._handler(news)

    def _confirmed(self, channel: str) -> None:
        """From now on nothing of this channel is missed; what was said before may have been."""
        self._awaited.discard(channel)
        if self._handler is None:
            return
        if not self._was_away and channel.startswith(_GAME):
            self._handler(News("followed", channel.removeprefix(_GAME), "", None))
        elif self._was_away and not self._awaited:
            self._was_away = False
            self._handler(News("gap", "", "", None))
