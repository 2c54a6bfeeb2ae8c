"""The bus over a real Redis: news arrive, only where they are wanted, and an outage is survived."""

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
from app.bus.wire import Holdings, Packet, decode, decode_packet, encode
from app.play.log.entries import ChatLine, Entry
from app.play.ports import TO_ALL, News
from app.web.game_server import make_bus
from tools.services import RedisServer

ENTRY = Entry("game-1", 7, "action", 0, {"action": {"type": "end"}}, "person", 1234, "command-1", "p_ann")


async def until(met: Callable[[], bool]) -> None:
    for _ in range(6000):
        if met():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def say(bus: RedisBus, news: News) -> None:
    bus.publish(news, None if news.kind in TO_ALL else (news.about,))


class Pair:
    """Two workers on one Redis."""

    def __init__(self, url: str) -> None:
        self.here, self.there = RedisBus(url), RedisBus(url)
        self.heard: list[News] = []
        self.here.listen(lambda news: None)
        self.there.listen(self.heard.append)

    async def __aenter__(self) -> Pair:
        await self.here.open()
        await self.there.open()
        await self.reach("lobby")
        # Nobody is here who announces nothing.
        await until(lambda: not self.here.hears("nothing") and not self.there.hears("nothing"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.here.close()
        await self.there.close()

    async def reach(self, kind: str, about: str = "lobby") -> None:
        """Until a word of this kind gets through: subscriptions take a moment."""
        async with asyncio.timeout(15):
            while not any(news.kind == kind and news.about == about for news in self.heard):
                say(self.here, News(kind, about, "here", {"people": {}, "nameless": 0}))
                await asyncio.sleep(0.02)
        self.heard.clear()


def test_news_survive_the_wire_with_their_types() -> None:
    line = ChatLine("game-1", 3, 1, "players", "p_ann", "Ann", 0, "ahoy", None, "line-0001")
    bodies = {"entry": ENTRY, "chat": line, "lobby": {"a": 1}}
    for news in (News(kind, "game-1", "w", body, b"{}") for kind, body in bodies.items()):
        assert decode(encode(news)) == news


class _NewsBefore(msgspec.Struct):
    """As the release before read it: it knows no public frame."""

    kind: str
    about: str
    worker: str
    body: Any


class _PacketBefore(msgspec.Struct):
    worker: str
    news: list[_NewsBefore] = []
    holdings: Holdings | None = None


def test_a_packet_is_read_by_the_release_before_and_one_of_its_own_by_this_one() -> None:
    news = News("entry", "game-1", "w", ENTRY, b'{"t":"events"}')
    read = msgspec.msgpack.decode(encode(Packet("bus", [news], Holdings(["game-1"]))), type=_PacketBefore)
    assert msgspec.convert(read.news[0].body, Entry) == ENTRY
    older = _PacketBefore("bus", [_NewsBefore("entry", "game-1", "w", ENTRY)], Holdings(["game-1"]))
    assert decode_packet(encode(older)) == Packet(
        "bus", [News("entry", "game-1", "w", ENTRY)], Holdings(["game-1"])
    )


def test_what_a_newer_release_says_otherwise_is_no_news() -> None:
    odd = _NewsBefore("entry", "game-1", "w", {"game": "game-1", "seq": "seven"})
    with pytest.raises(msgspec.MsgspecError):
        decode_packet(encode(_PacketBefore("bus", [odd])))


async def test_entries_reach_the_workers_that_follow_the_game(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        say(pair.here, News("entry", "game-1", "here", ENTRY))
        pair.there.follow("game-2")
        await pair.reach("presence", "game-2")
        assert all(news.about != "game-1" for news in pair.heard)
        pair.there.follow("game-1")
        await pair.reach("presence", "game-1")
        say(pair.here, News("entry", "game-1", "here", ENTRY))
        await until(lambda: any(news.kind == "entry" for news in pair.heard))
        assert next(news.body for news in pair.heard if news.kind == "entry") == ENTRY
        pair.there.unfollow("game-1")
        await until(lambda: not pair.here.hears("game-1"))


async def test_of_a_game_that_nobody_else_has_nothing_goes_to_redis(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.here.follow("game-1")
        await until(lambda: pair.there.hears("game-1"))
        assert not pair.here.hears("game-1"), "one's own wish is nobody else's"
        before = pair.here.counts.sent
        for _ in range(50):
            say(pair.here, News("entry", "game-1", "here", ENTRY))
        say(pair.here, News("lobby", "lobby", "here", {}))
        await until(lambda: any(news.body == {} for news in pair.heard))
        await until(lambda: pair.here.counts.sent > before)
        assert pair.here.counts.sent == before + 1
        assert {news.kind for news in pair.heard} == {"lobby"}


async def test_what_waits_for_one_worker_goes_as_one_message_and_is_counted_where_it_arrives(
    redis_url: str,
) -> None:
    async with Pair(redis_url) as pair:
        for number in range(50):
            pair.there.follow(f"game-{number}")
        await until(lambda: pair.here.hears("game-49"))
        sent, delivered = pair.here.counts.sent, pair.here.counts.delivered
        for number in range(50):
            say(pair.here, News("entry", f"game-{number}", "here", ENTRY))
        await until(lambda: len(pair.heard) == 50)
        assert [news.about for news in pair.heard] == [f"game-{number}" for number in range(50)]
        await until(lambda: pair.here.counts.sent > sent)
        assert pair.here.counts.sent - sent == pair.here.counts.delivered - delivered == 1


async def test_whoever_has_a_game_is_told_that_another_takes_it_as_well(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await until(lambda: pair.here.hears("game-1"))
        pair.here.follow("game-2")
        pair.here.follow("game-1")
        await until(lambda: any(news.kind == "joined" for news in pair.heard))
        assert [(news.kind, news.about) for news in pair.heard] == [("joined", "game-1")]


async def test_a_worker_that_starts_learns_who_has_what(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await until(lambda: pair.here.hears("game-1"))
        late = RedisBus(redis_url)
        late.listen(lambda news: None)
        await late.open()
        await until(lambda: late.hears("game-1") and not late.hears("game-2"))
        await late.close()


async def test_what_a_dead_worker_had_is_not_said_any_more(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-1")
        await until(lambda: pair.here.hears("game-1"))
        await pair.there.close()
        async with asyncio.timeout(15):
            while pair.here.hears("game-1"):  # what arrives nowhere tells it
                say(pair.here, News("entry", "game-1", "here", ENTRY))
                await asyncio.sleep(0.02)


async def test_workers_of_the_release_before_who_announce_nothing_hear_everything(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They subscribe to one channel for all and to one for each game, and read single news."""
    monkeypatch.setattr(redis_bus, "_LOOK_EVERY", 0.2)  # they are looked for every five seconds
    async with Pair(redis_url) as pair, redis.asyncio.Redis.from_url(redis_url) as client:
        assert not pair.here.hears("game-1")
        async with client.pubsub(ignore_subscribe_messages=True) as old:
            await old.subscribe("cartagena:all", "cartagena:game:game-1")
            await old.get_message(timeout=1)
            await until(lambda: pair.here.hears("game-1"))
            say(pair.here, News("entry", "game-1", "here", ENTRY))
            heard = None
            async with asyncio.timeout(15):
                while heard is None:
                    heard = await old.get_message(timeout=1)
            assert decode(heard["data"]) == News("entry", "game-1", "here", ENTRY)

            # And what they say is heard: on a channel of the game, by whoever has it.
            pair.there.follow("game-1")
            await until(lambda: News("followed", "game-1", "", None) in pair.heard)
            await client.publish("cartagena:game:game-1", encode(News("entry", "game-1", "old", ENTRY)))
            await until(lambda: any(news.worker == "old" for news in pair.heard))
        await until(lambda: not pair.here.hears("game-2"))


async def test_the_bus_comes_back_after_redis_was_away() -> None:
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            server.pause()
            for _ in range(20):
                say(pair.here, News("entry", "game-1", "here", ENTRY))
                await asyncio.sleep(0.01)
            server.start(server.port)
            await pair.reach("presence", "game-1")


async def test_whoever_was_cut_off_is_told_once_that_something_may_be_missing() -> None:
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            assert not [news for news in pair.heard if news.kind == "gap"]
            server.pause()
            server.start(server.port)  # nobody says anything: the receiver finds out by itself
            await until(lambda: any(news.kind == "gap" for news in pair.heard))
            await until(lambda: pair.here.hears("game-1"))
            await pair.reach("presence", "game-1")
            say(pair.here, News("entry", "game-1", "here", ENTRY))
            await until(lambda: any(news.kind == "entry" for news in pair.heard))


async def test_a_redis_that_hangs_is_given_up_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connections stay open and silent, as those of a machine that was cut off do."""
    monkeypatch.setattr(redis_bus, "_ANSWER", 0.3)
    monkeypatch.setattr(redis_bus, "_LOOK_EVERY", 0.3)
    monkeypatch.setattr(link, "_OPEN_SECONDS", 0.5)
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            os.kill(server.pid, signal.SIGSTOP)
            try:
                await until(lambda: pair.here._link is None and pair.there._link is None)
            finally:
                os.kill(server.pid, signal.SIGCONT)
            await until(lambda: any(news.kind == "gap" for news in pair.heard))
            await pair.reach("presence", "game-1")


async def test_whoever_could_not_send_tells_the_others_that_something_is_missing(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        for _ in range(10_050):  # more than may wait: some are dropped, the reader saw no outage
            pair.here.publish(News("lobby", "lobby", "here", {}))
        await until(lambda: any(news.kind == "gap" for news in pair.heard))
        await until(lambda: sum(news.body == {} for news in pair.heard) == 10_000)
        assert pair.here.dropped == 50


async def test_news_dropped_while_a_gap_is_sent_are_reported_by_another_gap(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Pair(redis_url) as pair:
        publish = pair.here._publish
        calls = 0

        async def drop_meanwhile(messages: list[tuple[str, bytes]]) -> None:
            nonlocal calls
            calls += 1
            await publish(messages)
            if calls == 1:
                pair.here._lost(1)

        monkeypatch.setattr(pair.here, "_publish", drop_meanwhile)
        pair.here._lost(1)
        say(pair.here, News("lobby", "lobby", "here", {"people": {}, "nameless": 0}))
        await until(lambda: sum(news.kind == "gap" for news in pair.heard) == 2)
        await until(pair.here._is_idle.is_set)
        assert sum(news.kind == "gap" for news in pair.heard) == 2


async def test_a_bus_that_has_just_come_back_can_be_closed(redis_url: str) -> None:
    """Its task waits for that with a limit: being cancelled at the same moment must not be forgotten."""
    bus = RedisBus(redis_url)
    bus.listen(lambda news: None)
    await bus.open()
    await until(lambda: not bus.hears("nothing"))
    await until(bus._is_idle.is_set)
    await asyncio.sleep(0.05)
    bus._is_back.set()
    async with asyncio.timeout(30):
        await bus.close()


async def test_a_full_queue_drops_news_instead_of_waiting(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    for _ in range(10_050):
        bus.publish(News("entry", "game-1", "here", ENTRY))
    assert bus.dropped == 50
    await bus.close()


async def test_a_bus_in_one_process_is_alone_and_a_hub_joins_several() -> None:
    alone = make_bus("")
    assert (alone.is_alone, alone.hears("game-1")) == (True, False)
    hub = Hub()
    heard: list[News] = []
    one, two = LocalBus(hub), LocalBus(hub)
    two.listen(heard.append)
    for bus in (one, two):
        await bus.open()
    two.follow("game-1")
    assert (one.hears("game-1"), one.hears("game-2"), two.hears("game-1")) == (True, False, False)
    one.publish(News("entry", "game-1", "one", ENTRY), ("game-1",))
    one.publish(News("entry", "game-2", "one", ENTRY), ("game-2",))
    one.publish(News("signed_out", "p_ann", "one", None))
    assert [news.about for news in heard] == ["game-1", "p_ann"]
    assert (one.counts.sent, one.counts.delivered) == (3, 2)
    await two.close()
    one.publish(News("entry", "game-1", "one", ENTRY), ("game-1",))
    assert len(heard) == 2
