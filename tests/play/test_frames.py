"""Whole games of every preset: each frame equals the encoding of its struct (checked by `RecordingListener`)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.rules import PRESETS
from tests.js.random_games import PRESETS as KINDS
from tests.play.commands.test_play import choices_of
from tests.play.stage import Guest, Stage, position_of

ACTIONS = 150


def test_every_preset_is_played() -> None:
    assert {kind["preset"] for kind in KINDS} == PRESETS.keys()


def choose_action(guest: Guest, position: Any, dice: random.Random) -> dict[str, Any]:
    action: dict[str, Any] = dice.choice(choices_of(guest))["action"]
    if "count" not in action:
        return action
    assert guest.seat is not None
    return {"type": "discard", "cards": sorted(position.hand_names(guest.seat))[: action["count"]]}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind["preset"]))
async def test_every_frame_of_a_game_decodes_into_its_struct(stage: Stage, kind: dict[str, Any]) -> None:
    options = {**kind}
    preset, players = options.pop("preset"), options.pop("players")
    names = ("ann", "bo", "cy", "di", "ed")[:players]
    clock = {"kind": "bank", "seconds": 600, "increment": 5}
    guests = await stage.start_game(*names, preset=preset, options=options, clock=clock, absence=0)
    watcher = await stage.guest("wim").enter(guests[0].game)
    room, dice = await guests[0].room(), random.Random(7)
    for _ in range(ACTIONS):
        if room.table.is_over:
            break
        guest = guests[dice.choice(room.table.to_act)]
        await guest.act(choose_action(guest, position_of(room), dice))
    for guest in guests[1:]:
        if not room.table.is_over:
            await guest.act({"type": "resign"})
    assert room.table.is_over
    for guest in (*guests, watcher):
        assert guest.listener.of_kind("events")[-1]["table"]["result"]
        assert len(guest.listener.of_kind("events")) > 20
