"""A poison row in each registered queue: the rows behind it are processed, and the operator finds it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from sqlalchemy import delete, func, insert, select, update

from app.cli import main
from app.play.deal.days import add_days, day_of, new_deal
from app.play.queues import MAX_ATTEMPTS, ClaimLoop, compute_retry_delay_ms
from app.store.people import erasure
from app.store.people.notice_values import Wishes
from app.store.tables.deals import deal_tries, deals
from app.store.tables.games import due, games, log, notice_checks, seats
from app.store.tables.people import erasures, notices, outbox, players
from app.store.tables.practice import mistake_searches
from app.store.tables.ratings import rating_changes
from app.web.queues import Queues
from tests.databases import begin
from tests.play.simple_bot import SimpleBot
from tests.play.stage import ManualClock, replace_ports
from tests.store.ratings.rated_games import make_game
from tests.web.deal.playing import SHORT
from tests.web.running_site import TestSite, running
from tests.web.tables import command, open_table, play_table

ROOT = Path(__file__).resolve().parents[2]
DAY_SECONDS = 86_400
NOT_JSON = "{"


class QueueSite:
    """A server whose claim loops are run by the test, and its database."""

    def __init__(self, site: TestSite, clock: ManualClock, url: str) -> None:
        self.site = site
        self.clock = clock
        self.url = url
        self.game_server = site.app.state.game_server
        self.queues: Queues = site.app.state.queues
        self.store = self.game_server.store
        self.count = 0

    async def write(self, *statements: Any) -> None:
        async with begin(self.store.database) as run:
            for statement in statements:
                await run.execute(statement)

    async def value(self, query: Any) -> Any:
        return (await self.store.database.fetch_rows(query))[0][0]

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
        return {(each.queue, each.key): each.attempts for each in await self.store.failures.read_all()}

    async def admin(self, capsys: pytest.CaptureFixture[str], *words: str) -> str:
        capsys.readouterr()
        asked = ["admin", "--database", self.url, "--actor", "olga", "--json", "queues", *words]
        assert await asyncio.to_thread(main, asked) == 0
        return capsys.readouterr().out


@pytest.fixture
async def queue_site(database_url: str) -> AsyncIterator[QueueSite]:
    async with running(database_url, guest_days=30, dead_room_days=0, sweep_seconds=99999.0) as site:
        await site.app.state.maintenance.stop()
        site.app.state.game_server.sweeper.loop.stop()
        clock = ManualClock()
        clock.time = int(site.site.clock() * 1000)
        replace_ports(site.app.state.game_server, clock=clock)
        yield QueueSite(site, clock, database_url)


IsProcessed = Callable[[], Awaitable[bool]]


async def _plant_due(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a game with an unreadable log, and a readable one."""
    _, _, poison = await queue_site.game()
    _, _, good = await queue_site.game()
    await queue_site.write(update(log).where(log.c.game == poison, log.c.seq == 1).values(body=NOT_JSON))
    queue_site.game_server.rooms.evict(queue_site.clock.now() + 10**9)
    for game, late in ((poison, 200), (good, 100)):
        await queue_site.write(update(due).where(due.c.game == game).values(at=queue_site.clock.now() - late))

    async def is_processed() -> bool:
        late = select(func.count()).where(due.c.game == good, due.c.at <= queue_site.clock.now())
        return not await queue_site.value(late)

    return poison, is_processed


