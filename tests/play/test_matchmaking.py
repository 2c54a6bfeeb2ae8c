"""Quick play: the newest table where somebody waits, however many stand empty before it, on any worker."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.matchmaking import fitting_table as fitting_row
from app.play.ports import Actor
from app.play.server import GameServer
from tests.play.stage import Guest, Stage


async def fitting_table(game_server: GameServer, actor: Actor, preset: str, seats: int) -> str | None:
    row = await fitting_row(game_server, actor, preset, seats)
    return None if row is None else row.id


async def waiting(stage: Stage, name: str, game_server: object = None, **wishes: object) -> Guest:
    guest = stage.guest(name, game_server)  # type: ignore[arg-type]
    game = await stage.open_table(guest, "tortuga", 3, **wishes)
    await guest.come(game)
    await guest.sit()
    return guest


async def test_a_table_where_somebody_waits_is_found_behind_many_empty_ones(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.play.matchmaking.PAGE", 3)
    ann = await waiting(stage, "ann")
    cy = stage.guest("cy")
    for n in range(7):
        await stage.open_table(stage.guest(f"gone{n}"), "tortuga", 3)
    loaded = len(stage.game_server.rooms)
    assert await fitting_table(stage.game_server, cy.actor, "tortuga", 3) == ann.game
    assert len(stage.game_server.rooms) == loaded  # an empty table is not even read
    assert await fitting_table(stage.game_server, cy.actor, "tortuga", 2) is None
    assert await fitting_table(stage.game_server, cy.actor, "jamaica", 3) is None


async def test_tables_with_a_surprise_are_passed_by(stage: Stage) -> None:
    wim = stage.guest("wim")
    surprises: list[dict[str, Any]] = [
        {"visibility": "password", "password": "rum"},
        {"visibility": "unlisted"},
        {"clock": {"kind": "days", "days": 1}},
        {"options": {"scoundrels": True}},
    ]
    for n, wishes in enumerate(surprises):
        await waiting(stage, f"host{n}", **wishes)
    assert await fitting_table(stage.game_server, wim.actor, "tortuga", 3) is None
    turn = await waiting(stage, "ann", clock={"kind": "turn", "seconds": 60})
    assert await fitting_table(stage.game_server, wim.actor, "tortuga", 3) == turn.game
    assert await fitting_table(stage.game_server, turn.actor, "tortuga", 3) == turn.game  # one's own
    await turn.go()
    assert await fitting_table(stage.game_server, wim.actor, "tortuga", 3) is None


async def test_somebody_who_waits_with_another_worker_is_found(shared_stage: Stage) -> None:
    other = await shared_stage.another_worker()
    ann = await waiting(shared_stage, "ann")
    shared_stage.game_server.presence.tell()
    await shared_stage.open_table(shared_stage.guest("gone"), "tortuga", 3)
    wim = shared_stage.guest("wim", other)
    assert other.rooms.loaded(ann.game) is None
    assert await fitting_table(other, wim.actor, "tortuga", 3) == ann.game
