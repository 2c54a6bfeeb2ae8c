"""The bus over a real Redis: news arrive, only where they are wanted, and an outage is survived."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.bus.local import Hub, LocalBus
from app.bus.redis_bus import RedisBus, decode, encode
from app.play.log.entries import ChatLine, Entry
from app.play.ports import News
from app.web.game_server import make_bus
from tools.services import RedisServer

ENTRY = Entry("game-1", 7, "action", 0, {"action": {"type": "end"}}, "person", 1234, "command-1", "p_ann")


async def until(met: Callable[[], bool]) -> None:
    for _ in range(1000):
        if met():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


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
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.here.close()
        await self.there.close()

    async def reach(self, kind: str, about: str = "lobby") -> None:
        """Until a word of this kind gets through: subscriptions take a moment."""
        async with asyncio.timeout(15):
            while not any(news.kind == kind and news.about == about for news in self.heard):
                self.here.publish(News(kind, about, "here", {"people": {}, "nameless": 0}))
                await asyncio.sleep(0.02)
        self.heard.clear()


def test_news_survive_the_wire_with_their_types() -> None:
    line = ChatLine("game-1", 3, 1, "players", "p_ann", "Ann", 0, "ahoy", None, "line-0001")
    bodies = {"entry": ENTRY, "chat": line, "lobby": {"a": 1}}
    for news in (News(kind, "game-1", "w", body) for kind, body in bodies.items()):
        assert decode(encode(news)) == news


async def test_entries_reach_the_workers_that_follow_the_game(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.here.publish(News("entry", "game-1", "here", ENTRY))
        pair.there.follow("game-2")
        await pair.reach("presence", "game-2")
        assert all(news.about != "game-1" for news in pair.heard)
        pair.there.follow("game-1")
        await pair.reach("presence", "game-1")
        pair.here.publish(News("entry", "game-1", "here", ENTRY))
        await until(lambda: any(news.kind == "entry" for news in pair.heard))
        assert next(news.body for news in pair.heard if news.kind == "entry") == ENTRY
        pair.there.unfollow("game-1")


async def test_a_game_is_said_to_be_followed_once_nothing_of_it_can_be_missed(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        pair.there.follow("game-9")
        await until(lambda: pair.heard == [News("followed", "game-9", "", None)])
        pair.here.publish(News("entry", "game-9", "here", ENTRY))
        await until(lambda: len(pair.heard) == 2)
        assert pair.heard[1].body == ENTRY


async def test_the_bus_comes_back_after_redis_was_away() -> None:
    with RedisServer() as server:
        async with Pair(server.url) as pair:
            pair.there.follow("game-1")
            await pair.reach("presence", "game-1")
            server.pause()
            for _ in range(20):
                pair.here.publish(News("entry", "game-1", "here", ENTRY))
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
            pair.here.publish(News("entry", "game-1", "here", ENTRY))
            await until(lambda: any(news.kind == "entry" for news in pair.heard))


async def test_whoever_could_not_send_tells_the_others_that_something_is_missing(redis_url: str) -> None:
    async with Pair(redis_url) as pair:
        for _ in range(10_050):  # more than may wait: some are dropped, the reader saw no outage
            pair.here.publish(News("lobby", "lobby", "here", {}))
        await until(lambda: any(news.kind == "gap" for news in pair.heard))
        await until(lambda: sum(news.kind == "lobby" for news in pair.heard) == 10_000)
        assert pair.here.dropped == 50


async def test_a_full_queue_drops_news_instead_of_waiting(redis_url: str) -> None:
    bus = RedisBus(redis_url)
    for _ in range(10_050):
        bus.publish(News("entry", "game-1", "here", ENTRY))
    assert bus.dropped == 50
    await bus.close()


async def test_a_bus_in_one_process_is_alone_and_a_hub_joins_several() -> None:
    assert make_bus("").is_alone
    hub = Hub()
    heard: list[News] = []
    one, two = LocalBus(hub), LocalBus(hub)
    two.listen(heard.append)
    for bus in (one, two):
        await bus.open()
    two.follow("game-1")
    one.publish(News("entry", "game-1", "one", ENTRY))
    one.publish(News("entry", "game-2", "one", ENTRY))
    one.publish(News("signed_out", "p_ann", "one", None))
    assert [news.about for news in heard] == ["game-1", "p_ann"]
    await two.close()
    one.publish(News("entry", "game-1", "one", ENTRY))
    assert len(heard) == 2
