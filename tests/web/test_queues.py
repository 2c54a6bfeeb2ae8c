"""A poison row in each registered queue: the rows behind it are processed, and the operator finds it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select, update

from app.cli import main
from app.notify.ports import Wishes
from app.play.deal.days import day_of
from app.play.queues import MAX_ATTEMPTS, ClaimLoop, compute_retry_delay_ms
from app.store.games.tables import due, games, log, notice_checks
from app.store.people.deal_tables import deal_tries
from app.store.people.erasure import begin
from app.store.people.tables import erasures, notices, outbox, players
from app.web.queues import Queues
from tests.play.stage import HandClock, exchange
from tests.web.running_site import TestSite, running
from tests.web.tables import command, open_table, play_table

ROOT = Path(__file__).resolve().parents[2]
DAY = 86_400
NOT_JSON = "{"


class Place:
    """A server whose claim loops are run by hand, and its database."""

    def __init__(self, site: TestSite, clock: HandClock, url: str) -> None:
        self.site = site
        self.clock = clock
        self.url = url
        self.game_server = site.app.state.game_server
        self.queues: Queues = site.app.state.queues
        self.store = self.game_server.store
        self.count = 0

    async def write(self, *statements: Any) -> None:
        async with self.store.writing() as run:
            for statement in statements:
                await run.execute(statement)

    async def value(self, query: Any) -> Any:
        return (await self.store.rows(query))[0][0]

    async def guest(self) -> tuple[Any, str]:
        """Return a browser with a name, and its player's id."""
        self.count += 1
        browser, told = await self.site.guest(address=f"203.0.113.{self.count}")
        return browser, told["person"]["id"]

    async def game(self) -> tuple[Any, str, str]:
        """Return the browser and id of the second player of a new game, and the game."""
        ann, _ = await self.guest()
        bo, player = await self.guest()
        return bo, player, await play_table(ann, bo)

    async def failures(self) -> dict[tuple[str, str], int]:
        return {(each.queue, each.key): each.attempts for each in await self.store.list_failures()}

    async def admin(self, capsys: pytest.CaptureFixture[str], *words: str) -> str:
        capsys.readouterr()
        asked = ["admin", "--database", self.url, "--actor", "olga", "--json", "queues", *words]
        assert await asyncio.to_thread(main, asked) == 0
        return capsys.readouterr().out


@pytest.fixture
async def place(database_url: str) -> AsyncIterator[Place]:
    async with running(database_url, guest_days=30, dead_room_days=0, sweep_seconds=99999.0) as site:
        await site.app.state.maintenance.stop()
        site.app.state.game_server.sweeper.loop.stop()
        clock = HandClock()
        clock.time = int(site.site.clock() * 1000)
        exchange(site.app.state.game_server, clock=clock)
        yield Place(site, clock, database_url)


IsProcessed = Callable[[], Awaitable[bool]]


async def _plant_due(place: Place) -> tuple[str, IsProcessed]:
    """A game whose log cannot be read, and one that can."""
    _, _, poison = await place.game()
    _, _, good = await place.game()
    await place.write(update(log).where(log.c.game == poison, log.c.seq == 1).values(body=NOT_JSON))
    place.game_server.rooms.evict(place.clock.now() + 10**9)
    for game, late in ((poison, 200), (good, 100)):
        await place.write(update(due).where(due.c.game == game).values(at=place.clock.now() - late))

    async def is_processed() -> bool:
        late = select(func.count()).where(due.c.game == good, due.c.at <= place.clock.now())
        return not await place.value(late)

    return poison, is_processed


async def _plant_deals(place: Place) -> tuple[str, IsProcessed]:
    """A try whose game ended before it began, and one whose game was played."""
    ann, loser = await place.guest()
    poison = await open_table(ann)
    await place.write(update(games).where(games.c.id == poison).values(status="aborted"))
    bo, player, good = await place.game()
    seq = (await bo.get(f"/api/v1/games/{good}")).json()["seq"]
    assert (await command(bo, good, "act", version=seq, action={"type": "resign"})).status_code == 200
    row = {"day": day_of(place.clock.now()), "n": 1, "began_at": place.clock.now()}
    await place.write(
        insert(deal_tries).values(game=poison, person=loser, **row),
        insert(deal_tries).values(game=good, person=player, **row),
    )

    async def is_processed() -> bool:
        ended = select(func.count()).where(deal_tries.c.game == good, deal_tries.c.ended_at.is_not(None))
        return bool(await place.value(ended))

    return poison, is_processed


async def _plant_erasures(place: Place) -> tuple[str, IsProcessed]:
    """A person about whom the log has an entry that cannot be read, and one who only chose a name."""
    _, poison = await place.guest()
    _, good = await place.guest()
    seated = {"game": "g_poison", "seq": 1, "kind": "seated", "seat": 0, "body": NOT_JSON}
    await place.write(insert(log).values(**seated, by="person", at=1, who=poison))
    async with place.store.writing() as run:
        await begin(run, [poison], 1, without_trace=True)
        await begin(run, [good], 2, without_trace=True)

    async def is_processed() -> bool:
        return not await place.value(select(func.count()).where(erasures.c.player == good))

    return poison, is_processed


