"""Whole games of every kind: each frame is, to the byte, what its struct would be written as (see stage.Ear)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.rules import PRESETS
from tests.js.random_games import PRESETS as KINDS
from tests.play.commands.test_play import choices_of
from tests.play.stage import Guest, Stage, laid

ACTIONS = 150


def test_every_preset_is_played() -> None:
    assert {kind["preset"] for kind in KINDS} == PRESETS.keys()


def chosen(guest: Guest, position: Any, dice: random.Random) -> dict[str, Any]:
    action: dict[str, Any] = dice.choice(choices_of(guest))["action"]
    if "count" not in action:
        return action
    assert guest.seat is not None
    return {"type": "discard", "cards": sorted(position.hand_names(guest.seat))[: action["count"]]}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["preset"]))
async def test_every_frame_of_a_game_is_its_struct(stage: Stage, kind: dict[str, Any]) -> None:
    options = {**kind}
    preset, players = options.pop("preset"), options.pop("players")
    names = ("ann", "bo", "cy", "di", "ed")[:players]
    clock = {"kind": "bank", "seconds": 600, "increment": 5}
    guests = await stage.game(*names, preset=preset, options=options, clock=clock, absence=0)
    watcher = await stage.guest("wim").come(guests[0].game)
    room, dice = await guests[0].room(), random.Random(7)
    for _ in range(ACTIONS):
        if room.table.is_over:
            break
        guest = guests[dice.choice(room.table.to_act)]
        await guest.act(chosen(guest, laid(room), dice))
    for guest in guests[1:]:
        if not room.table.is_over:
            await guest.act({"type": "resign"})
    assert room.table.is_over
    for guest in (*guests, watcher):
        assert guest.ear.of("events")[-1]["table"]["result"]
        assert len(guest.ear.of("events")) > 20
