"""Before the start: the host closes a table, one that everybody has left closes itself, whoever is removed is told."""

from __future__ import annotations

from typing import Any

import pytest

from app.bus.local import Hub
from app.play.lobby import LobbySubscriber
from app.play.schedule.due import EMPTY, FORSAKEN
from tests.play.stage import Ear, Guest, Stage, open_stage

MINUTE = 60


async def waiting(stage: Stage, *names: str, **wishes: Any) -> list[Guest]:
    """People who sit at a table that has not begun."""
    guests = [stage.guest(name) for name in names]
    game = await stage.open_table(guests[0], players=max(2, len(names)), **wishes)
    for guest in guests:
        await guest.come(game)
        await guest.sit()
    return guests


async def status(stage: Stage, game: str) -> str:
    row = await stage.store.game(game)
    assert row is not None
    return row.status


async def listed(stage: Stage) -> list[str]:
    ear = Ear()
    subscriber = LobbySubscriber(stage.guest("looker").actor, ear)
    return [row["id"] for row in (await stage.game_server.lobby.snapshot(subscriber)).open]


# -- the host --------------------------------------------------------------------------------------


async def test_the_host_closes_a_table_and_everybody_there_is_told_why(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    wim = await stage.guest("wim").come(ann.game)
    assert await bo.refused("close") == "not_host"
    assert await wim.refused("close") == "not_host"
    await ann.send("close")
    for guest in (ann, bo, wim):
        assert (guest.ear.last["kind"], guest.ear.last["table"]["status"]) == ("closed", "closed")
        assert guest.ear.last["table"]["closed_why"] == "host"
        assert guest.ear.ended is None  # so that they can read it
    assert await status(stage, ann.game) == "closed"
    assert await bo.refused("sit") == "closed"
    assert await ann.refused("close") == "closed"
    late = await stage.guest("late").come(ann.game)
    assert late.ear.of("state")[-1]["table"]["closed_why"] == "host"


async def test_a_game_that_has_begun_cannot_be_closed_by_its_host(stage: Stage) -> None:
    ann, _ = await stage.game("ann", "bo")
    assert await ann.refused("close") == "started"


async def test_a_start_that_waits_to_be_opened_can_still_be_closed(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    for guest in (ann, bo):
        await guest.send("ready", ready=True)
    await ann.plainly("start")
    assert bo.ear.last["table"]["opening"] is not None
    await ann.send("close")
    assert bo.ear.last["table"]["opening"] is None
    assert await status(stage, ann.game) == "closed"


async def test_the_operator_still_sends_everybody_away(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    await stage.game_server.close_room(ann.game, "host")  # whatever words the operator chose
    assert (bo.ear.last["table"]["closed_why"], bo.ear.ended) == ("operator", 4010)


# -- nobody is there -------------------------------------------------------------------------------


async def test_a_table_at_which_nobody_sits_is_not_listed_and_closes_itself(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    assert await listed(stage) == []
    await ann.come(game)
    await stage.pass_time(EMPTY / 1000 + 1)
    assert await status(stage, game) == "open"  # somebody is there
    await ann.go()
    await stage.pass_time(EMPTY / 1000 - 10)
    assert await status(stage, game) == "open"
    await stage.pass_time(20)
    assert await status(stage, game) == "closed"
    assert (await stage.store.entries(game))[-1].body == {"why": "empty"}
    assert stage.counts.missed_wakeups == 0


async def test_a_table_that_nobody_ever_came_to_closes_itself_though_no_room_is_loaded(stage: Stage) -> None:
    game = await stage.open_table(stage.guest("ann"))
    assert stage.game_server.rooms.loaded(game) is None
    for _ in range(3):  # the first look loads it, and gives people time to come back
        await stage.pass_time(EMPTY / 1000)
    assert await status(stage, game) == "closed"


async def test_after_a_restart_people_have_time_to_come_back(stage: Stage) -> None:
    (ann,) = await waiting(stage, "ann")
    await ann.go()
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)  # a new worker knows nobody
    await stage.pass_time(FORSAKEN / 1000 + MINUTE)
    assert await status(stage, ann.game) == "open"
    await stage.guest("ann").come(ann.game)
    await stage.pass_time(FORSAKEN / 1000 - MINUTE)
    assert await status(stage, ann.game) == "open"


async def test_a_listed_table_whose_people_have_gone_closes_itself(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    await ann.go()
    await stage.pass_time(FORSAKEN / 1000 + 1)
    assert await status(stage, ann.game) == "open"
    await bo.go()
    await stage.pass_time(FORSAKEN / 1000 + 1)
    assert await status(stage, ann.game) == "closed"


@pytest.mark.parametrize(
    "wishes",
    [{"visibility": "unlisted"}, {"password": "sesame"}, {"clock": {"kind": "days", "days": 2}}],
    ids=["unlisted", "password", "days"],
)
async def test_an_appointment_is_kept(stage: Stage, wishes: dict[str, Any]) -> None:
    (ann,) = await waiting(stage, "ann", **wishes)
    await ann.go()
    for _ in range(3):
        await stage.pass_time(86_400)
    assert await status(stage, ann.game) == "open"


async def test_people_in_another_worker_keep_a_table_open(sqlite_url: str) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        other = await stage.another_worker()
        ann = stage.guest("ann", other)
        game = await stage.open_table(ann)
        await ann.come(game)
        for _ in range(3 * EMPTY // 10_000):
            await stage.pass_time(10)  # this worker sweeps, and nobody is here
            other.rooms.tell_presence()  # as a worker repeats it
        assert await status(stage, game) == "open"
        await ann.go()
        for _ in range(4):
            await stage.pass_time(EMPTY / 1000)
        assert await status(stage, game) == "closed"
        await other.close()


# -- removed ---------------------------------------------------------------------------------------


async def test_whoever_was_removed_is_told_so_also_later(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    await ann.send("remove", seat=1)
    assert (bo.ear.last["kind"], bo.ear.last["seat"], bo.ear.last["why"]) == ("left", 1, "removed")
    assert bo.ear.last["you"] == {"seat": None}
    back = await stage.guest("bo").come(ann.game)
    assert back.ear.of("welcome")[-1]["you"]["removed"] is True
    await back.sit()
    again = await stage.guest("bo").come(ann.game)
    assert "removed" not in again.ear.of("welcome")[-1]["you"]


async def test_whoever_stood_up_was_not_removed(stage: Stage) -> None:
    ann, bo = await waiting(stage, "ann", "bo")
    await bo.send("stand")
    assert bo.ear.last["why"] == "stood"
    back = await stage.guest("bo").come(ann.game)
    assert "removed" not in back.ear.of("welcome")[-1]["you"]
