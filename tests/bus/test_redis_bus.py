"""The bus over a real Redis: delivery to followers, outages and errors."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import redis.asyncio

from app.bus import link, redis_bus
from app.bus.local import Hub, LocalBus
from app.bus.redis_bus import RedisBus
from app.bus.wire import Packet, TopicAnnouncement, decode, decode_packet, encode
from app.play.log.entries import ChatLine, Entry
from app.play.ports import KINDS_SENT_TO_ALL, News
from app.web.game_server import make_bus
from tools.services import RedisServer

ENTRY = Entry("game-1", 7, "action", 0, {"action": {"type": "end"}}, "person", 1234, "command-1", "p_ann")


async def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the condition was never met")


def publish(bus: RedisBus, news: News) -> None:
    bus.publish(news, None if news.kind in KINDS_SENT_TO_ALL else (news.about,))


class Pair:
    """Two workers on one Redis; `received` is the news that `there` receives."""

    def __init__(self, url: str) -> None:
        self.here, self.there = RedisBus(url), RedisBus(url)
        self.received: list[News] = []
        self.here.listen(lambda news: None)
        self.there.listen(self.received.append)

    async def __aenter__(self) -> Pair:
        await self.here.open()
        await self.there.open()
        await self.reach("lobby")
        # Until both know that no worker of an older release is running.
        await wait_until(
            lambda: not self.here.has_followers("nothing") and not self.there.has_followers("nothing")
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.here.close()
        await self.there.close()

    async def reach(self, kind: str, about: str = "lobby") -> None:
        """Publish until news of this kind arrives: subscribing takes a moment."""
        async with asyncio.timeout(15):
            while not any(news.kind == kind and news.about == about for news in self.received):
                publish(self.here, News(kind, about, "here", {"people": {}, "nameless": 0}))
                await asyncio.sleep(0.02)
        self.received.clear()


def test_news_keeps_its_types_when_encoded_and_decoded() -> None:
    line = ChatLine("game-1", 3, 1, "players", "p_ann", "Ann", 0, "ahoy", None, "line-0001")
    bodies = {"entry": ENTRY, "chat": line, "lobby": {"a": 1}}
    for news in (News(kind, "game-1", "w", body, b"{}") for kind, body in bodies.items()):
        assert decode(encode(news)) == news


class _OldNews(msgspec.Struct):
    """News in the format of an older release, without a public frame."""

    kind: str
    about: str
    worker: str
    body: Any


class _OldPacket(msgspec.Struct):
    worker: str
    news: list[_OldNews] = []
    holdings: TopicAnnouncement | None = None


def test_packets_are_compatible_with_the_previous_release() -> None:
    news = News("entry", "game-1", "w", ENTRY, b'{"t":"events"}')
    read = msgspec.msgpack.decode(
        encode(Packet("bus", [news], TopicAnnouncement(["game-1"]))), type=_OldPacket
    )
    assert msgspec.convert(read.news[0].body, Entry) == ENTRY
    older = _OldPacket("bus", [_OldNews("entry", "game-1", "w", ENTRY)], TopicAnnouncement(["game-1"]))
    assert decode_packet(encode(older)) == Packet(
        "bus", [News("entry", "game-1", "w", ENTRY)], TopicAnnouncement(["game-1"])
    )


def test_unknown_format_of_a_newer_release_raises() -> None:
    odd = _OldNews("entry", "game-1", "w", {"game": "game-1", "seq": "seven"})
    with pytest.raises(msgspec.MsgspecError):
        decode_packet(encode(_OldPacket("bus", [odd])))


async def test_entries_reach_workers_that_follow_the_game(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        publish(pair.here, News("entry", "game-1", "here", ENTRY))
        pair.there.follow("game-2")
        await pair.reach("presence", "game-2")
        assert all(news.about != "game-1" for news in pair.received)
        pair.there.follow("game-1")
        await pair.reach("presence", "game-1")
        publish(pair.here, News("entry", "game-1", "here", ENTRY))
        await wait_until(lambda: any(news.kind == "entry" for news in pair.received))
        assert next(news.body for news in pair.received if news.kind == "entry") == ENTRY
        pair.there.unfollow("game-1")
        await wait_until(lambda: not pair.here.has_followers("game-1"))


async def test_nothing_is_published_for_a_game_without_other_followers(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.here.follow("game-1")
        await wait_until(lambda: pair.there.has_followers("game-1"))
        assert not pair.here.has_followers("game-1"), "a worker does not count as its own follower"
        before = pair.here.counts.sent
        for _ in range(50):
            publish(pair.here, News("entry", "game-1", "here", ENTRY))
        publish(pair.here, News("lobby", "lobby", "here", {}))
        await wait_until(lambda: any(news.body == {} for news in pair.received))
        await wait_until(lambda: pair.here.counts.sent > before)
        assert pair.here.counts.sent == before + 1
        assert {news.kind for news in pair.received} == {"lobby"}


async def test_queued_news_for_a_worker_is_one_message_and_deliveries_are_counted(
    redis_url: str,
) -> None:
    async with Pair(redis_url) as pair:
        for number in range(50):
            pair.there.follow(f"game-{number}")
        await wait_until(lambda: pair.here.has_followers("game-49"))
        sent, delivered = pair.here.counts.sent, pair.here.counts.delivered
        for number in range(50):
            publish(pair.here, News("entry", f"game-{number}", "here", ENTRY))
        await wait_until(lambda: len(pair.received) == 50)
        assert [news.about for news in pair.received] == [f"game-{number}" for number in range(50)]
        await wait_until(lambda: pair.here.counts.sent > sent)
        assert pair.here.counts.sent - sent == pair.here.counts.delivered - delivered == 1


async def test_followers_are_notified_when_another_worker_follows_the_game(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await wait_until(lambda: pair.here.has_followers("game-1"))
        pair.here.follow("game-2")
        pair.here.follow("game-1")
        await wait_until(lambda: any(news.kind == "joined" for news in pair.received))
        assert [(news.kind, news.about) for news in pair.received] == [("joined", "game-1")]


async def test_starting_worker_learns_what_others_follow(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await wait_until(lambda: pair.here.has_followers("game-1"))
        late = RedisBus(redis_url)
        late.listen(lambda news: None)
        await late.open()
        await wait_until(lambda: late.has_followers("game-1") and not late.has_followers("game-2"))
        await late.close()


async def test_topics_of_a_dead_worker_are_forgotten(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await wait_until(lambda: pair.here.has_followers("game-1"))
        await pair.there.close()
        async with asyncio.timeout(15):
            while pair.here.has_followers("game-1"):  # noticed when a message has no receivers
                publish(pair.here, News("entry", "game-1", "here", ENTRY))
                await asyncio.sleep(0.02)


async def test_older_workers_that_announce_nothing_receive_everything(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older workers subscribe to one channel for all and one per game, and read single news."""
    monkeypatch.setattr(redis_bus, "_PROBE_SECONDS", 0.2)
    async with Pair(redis_url) as pair, redis.asyncio.Redis.from_url(redis_url) as client:
        assert not pair.here.has_followers("game-1")
        async with client.pubsub(ignore_subscribe_messages=True) as old:
            await old.subscribe("cartagena:all", "cartagena:game:game-1")
            await old.get_message(timeout=1)
            await wait_until(lambda: pair.here.has_followers("game-1"))
            publish(pair.here, News("entry", "game-1", "here", ENTRY))
            message = None
            async with asyncio.timeout(15):
                while message is None:
                    message = await old.get_message(timeout=1)
            assert decode(message["data"]) == News("entry", "game-1", "here", ENTRY)

            # And what they publish on the channel of a game reaches its followers.
            pair.there.follow("game-1")
            await wait_until(lambda: News("followed", "game-1", "", None) in pair.received)
            await client.publish("cartagena:game:game-1", encode(News("entry", "game-1", "old", ENTRY)))
            await wait_until(lambda: any(news.worker == "old" for news in pair.received))
        await wait_until(lambda: not pair.here.has_followers("game-2"))


