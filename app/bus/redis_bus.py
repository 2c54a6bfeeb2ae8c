"""The bus over Redis. Each worker announces the topics that it follows, and receives only news of those.

There are three kinds of channels: one that every worker of every release subscribes to (lobby rows, log-outs), one for
announcements, and one per worker, which carries packets of news. Workers of release 0.1.0 announce nothing. While such
a worker is running (`_is_mixed`), all news is also published on one channel per game.

Messages are only hints: a worker that misses one notices a gap in the sequence numbers and reads the log. So an outage
of Redis costs a second or two of delay and nothing else. A worker that may have missed news receives a `gap`: from its
own bus after a lost connection, from the bus of others after they dropped news.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from typing import Any

import msgspec
from redis.exceptions import ConnectionError as RedisConnectionError

from app.bus.followers import Followers
from app.bus.link import LINK_ERRORS, Command, Link
from app.bus.wire import Packet, TopicAnnouncement, decode, decode_packet, encode
from app.play.ports import KINDS_SENT_TO_ALL, BusCounts, News, NewsHandler
from app.play.tasks import run_every

_log = logging.getLogger("cartagena.bus")
_ALL_CHANNEL = "cartagena:all"
_ANNOUNCE_CHANNEL = "cartagena:workers"
_WORKER_CHANNEL_PREFIX = "cartagena:to:"
_GAME_CHANNEL_PREFIX = "cartagena:game:"
_MAX_QUEUED_NEWS = 10_000  # more are dropped; receivers notice the gap in the sequence numbers
_MAX_NEWS_PER_SEND = 200
_RETRY_SECONDS = 0.5
_PROBE_SECONDS = 5.0  # so long may a worker that announces nothing go unnoticed
_REPLY_TIMEOUT_SECONDS = 5.0  # then the connection is closed
_GAP = News("gap", "", "", None)

QueuedNews = tuple[News, tuple[str, ...] | None]
"""News and the topics whose followers receive it; None for all workers."""


class RedisBus:
    """Implements Bus."""

    is_single_worker = False

    def __init__(self, url: str) -> None:
        self._url = url
        self._link: Link | None = None  # None while not connected
        self._has_tried = asyncio.Event()  # to connect; until the first attempt ends, no news is dropped
        self.worker = secrets.token_hex(6)
        self.counts = BusCounts()
        self._handler: NewsHandler | None = None
        self._queue: list[QueuedNews] = []
        self._must_send = asyncio.Event()  # news or announcements are queued
        self._is_idle = asyncio.Event()  # nothing is queued or being sent
        self._is_idle.set()
        self._topics: set[str] = set()  # that this worker follows
        # Topics followed (True) or unfollowed (False) since the last announcement.
        self._unannounced: dict[str, bool] = {}
        self._must_announce_all = False
        self._must_request_all = False
        self._requesters: set[str] = set()  # workers that requested all topics of this one
        self._followers = Followers()
        self._is_mixed = True  # whether workers of release 0.1.0 may be running; assumed until known
        self._own_channels = {_ALL_CHANNEL, _ANNOUNCE_CHANNEL, f"{_WORKER_CHANNEL_PREFIX}{self.worker}"}
        self._must_subscribe = asyncio.Event()  # the wanted channels have changed
        self._is_back = asyncio.Event()  # subscribed after a connect
        self._is_closing = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._subscribed: set[str] = set()
        self._unconfirmed: set[str] = set()  # channels whose subscription Redis has not confirmed
        self._is_down = False  # the last attempt to connect failed, or the connection has ended
        self._was_down = False  # the connection was lost since the last gap reported to the handler
        self._has_dropped = False  # news was dropped since the last gap sent to the other workers

    @property
    def dropped(self) -> int:
        return self.counts.dropped

    def listen(self, handler: NewsHandler) -> None:
        self._handler = handler

    def follow(self, topic: str) -> None:
        self._topics.add(topic)
        self._queue_announcement(topic, is_followed=True)

    def unfollow(self, topic: str) -> None:
        self._topics.discard(topic)
        self._queue_announcement(topic, is_followed=False)

    def _queue_announcement(self, topic: str, *, is_followed: bool) -> None:
        self._unannounced[topic] = is_followed
        self._request_send()
        if self._is_mixed:
            self._must_subscribe.set()

    def _request_send(self) -> None:
        self._is_idle.clear()
        self._must_send.set()

    def has_followers(self, topic: str) -> bool:
        return self._is_mixed or topic in self._followers

    def is_followed(self, topic: str) -> bool:
        return self._link is not None and topic in self._followers

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        queue = self._queue
        if len(queue) >= _MAX_QUEUED_NEWS:
            self._count_dropped(1)
            return
        queue.append((news, topics))
        if len(queue) == 1:
            self._request_send()

    def _count_dropped(self, count: int) -> None:
        self.counts.dropped += count
        self._has_dropped = True

    async def open(self) -> None:
        # Each loop is restarted if it ends: `_connect` ends with its connection, the others only on an error.
        loops = (self._send, self._subscribe, self._connect, self._probe)
        self._tasks = [
            asyncio.create_task(run_every(_RETRY_SECONDS, loop, self._is_closing)) for loop in loops
        ]

    async def close(self) -> None:
        """Send what is queued if Redis is reachable, and disconnect."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._is_idle.wait()
        self._is_closing.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- sending -----------------------------------------------------------------------------------

    async def _send(self) -> None:
        await self._has_tried.wait()
        while True:
            await self._must_send.wait()
            self._must_send.clear()
            batch, self._queue = self._queue[:_MAX_NEWS_PER_SEND], self._queue[_MAX_NEWS_PER_SEND:]
            # Cleared before the await: news dropped meanwhile needs another gap.
            has_gap, self._has_dropped = self._has_dropped, False
            if has_gap:
                batch.insert(0, (_GAP, None))
            must_request_all = self._must_request_all
            try:
                await self._publish(self._make_messages(batch))
            except Exception as problem:
                self._count_dropped(len(batch) - has_gap)
                self._must_announce_all = True
                self._must_request_all |= must_request_all
                if not isinstance(problem, LINK_ERRORS):
                    self._must_send.set()
                    raise
                await asyncio.sleep(_RETRY_SECONDS)
            if self._queue or self._has_dropped:  # report a gap immediately
                self._must_send.set()
            elif not self._must_send.is_set():
                self._is_idle.set()

    def _make_messages(self, batch: list[QueuedNews]) -> list[tuple[str, bytes]]:
        """Return channels and messages: the announcement first, then one packet per worker."""
        messages = [
            (_ANNOUNCE_CHANNEL, encode(Packet(self.worker, [], announcement)))
            for announcement in self._take_announcement()
        ]
        packets: dict[str, list[News]] = {}
        for news, topics in batch:
            if topics is None:
                messages.append((_ALL_CHANNEL, encode(news)))
                continue
            for worker in self._followers.find(topics):
                packets.setdefault(worker, []).append(news)
            if self._is_mixed:
                is_for_all = news.kind in KINDS_SENT_TO_ALL
                channel = _ALL_CHANNEL if is_for_all else f"{_GAME_CHANNEL_PREFIX}{news.about}"
                messages.append((channel, encode(news)))
        requesters, self._requesters = self._requesters, set()
        own = TopicAnnouncement(sorted(self._topics), is_all=True) if requesters else None
        for worker in packets.keys() | requesters:
            packet = Packet(self.worker, packets.get(worker, []), own if worker in requesters else None)
            messages.append((f"{_WORKER_CHANNEL_PREFIX}{worker}", encode(packet)))
        return messages

    def _take_announcement(self) -> list[TopicAnnouncement]:
        """Return the pending announcement, if any, and mark it as sent."""
        unannounced, self._unannounced = self._unannounced, {}
        if self._must_announce_all or self._must_request_all:
            announcement = TopicAnnouncement(sorted(self._topics), is_all=True, asks=self._must_request_all)
            self._must_announce_all = self._must_request_all = False
            return [announcement]
        if not unannounced:
            return []
        followed = [topic for topic, is_followed in unannounced.items() if is_followed]
        unfollowed = [topic for topic, is_followed in unannounced.items() if not is_followed]
        return [TopicAnnouncement(followed, unfollowed)]

    async def _publish(self, messages: list[tuple[str, bytes]]) -> None:
        if not messages:
            return
        counts = await self._execute([(b"PUBLISH", channel.encode(), data) for channel, data in messages])
        self.counts.sent += len(messages)
        for (channel, _), receivers in zip(messages, counts, strict=True):
            if channel.startswith(_WORKER_CHANNEL_PREFIX):
                self.counts.delivered += receivers
                if not receivers:  # it is down; once it is back, it announces everything
                    self._followers.remove(channel.removeprefix(_WORKER_CHANNEL_PREFIX))
            else:
                self.counts.delivered += max(0, receivers - 1)  # without this worker itself

    async def _execute(self, commands: list[Command]) -> list[Any]:
        if self._link is None:
            raise RedisConnectionError("not connected")
        return await self._link.execute(commands)

    async def _probe(self) -> None:
        """Check regularly which workers are running, also of release 0.1.0, and whether Redis still replies.

        Older workers subscribe to one channel but not to the other, so the numbers of subscribers differ. A dead
        connection may not report an error by itself.
        """
        while True:
            workers = self._followers.list_workers()
            channels = [_ALL_CHANNEL, _ANNOUNCE_CHANNEL, *(_WORKER_CHANNEL_PREFIX + each for each in workers)]
            try:
                async with asyncio.timeout(_REPLY_TIMEOUT_SECONDS):
                    [counts] = await self._execute(
                        [(b"PUBSUB", b"NUMSUB", *(channel.encode() for channel in channels))]
                    )
                all_workers, announcing, *of_workers = counts[1::2]
                for worker, count in zip(workers, of_workers, strict=True):
                    if not count:  # it is down; once it is back, it announces everything
                        self._followers.remove(worker)
                is_mixed = all_workers > announcing or _ANNOUNCE_CHANNEL in self._unconfirmed
            except LINK_ERRORS as problem:
                is_mixed = True
                if isinstance(problem, TimeoutError) and self._link is not None:
                    self._link.close()
            if is_mixed is not self._is_mixed:
                self._is_mixed = is_mixed
                self._must_subscribe.set()
            with contextlib.suppress(TimeoutError):
                # Not wait_for: in Python 3.11 it loses a cancellation if the event is set at the same time.
                async with asyncio.timeout(_PROBE_SECONDS):
                    await self._is_back.wait()
            self._is_back.clear()

    # -- receiving ---------------------------------------------------------------------------------

    async def _connect(self) -> None:
        """Connect, and handle incoming data until the connection ends."""
        try:
            self._link = await Link.open(self._url, self._on_push)
            self._subscribed = set()
            self._unconfirmed = set(self._own_channels)
            self._must_subscribe.set()
            self._is_down = False
            self._has_tried.set()
            await self._link.read()
        except LINK_ERRORS as problem:
            if not self._is_down:
                reason = str(problem) or type(problem).__name__
                _log.warning("the bus is down (%s); rooms follow the log", reason)
        finally:
            self._link = None
            self._has_tried.set()
            self._is_down = self._was_down = True

    def _get_wanted_channels(self) -> set[str]:
        """Return the channels to subscribe to; channels of games only while workers of 0.1.0 are running."""
        games = (f"{_GAME_CHANNEL_PREFIX}{topic}" for topic in self._topics) if self._is_mixed else ()
        return self._own_channels.union(games)

    async def _subscribe(self) -> None:
        """Keep the subscriptions in line with the wanted channels."""
        while True:
            await self._must_subscribe.wait()
            self._must_subscribe.clear()
            link, wanted = self._link, self._get_wanted_channels()
            if link is None:
                continue
            new, old = wanted - self._subscribed, self._subscribed - wanted
            self._unconfirmed = (self._unconfirmed | new) - old
            self._subscribed = wanted
            with contextlib.suppress(*LINK_ERRORS):  # after a reconnect all channels are subscribed again
                if new:
                    await link.send(b"SUBSCRIBE", *(channel.encode() for channel in new))
                if old:
                    await link.send(b"UNSUBSCRIBE", *(channel.encode() for channel in old))

    def _on_push(self, push: list[Any]) -> None:
        kind, channel, data = push
        if kind == b"message":
            self._receive(channel.decode(), data)
        elif kind == b"subscribe":
            self._on_subscribed(channel.decode())

    def _receive(self, channel: str, data: bytes) -> None:
        try:
            if channel == _ALL_CHANNEL or channel.startswith(_GAME_CHANNEL_PREFIX):
                packet = Packet("", [decode(data)])
            else:
                packet = decode_packet(data)
        except msgspec.MsgspecError:
            # Sent by a worker of a newer release. The log has what matters.
            _log.warning("received news that this release does not understand")
            return
        if packet.holdings is not None and packet.worker != self.worker:
            self._on_announcement(packet.worker, packet.holdings)
        for news in packet.news:
            self._handle(news)

    def _handle(self, news: News) -> None:
        """Call the handler and log an error in it."""
        if self._handler is None:
            return
        try:
            self._handler(news)
        except Exception:  # noqa: BLE001 - later news must still be handled
            _log.exception("news of kind %r could not be handled", news.kind)

    def _on_announcement(self, worker: str, announcement: TopicAnnouncement) -> None:
        self._followers.update(worker, announcement)
        if announcement.asks:
            self._requesters.add(worker)
            self._request_send()
        if not announcement.is_all:  # after a full announcement the worker reads everything again itself
            for topic in self._topics.intersection(announcement.taken):
                self._handle(News("joined", topic, worker, None))

    def _on_subscribed(self, channel: str) -> None:
        """Report that news on this channel is no longer missed; earlier news may have been."""
        self._unconfirmed.discard(channel)
        if channel in self._own_channels and self._unconfirmed.isdisjoint(self._own_channels):
            self._must_request_all = True
            self._is_back.set()
            self._request_send()
        if not self._was_down and channel.startswith(_GAME_CHANNEL_PREFIX):
            self._handle(News("followed", channel.removeprefix(_GAME_CHANNEL_PREFIX), "", None))
        elif self._was_down and not self._unconfirmed:
            self._was_down = False
            self._handle(_GAP)
