"""The bus over Redis: each worker announces what it wants news of, and is sent that and nothing else.

Three kinds of channels: one that every worker of every release hears (lobby rows, log-outs), one on which workers
announce themselves, and one to each worker, in which all that waits for it goes as one packet. Beside workers of
the release before, which announce nothing, everything is also said on a channel of its game (`_is_mixed`).

It only hurries: a worker that misses something sees the gap in the numbers and reads the log. So a
Redis that is away costs a second or two of delay, and nothing else. Whoever may have missed something
is told so by a `gap`: by its own bus when it was cut off, by the others' when they could not send.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from typing import Any

import msgspec

from app.bus.holders import Holders
from app.bus.link import Command, Link, LinkError
from app.bus.wire import Holdings, Packet, decode, decode_packet, encode
from app.play.ports import TO_ALL, BusCounts, News, NewsHandler

_log = logging.getLogger("cartagena.bus")
_TO_ALL = "cartagena:all"
_WORKERS = "cartagena:workers"
_TO_ONE = "cartagena:to:"
_GAME = "cartagena:game:"
_WAITING = 10_000  # news waiting for Redis; beyond it they are dropped, the numbers show the gap
_AT_ONCE = 200
_PAUSE = 0.5
_LOOK_EVERY = 5.0  # seconds; how long it may take until a worker that announces nothing is noticed
_ANSWER = 5.0  # seconds; a Redis that takes longer is given up
_FAILURES = (OSError, TimeoutError)
_GAP = News("gap", "", "", None)

Waiting = tuple[News, tuple[str, ...] | None]
"""News and the topics whose holders are to hear them; None: everybody."""


class RedisBus:
    """Implements Bus."""

    is_alone = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._link: Link | None = None  # None: Redis is away, or was not asked yet
        self._has_tried = asyncio.Event()  # to connect for the first time; until then nothing is given up
        self.worker = secrets.token_hex(6)
        self.counts = BusCounts()
        self._handler: NewsHandler | None = None
        self._waiting: list[Waiting] = []
        self._is_needed = asyncio.Event()  # something waits, or is to be announced
        self._is_idle = asyncio.Event()  # nothing does, and nothing is on its way
        self._is_idle.set()
        self._topics: set[str] = set()  # that this worker wants
        self._unsaid: dict[str, bool] = {}  # topics taken (or let go) since the last announcement
        self._must_say_all = False
        self._must_ask = False
        self._askers: set[str] = set()
        self._holders = Holders()
        self._is_mixed = True  # until it is known: a worker that announces nothing may be there
        self._own = {_TO_ALL, _WORKERS, f"{_TO_ONE}{self.worker}"}
        self._changed = asyncio.Event()
        self._is_back = asyncio.Event()  # subscribed, perhaps anew
        self._tasks: list[asyncio.Task[None]] = []
        self._subscribed: set[str] = set()
        self._awaited: set[str] = set()  # channels whose subscription Redis has not confirmed yet
        self._was_away = False
        self._has_lost = False  # news were dropped, and the others do not know it yet

    @property
    def dropped(self) -> int:
        return self.counts.dropped

    def listen(self, handler: NewsHandler) -> None:
        self._handler = handler

    def follow(self, topic: str) -> None:
        self._topics.add(topic)
        self._announce(topic, taken=True)

    def unfollow(self, topic: str) -> None:
        self._topics.discard(topic)
        self._announce(topic, taken=False)

    def _announce(self, topic: str, *, taken: bool) -> None:
        self._unsaid[topic] = taken
        self._wake()
        if self._is_mixed:
            self._changed.set()

    def _wake(self) -> None:
        self._is_idle.clear()
        self._is_needed.set()

    def hears(self, topic: str) -> bool:
        return self._is_mixed or topic in self._holders

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        waiting = self._waiting
        if len(waiting) >= _WAITING:
            self._lost(1)
            return
        waiting.append((news, topics))
        if len(waiting) == 1:
            self._wake()

    def _lost(self, count: int) -> None:
        self.counts.dropped += count
        self._has_lost = True

    async def open(self) -> None:
        work = (self._send(), self._subscribe(), self._stay_connected(), self._look_around())
        self._tasks = [asyncio.create_task(each) for each in work]

    async def close(self) -> None:
        """What was said last is sent, if Redis is there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._is_idle.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._link is not None:
            self._link.close()

    # -- sending -----------------------------------------------------------------------------------

    async def _send(self) -> None:
        await self._has_tried.wait()
        while True:
            await self._is_needed.wait()
            self._is_needed.clear()
            said, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            # Cleared before the await: what is dropped meanwhile needs a gap of its own.
            has_gap, self._has_lost = self._has_lost, False
            if has_gap:
                said.insert(0, (_GAP, None))
            must_ask = self._must_ask
            try:
                await self._publish(self._messages(said))
            except _FAILURES:
                self._lost(len(said) - has_gap)
                self._must_say_all = True
                self._must_ask |= must_ask
                await asyncio.sleep(_PAUSE)
            if self._waiting or self._has_lost:  # that something was lost does not wait for the next move
                self._is_needed.set()
            elif not self._is_needed.is_set():
                self._is_idle.set()

    def _messages(self, said: list[Waiting]) -> list[tuple[str, bytes]]:
        """Channels and what goes out on them: announcements first, then one packet to each worker."""
        messages = [(_WORKERS, encode(Packet(self.worker, [], holdings))) for holdings in self._announced()]
        packets: dict[str, list[News]] = {}
        for news, topics in said:
            if topics is None:
                messages.append((_TO_ALL, encode(news)))
                continue
            for worker in self._holders.of(topics):
                packets.setdefault(worker, []).append(news)
            if self._is_mixed:
                channel = _TO_ALL if news.kind in TO_ALL else f"{_GAME}{news.about}"
                messages.append((channel, encode(news)))
        askers, self._askers = self._askers, set()
        own = Holdings(sorted(self._topics), is_all=True) if askers else None
        for worker in packets.keys() | askers:
            packet = Packet(self.worker, packets.get(worker, []), own if worker in askers else None)
            messages.append((f"{_TO_ONE}{worker}", encode(packet)))
        return messages

    def _announced(self) -> list[Holdings]:
        unsaid, self._unsaid = self._unsaid, {}
        if self._must_say_all or self._must_ask:
            holdings = Holdings(sorted(self._topics), is_all=True, asks=self._must_ask)
            self._must_say_all = self._must_ask = False
            return [holdings]
        if not unsaid:
            return []
        taken = [topic for topic, is_taken in unsaid.items() if is_taken]
        return [Holdings(taken, [topic for topic, is_taken in unsaid.items() if not is_taken])]

    async def _publish(self, messages: list[tuple[str, bytes]]) -> None:
        if not messages:
            return
        answers = await self._ask([(b"PUBLISH", channel.encode(), data) for channel, data in messages])
        self.counts.sent += len(messages)
        for (channel, _), receivers in zip(messages, answers, strict=True):
            if channel.startswith(_TO_ONE):
                self.counts.delivered += receivers
                if not receivers:  # it died, or is cut off: then it announces everything when it is back
                    self._holders.forget(channel.removeprefix(_TO_ONE))
            else:
                self.counts.delivered += max(0, receivers - 1)  # one of them is this worker itself

    async def _ask(self, commands: list[Command]) -> list[Any]:
        if self._link is None:
            raise LinkError("Redis is away")
        return await self._link.ask(commands)

    async def _look_around(self) -> None:
        """Workers of a release that announces nothing hear one channel and not the other: Redis counts both.

        And it shows whether Redis still answers: a connection that is dead may be silent about it.
        """
        asked = (b"PUBSUB", b"NUMSUB", _TO_ALL.encode(), _WORKERS.encode())
        while True:
            try:
                async with asyncio.timeout(_ANSWER):
                    [[_, all_of_them, _, announcing]] = await self._ask([asked])
                is_mixed = all_of_them > announcing or _WORKERS in self._awaited
            except _FAILURES as problem:
                is_mixed = True
                if isinstance(problem, TimeoutError) and self._link is not None:
                    self._link.close()
            if is_mixed is not self._is_mixed:
                self._is_mixed = is_mixed
                self._changed.set()
            with contextlib.suppress(TimeoutError):
                # Not wait_for: Python 3.11's forgets that it was cancelled when the event is set at the same time.
                async with asyncio.timeout(_LOOK_EVERY):
                    await self._is_back.wait()
            self._is_back.clear()

    # -- hearing -----------------------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        is_away = False
        while True:
            try:
                self._link = await Link.open(self._url, self._heard)
                self._subscribed = set()
                self._awaited = set(self._own)
                self._changed.set()
                is_away = False
                self._has_tried.set()
                await self._link.lost
                problem: Exception = LinkError()
            except _FAILURES as failure:
                problem = failure
            self._link = None
            self._has_tried.set()
            if not is_away:
                why = str(problem) or type(problem).__name__
                _log.warning("the bus is away (%s); rooms follow the log", why)
            is_away = self._was_away = True
            await asyncio.sleep(_PAUSE)

    def _wanted(self) -> set[str]:
        """Channels of games only beside workers that publish there."""
        games = (f"{_GAME}{topic}" for topic in self._topics) if self._is_mixed else ()
        return self._own.union(games)

    async def _subscribe(self) -> None:
        """Keep to what is wanted."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            link, wanted = self._link, self._wanted()
            if link is None:
                continue
            new, old = wanted - self._subscribed, self._subscribed - wanted
            if new:
                self._awaited |= new
                link.say(b"SUBSCRIBE", *(channel.encode() for channel in new))
            if old:
                self._awaited -= old
                link.say(b"UNSUBSCRIBE", *(channel.encode() for channel in old))
            self._subscribed = wanted

    def _heard(self, said: list[Any]) -> None:
        if self._handler is None:
            return
        kind, channel, data = said
        if kind == b"message":
            self._hear(channel.decode(), data, self._handler)
        elif kind == b"subscribe":
            self._confirmed(channel.decode(), self._handler)

    def _hear(self, channel: str, data: bytes, handler: NewsHandler) -> None:
        try:
            if channel == _TO_ALL or channel.startswith(_GAME):
                packet = Packet("", [decode(data)])
            else:
                packet = decode_packet(data)
        except msgspec.MsgspecError:
            _log.warning("news that this release does not understand")  # a newer worker's; the log has it
            return
        if packet.holdings is not None and packet.worker != self.worker:
            self._take(packet.worker, packet.holdings, handler)
        for news in packet.news:
            handler(news)

    def _take(self, worker: str, holdings: Holdings, handler: NewsHandler) -> None:
        self._holders.take(worker, holdings)
        if holdings.asks:
            self._askers.add(worker)
            self._wake()
        if not holdings.is_all:  # else it reads everything anew by itself
            for topic in self._topics.intersection(holdings.taken):
                handler(News("joined", topic, worker, None))

    def _confirmed(self, channel: str, handler: NewsHandler) -> None:
        """From now on nothing of this channel is missed; what was said before may have been."""
        self._awaited.discard(channel)
        if channel in self._own and self._awaited.isdisjoint(self._own):
            self._must_ask = True
            self._is_back.set()
            self._wake()
        if not self._was_away and channel.startswith(_GAME):
            handler(News("followed", channel.removeprefix(_GAME), "", None))
        elif self._was_away and not self._awaited:
            self._was_away = False
            handler(_GAP)