async def test_bus_recovers_after_a_redis_outage() -> None:
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            server.pause()
            for _ in range(20):
                publish(pair.here, News("entry", "game-1", "here", ENTRY))
                await asyncio.sleep(0.01)
            server.start(server.port)
            await pair.reach("presence", "game-1")


async def test_gap_is_reported_once_after_a_lost_connection() -> None:
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            assert not [news for news in pair.received if news.kind == "gap"]
            server.pause()
            server.start(server.port)  # nothing is published: the receiver notices the lost connection itself
            await wait_until(lambda: any(news.kind == "gap" for news in pair.received))
            await wait_until(lambda: pair.here.has_followers("game-1"))
            await pair.reach("presence", "game-1")
            publish(pair.here, News("entry", "game-1", "here", ENTRY))
            await wait_until(lambda: any(news.kind == "entry" for news in pair.received))


async def test_hanging_redis_is_disconnected_and_reconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections stay open but silent, as with a machine that was cut off."""
    monkeypatch.setattr(redis_bus, "_REPLY_TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(redis_bus, "_PROBE_SECONDS", 0.3)
    monkeypatch.setattr(link, "_OPEN_TIMEOUT_SECONDS", 0.5)
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            os.kill(server.pid, signal.SIGSTOP)
            try:
                await wait_until(lambda: pair.here._link is None and pair.there._link is None)
            finally:
                os.kill(server.pid, signal.SIGCONT)
            await wait_until(lambda: any(news.kind == "gap" for news in pair.received))
            await pair.reach("presence", "game-1")


async def test_failing_handler_loses_only_that_piece_of_news(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Pair(redis_url) as pair:
        receive = pair.received.append

        def fail_once(news: News) -> None:
            if news.body == "poison":
                raise KeyError("planted")
            receive(news)

        pair.there.listen(fail_once)
        pair.there.follow("game-1")
        await wait_until(lambda: pair.here.has_followers("game-1"))
        link = pair.there._link
        for body in ("before", "poison", "after"):
            publish(pair.here, News("head", "game-1", "here", body))
        await wait_until(lambda: [news.body for news in pair.received] == ["before", "after"])
        assert pair.there._link is link, "the connection is kept"
        (record,) = [record for record in caplog.records if record.exc_info]
        assert "'head' could not be handled" in record.message
        assert "planted" in caplog.text


async def test_failing_reader_is_logged_and_reconnects(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await pair.reach("presence", "game-1")
        link = pair.there._link
        with monkeypatch.context() as planted:
            planted.setattr(redis_bus, "decode", lambda data: 1 // 0)
            publish(pair.here, News("lobby", "lobby", "here", {}))
            await wait_until(lambda: "ZeroDivisionError" in caplog.text)
        await wait_until(lambda: any(news.kind == "gap" for news in pair.received))
        assert pair.there._link is not link
        await pair.reach("presence", "game-1")


async def test_news_that_cannot_be_encoded_does_not_stop_the_sender(
    redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Pair(redis_url) as pair:
        publish(pair.here, News("lobby", "lobby", "here", object()))
        await wait_until(lambda: any(news.kind == "gap" for news in pair.received))
        assert (pair.here.dropped, "background work failed" in caplog.text) == (1, True)
        await pair.reach("lobby")


async def test_gap_is_sent_to_others_after_news_was_dropped(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        for _ in range(10_050):  # more than the queue holds; the receiver noticed no outage
            pair.here.publish(News("lobby", "lobby", "here", {}))
        await wait_until(lambda: any(news.kind == "gap" for news in pair.received))
        await wait_until(lambda: sum(news.body == {} for news in pair.received) == 10_000)
        assert pair.here.dropped == 50


async def test_news_dropped_while_a_gap_is_sent_causes_another_gap(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Pair(redis_url) as pair:
        send_messages = pair.here._publish
        calls = 0

        async def drop_meanwhile(messages: list[tuple[str, bytes]]) -> None:
            nonlocal calls
            calls += 1
            await send_messages(messages)
            if calls == 1:
                pair.here._count_dropped(1)

        monkeypatch.setattr(pair.here, "_publish", drop_meanwhile)
        pair.here._count_dropped(1)
        publish(pair.here, News("lobby", "lobby", "here", {"people": {}, "nameless": 0}))
        await wait_until(lambda: sum(news.kind == "gap" for news in pair.received) == 2)
        await wait_until(pair.here._is_idle.is_set)
        assert sum(news.kind == "gap" for news in pair.received) == 2


async def test_bus_can_be_closed_right_after_a_reconnect(redis_url: str) -> None:
    """A cancellation must not be lost if the task's wait ends at the same moment."""
    bus = RedisBus(redis_url)
    bus.listen(lambda news: None)
    await bus.open()
    await wait_until(lambda: not bus.has_followers("nothing"))
    await wait_until(bus._is_idle.is_set)
    await asyncio.sleep(0.05)
    bus._is_back.set()
    async with asyncio.timeout(30):
        await bus.close()


async def test_full_queue_drops_news_instead_of_waiting(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    for _ in range(10_050):
        bus.publish(News("entry", "game-1", "here", ENTRY))
    assert bus.dropped == 50
    await bus.close()


async def test_local_bus_has_no_followers_unless_a_hub_connects_it() -> None:
    single = make_bus("")
    assert (single.is_single_worker, single.has_followers("game-1")) == (True, False)
    hub = Hub()
    received: list[News] = []
    one, two = LocalBus(hub), LocalBus(hub)
    two.listen(received.append)
    for bus in (one, two):
        await bus.open()
    two.follow("game-1")
    assert (one.has_followers("game-1"), one.has_followers("game-2"), two.has_followers("game-1")) == (
        True,
        False,
        False,
    )
    one.publish(News("entry", "game-1", "one", ENTRY), ("game-1",))
    one.publish(News("entry", "game-2", "one", ENTRY), ("game-2",))
    one.publish(News("signed_out", "p_ann", "one", None))
    assert [news.about for news in received] == ["game-1", "p_ann"]
    assert (one.counts.sent, one.counts.delivered) == (3, 2)
    await two.close()
    one.publish(News("entry", "game-1", "one", ENTRY), ("game-1",))
    assert len(received) == 2