async def _plant_retention(place: Place) -> tuple[str, IsProcessed]:
    """A guest whose open table cannot be read, in one batch with other guests."""
    ann, poison = await place.guest()
    room = await open_table(ann)
    others = [player for _, player in [await place.guest() for _ in range(3)]]
    await place.write(
        update(games).where(games.c.id == room).values(terms=NOT_JSON),
        update(players).where(players.c.id == poison).values(seen_at=1),
    )
    place.site.pass_time(31 * DAY)

    async def is_processed() -> bool:
        left = select(func.count()).where(players.c.id.in_(others), players.c.deleted_at.is_(None))
        return not await place.value(left)

    return f"guest {poison}", is_processed


async def _plant_checks(place: Place) -> tuple[str, IsProcessed]:
    """A running game whose terms cannot be read, and one whose terms can."""
    _, _, poison = await place.game()
    _, _, good = await place.game()
    await place.queues["notice_checks"].drain()
    await place.write(update(games).where(games.c.id == poison).values(terms=NOT_JSON))
    rows = [{"game": game, "at": at, "lease_until": 0, "n": 1} for game, at in ((poison, 1), (good, 2))]
    await place.write(insert(notice_checks).values(rows))

    async def is_processed() -> bool:
        return not await place.value(select(func.count()).where(notice_checks.c.game == good))

    return poison, is_processed


def _plant_outbox(channel: str) -> Callable[[Place], Awaitable[tuple[str, IsProcessed]]]:
    async def plant(place: Place) -> tuple[str, IsProcessed]:
        """A person whose switches are no switches, and one whose are."""
        people = [player for _, player in [await place.guest() for _ in range(2)]]
        poison, good = people
        for at, player in enumerate(people):
            await place.site.site.notices.set_wishes(player, Wishes(), "en", place.site.site.now())
            row = {"player": player, "channel": channel, "address": "", "game": "g_none", "at": at}
            await place.write(insert(outbox).values(row))
        await place.write(update(notices).where(notices.c.player == poison).values(told_of=1))

        async def is_processed() -> bool:
            return not await place.value(select(func.count()).where(outbox.c.player == good))

        return poison, is_processed

    return plant


# One for each queue of app/web/queues.py.
POISON: dict[str, Callable[[Place], Awaitable[tuple[str, IsProcessed]]]] = {
    "due": _plant_due,
    "deals": _plant_deals,
    "erasures": _plant_erasures,
    "retention": _plant_retention,
    "notice_checks": _plant_checks,
    "letter": _plant_outbox("letter"),
    "push": _plant_outbox("push"),
}


async def test_every_registered_queue_has_a_poison_case_and_is_documented(place: Place) -> None:
    assert POISON.keys() == place.queues.keys()
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert all(f"| `{name}` |" in page for name in place.queues)


@pytest.mark.parametrize("name", POISON)
async def test_a_poison_row_is_isolated_retried_set_aside_and_reported(
    place: Place, name: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    loop: ClaimLoop[Any] = place.queues[name]
    key, is_processed = await POISON[name](place)
    assert not await is_processed()
    await loop.drain()
    assert await is_processed(), "the rows behind it are processed"

    for attempts in range(1, MAX_ATTEMPTS + 1):
        assert await place.failures() == {(name, key): attempts}
        place.clock.pass_seconds((compute_retry_delay_ms(attempts) or 3_600_000) / 1000 - 1)
        assert await loop.drain() == 0, "it is retried too early"
        place.clock.pass_seconds(31)  # and beyond the lease
        await loop.drain()
    assert await place.failures() == {(name, key): MAX_ATTEMPTS}, "it is set aside"

    lines = [record for record in caplog.records if record.name == "cartagena.queues"]
    (line,) = (record for record in lines if record.levelname == "ERROR")
    assert line.fields["row"] == key  # type: ignore[attr-defined]
    assert NOT_JSON not in line.fields["error"]  # type: ignore[attr-defined]
    place.clock.pass_seconds(10)
    await loop.drain()  # which reads the number of rows that are set aside
    text = place.site.site.metrics.text().decode()
    assert f'cartagena_queue_failures_total{{queue="{name}"}} {MAX_ATTEMPTS}.0' in text
    assert f'cartagena_queue_set_aside{{queue="{name}"}} 1.0' in text

    row = json.loads(await place.admin(capsys))
    assert (row["queue"], row["key"], row["attempts"]) == (name, key, MAX_ATTEMPTS)
    assert row["set_aside_at"] is not None
    await place.admin(capsys, "--retry", name, key)
    assert await place.admin(capsys) == ""
    place.clock.pass_seconds(10)
    await loop.drain()
    assert await place.failures() == {(name, key): 1}, "it was put back and tried again"