async def _plant_deals(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a try whose game ended before it started, and one whose game was played."""
    ann, loser = await queue_site.guest()
    poison = await open_table(ann)
    await queue_site.write(update(games).where(games.c.id == poison).values(status="aborted"))
    bo, player, good = await queue_site.game()
    seq = (await bo.get(f"/api/v1/games/{good}")).json()["seq"]
    assert (await command(bo, good, "act", version=seq, action={"type": "resign"})).status_code == 200
    row = {"day": day_of(queue_site.clock.now()), "n": 1, "began_at": queue_site.clock.now()}
    await queue_site.write(
        insert(deal_tries).values(game=poison, person=loser, **row),
        insert(deal_tries).values(game=good, person=player, **row),
    )

    async def is_processed() -> bool:
        ended = select(func.count()).where(deal_tries.c.game == good, deal_tries.c.ended_at.is_not(None))
        return bool(await queue_site.value(ended))

    return poison, is_processed


async def _plant_pars(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a day whose options cannot be read, and one that a bot can play."""
    now = queue_site.clock.now()
    poison, good = day_of(now), add_days(day_of(now), -1)
    replace_ports(queue_site.game_server, bots=SimpleBot())
    queue_site.site.app.state.deals._cached_deals.clear()
    await queue_site.write(delete(deals))
    for day, options in ((poison, NOT_JSON), (good, orjson.dumps({**SHORT, "players": 2}).decode())):
        made = {**msgspec.structs.asdict(new_deal(day, now)), "options": options, "opponents": '["sailor"]'}
        _, player = await queue_site.guest()
        await queue_site.write(
            insert(deals).values(made),
            insert(deal_tries).values(game=f"try {day}", person=player, day=day, n=1, began_at=now),
        )

    async def is_processed() -> bool:
        return await queue_site.value(select(deals.c.par).where(deals.c.day == good)) is not None

    return poison, is_processed


async def _plant_erasures(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a player whose former table has unreadable terms, and one who only chose a name."""
    ann, poison = await queue_site.guest()
    _, good = await queue_site.guest()
    table = await open_table(ann)
    await queue_site.write(update(games).where(games.c.id == table).values(status="aborted", terms=NOT_JSON))
    for at, person in enumerate((poison, good), 1):
        await queue_site.store.database.write(
            lambda conn: erasure.begin_erasure(conn, [person], at, without_trace=True)  # noqa: B023
        )

    async def is_processed() -> bool:
        return not await queue_site.value(select(func.count()).where(erasures.c.player == good))

    return poison, is_processed


async def _plant_retention(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a guest whose open table is unreadable, in one batch with other guests."""
    ann, poison = await queue_site.guest()
    room = await open_table(ann)
    others = [player for _, player in [await queue_site.guest() for _ in range(3)]]
    await queue_site.write(
        update(games).where(games.c.id == room).values(terms=NOT_JSON),
        update(players).where(players.c.id == poison).values(seen_at=1),
    )
    queue_site.site.pass_time(31 * DAY_SECONDS)

    async def is_processed() -> bool:
        left = select(func.count()).where(players.c.id.in_(others), players.c.deleted_at.is_(None))
        return not await queue_site.value(left)

    return f"guest {poison}", is_processed


async def _plant_checks(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a running game with unreadable terms, and a readable one."""
    _, _, poison = await queue_site.game()
    _, _, good = await queue_site.game()
    await queue_site.queues["notice_checks"].drain()
    await queue_site.write(update(games).where(games.c.id == poison).values(terms=NOT_JSON))
    rows = [{"game": game, "at": at, "lease_until": 0, "n": 1} for game, at in ((poison, 1), (good, 2))]
    await queue_site.write(insert(notice_checks).values(rows))

    async def is_processed() -> bool:
        return not await queue_site.value(select(func.count()).where(notice_checks.c.game == good))

    return poison, is_processed


async def _plant_mistakes(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a finished game whose record the bots' process refuses, and a running one."""
    bo, player, poison = await queue_site.game()
    _, other, good = await queue_site.game()
    seq = (await bo.get(f"/api/v1/games/{poison}")).json()["seq"]
    assert (await command(bo, poison, "act", version=seq, action={"type": "resign"})).status_code == 200
    await queue_site.write(update(games).where(games.c.id == poison).values(server_seed="not a seed"))
    rows = [
        {"person": person, "game": game, "asked_at": at, "lease_until": 0}
        for at, (person, game) in enumerate(((player, poison), (other, good)))
    ]
    await queue_site.write(insert(mistake_searches).values(rows))

    async def is_processed() -> bool:
        done = select(func.count()).where(
            mistake_searches.c.game == good, mistake_searches.c.done_at.is_not(None)
        )
        return bool(await queue_site.value(done))

    return f"{player} {poison}", is_processed


async def _plant_ratings(queue_site: QueueSite) -> tuple[str, IsProcessed]:
    """Plant a finished rated game with an unreadable result, and a readable one that ended later."""
    for number, game in enumerate(("poison", "good")):
        row, taken = make_game(game, queue_site.clock.now() + number, ["p_ann", "p_bo"], [1, 2])
        await queue_site.write(insert(games).values(row), insert(seats).values(taken))
    await queue_site.write(update(games).where(games.c.id == "poison").values(result=NOT_JSON))

    async def is_processed() -> bool:
        return bool(await queue_site.value(select(func.count()).where(rating_changes.c.game == "good")))

    return "poison", is_processed


def _plant_outbox(channel: str) -> Callable[[QueueSite], Awaitable[tuple[str, IsProcessed]]]:
    async def plant(queue_site: QueueSite) -> tuple[str, IsProcessed]:
        """Plant a person with invalid switches, and one with valid ones."""
        people = [player for _, player in [await queue_site.guest() for _ in range(2)]]
        poison, good = people
        for at, player in enumerate(people):
            await queue_site.site.site.notices.save_wishes(player, Wishes(), "en", queue_site.site.site.now())
            row = {"player": player, "channel": channel, "address": "", "game": "g_none", "at": at}
            await queue_site.write(insert(outbox).values(row))
        await queue_site.write(update(notices).where(notices.c.player == poison).values(told_of=1))

        async def is_processed() -> bool:
            return not await queue_site.value(select(func.count()).where(outbox.c.player == good))

        return poison, is_processed

    return plant


# One for each queue of app/web/queues.py.
POISON: dict[str, Callable[[QueueSite], Awaitable[tuple[str, IsProcessed]]]] = {
    "due": _plant_due,
    "deals": _plant_deals,
    "deal_pars": _plant_pars,
    "mistakes": _plant_mistakes,
    "ratings": _plant_ratings,
    "erasures": _plant_erasures,
    "retention": _plant_retention,
    "notice_checks": _plant_checks,
    "letter": _plant_outbox("letter"),
    "push": _plant_outbox("push"),
}


async def test_every_registered_queue_has_a_poison_case_and_is_documented(queue_site: QueueSite) -> None:
    assert POISON.keys() == queue_site.queues.keys()
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert all(f"| `{name}` |" in page for name in queue_site.queues)


@pytest.mark.parametrize("name", POISON)
async def test_a_poison_row_is_isolated_retried_set_aside_and_reported(
    queue_site: QueueSite, name: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    loop: ClaimLoop[Any] = queue_site.queues[name]
    key, is_processed = await POISON[name](queue_site)
    assert not await is_processed()
    await loop.drain()
    assert await is_processed(), "the rows behind it are processed"

    for attempts in range(1, MAX_ATTEMPTS + 1):
        assert await queue_site.failures() == {(name, key): attempts}
        queue_site.clock.advance((compute_retry_delay_ms(attempts) or 3_600_000) / 1000 - 1)
        assert await loop.drain() == 0, "it was retried too early"
        queue_site.clock.advance(31)  # and beyond the lease
        await loop.drain()
    assert await queue_site.failures() == {(name, key): MAX_ATTEMPTS}, "it is set aside"

    lines = [record for record in caplog.records if record.name == "cartagena.queues"]
    (line,) = (record for record in lines if record.levelname == "ERROR")
    assert line.fields["row"] == key  # type: ignore[attr-defined]
    assert NOT_JSON not in line.fields["error"]  # type: ignore[attr-defined]
    queue_site.clock.advance(10)
    await loop.drain()  # which counts the rows set aside
    text = queue_site.site.site.metrics.text().decode()
    assert f'cartagena_queue_failures_total{{queue="{name}"}} {MAX_ATTEMPTS}.0' in text
    assert f'cartagena_queue_set_aside{{queue="{name}"}} 1.0' in text

    row = json.loads(await queue_site.admin(capsys))
    assert (row["queue"], row["key"], row["attempts"]) == (name, key, MAX_ATTEMPTS)
    assert row["set_aside_at"] is not None
    await queue_site.admin(capsys, "--retry", name, key)
    assert await queue_site.admin(capsys) == ""
    queue_site.clock.advance(10)
    await loop.drain()
    assert await queue_site.failures() == {(name, key): 1}, "its failures were cleared and it was processed"
