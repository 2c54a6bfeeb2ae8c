"""Time over real sockets with an adjustable clock: idle players, votes, time banks, bots left alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.play.commands.request import Decision
from app.play.log.entries import NO_SEAT
from app.play.room.submit import add_server_entry
from tests.sockets.adjustable_clock import AdjustableClock
from tests.sockets.client import Client, Clients, advance
from tests.sockets.running_server import RunningServer
from tests.sockets.test_lobby import lobby_client

DAY_SECONDS = 86_400


@pytest.fixture
async def clock(server: RunningServer) -> AsyncIterator[AdjustableClock]:
    turned = AdjustableClock(server)
    yield turned
    shown: bytes = server.game_server.metrics.text()  # type: ignore[attr-defined]
    assert b"\ncartagena_missed_looks_total 0.0" in shown


def kinds(client: Client) -> list[str]:
    return [message["kind"] for message in client.of("table")]


def absent(client: Client) -> list[bool]:
    return [seat["absent"] for seat in client.table["seats"]]


async def test_an_idle_player_is_absent_and_the_present_majority_decides(
    clients: Clients, clock: AdjustableClock
) -> None:
    """The player is connected and has no clock, so only the room's absence setting applies."""
    ann, bo, cy, di = await clients.game(4, absence=60, pace=0)
    await clock.advance(245)
    await bo.until(lambda: "0" in bo.of("presence")[-1]["away"])  # the countdown is visible to all
    await ann.say("here")  # she touched the page
    await bo.until(lambda: bo.of("presence")[-1]["away"] == {})
    await clock.advance(301)
    await bo.until(lambda: absent(bo) == [True, False, False, False])
    assert bo.of("presence")[-1]["seats"] == [True, True, True, True]
    assert bo.table["host"] == bo.person  # an absent host loses the role
    assert await ann.refused("vote", seat=0, choice="wait") == "not_absent"  # voting about oneself is refused
    await ann.say("here")
    await bo.until(lambda: absent(bo) == [False, False, False, False])  # no action is needed
    await clock.advance(301)
    await bo.until(lambda: absent(bo) == [True, False, False, False])
    await bo.command("vote", seat=0, choice="wait")
    assert bo.table["votes"] == {"0": {"1": "wait"}}
    await cy.command("vote", seat=0, choice="bot")
    await cy.command("vote", seat=0, choice="wait")  # changed: two of three
    await bo.until(lambda: absent(bo) == [False, False, False, False])
    await clock.advance(301)
    await bo.until(lambda: absent(bo) == [True, False, False, False])
    await di.leave()
    await bo.until(lambda: bo.of("presence")[-1]["seats"] == [True, True, True, False])
    await bo.command("vote", seat=0, choice="bot")
    assert bo.table["votes"] == {"0": {"1": "bot"}}  # one of two present players is no majority
    await cy.command("vote", seat=0, choice="bot")
    await bo.until(lambda: bo.table["seats"][0]["bot"] == "sailor")
    await bo.until(lambda: [m for m in bo.of("events") if m.get("by") == "bot"])
    assert await ann.refused("act", version=ann.seq, action={"type": "end"}) == "bot_plays"
    await ann.command("return")
    await bo.until(lambda: bo.table["seats"][0]["bot"] is None)
    waiting = next(client for client in (ann, bo, cy) if client.seat not in _to_act(bo))
    await clock.advance(301)
    await waiting.until(lambda: any(absent(waiting)))
    about = absent(waiting).index(True)
    for client in (ann, bo, cy):
        if client.seat != about and waiting.table["status"] == "running":
            await client.command("vote", seat=about, choice="end")
    await waiting.sees("status", "aborted")
    assert waiting.table["result"] == {"winner": None, "places": None, "reason": "aborted"}
    assert waiting.table["server_seed"] is not None


def _to_act(client: Client) -> list[int]:
    assert client.view is not None
    return [client.view["turn"]["seat"]]


async def test_a_time_bank_runs_down_and_gains_an_increment(clients: Clients, clock: AdjustableClock) -> None:
    ann, bo = await clients.game(2, clock={"kind": "bank", "seconds": 100, "increment": 5}, absence=0)
    await clock.advance(20)
    await ann.act(advance(ann))
    await clock.advance(10)
    await ann.act({"type": "end"})
    await bo.reaches(ann.seq)
    assert bo.clock is not None
    assert bo.clock["running"] == [1]
    # 100 - 20 - 10 + 5, minus the test's own time; slow disk writes are credited.
    assert bo.clock["left"][0] >= 40_000
    assert bo.clock["left"][0] <= 75_000 or "credited" in kinds(bo)
    assert bo.clock["left"][1] == 100_000
    await clock.advance(140)
    await ann.until(lambda: ann.choices)
    assert [m for m in ann.of("events") if m.get("by") == "clock"]
    assert ann.clock is not None
    assert ann.clock["left"][1] == 5_000  # used up, plus the increment of the completed turn


async def test_my_turn_and_its_deadline_are_listed_and_stored(
    clients: Clients, clock: AdjustableClock
) -> None:
    ann, bo = await clients.game(2, clock={"kind": "days", "days": 2})
    for client in (ann, bo):
        await client.leave()
    desk = await lobby_client(ann)
    (mine,) = (await desk.next("lobby"))["mine"]
    assert mine["my_turn"] is True
    assert abs(mine["due"] - clock.now() - 2 * DAY_SECONDS * 1000) < 60_000
    await clock.advance(DAY_SECONDS)
    assert (await ann.http.get("/api/v1/games?list=mine")).json()["games"][0]["my_turn"] is True
    await clock.advance(DAY_SECONDS + 1)
    while (await desk.next("room", list="mine"))["room"]["my_turn"]:
        pass
    assert (await bo.http.get("/api/v1/games?list=mine")).json()["games"][0]["my_turn"] is True
    assert "absent" not in kinds(ann)  # in correspondence games players are usually away
    await desk.link.close()


async def test_a_game_with_only_bots_and_no_spectators_stands_still(
    clients: Clients, clock: AdjustableClock
) -> None:
    (ann,) = await clients.game(1, bots=["cabin-boy", "cabin-boy"], pace=10_000)
    game_server = clients.server.game_server
    room = game_server.rooms.get_loaded(ann.game)
    assert room is not None
    taken_over = Decision("takeover", NO_SEAT, {"about": 0, "level": "cabin-boy", "why": "absent"}, "server")
    assert await add_server_entry(room, taken_over, clock.now(), room.table)
    await ann.leave()
    await ann.until(lambda: game_server.rooms.get_loaded(ann.game).presence.is_deserted(clock.now()))  # type: ignore[union-attr]
    head = await clients.server.head(ann.game)
    for _ in range(3):
        await clock.advance(60)
        await game_server.sweeper.sweep()
    assert await clients.server.head(ann.game) == head
    wim = await (await clients.nobody()).join(ann.game)
    await clock.advance(60)
    await wim.until(lambda: [m for m in wim.of("events") if m.get("by") == "bot"])
