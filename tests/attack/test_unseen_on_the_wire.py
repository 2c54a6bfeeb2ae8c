"""Non-interference: unseen cards change no byte that a viewer receives."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from app import rules
from tests.attack.addresses import pages_for, pages_of_the_table
from tests.attack.received_bytes import differences
from tests.attack.slots import some_moves, twin
from tests.attack.two_worlds import heard_in, set_up

# Three presets with hidden hands and more hiding modules. The long form has all (`python -m tools.fuzz unseen`).
TABLES: list[tuple[dict[str, Any], int | None]] = [
    ({"preset": "jamaica", "players": 2}, 1),
    ({"preset": "hispaniola", "players": 3}, None),
    ({"preset": "dungeon", "players": 3, "black_magic": True, "scoundrels": True}, 0),
]


@pytest.mark.parametrize(("options", "audience"), TABLES, ids=[table["preset"] for table, _ in TABLES])
async def test_unseen_cards_change_no_byte(
    options: dict[str, Any], audience: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await set_up(tmp_path, options, monkeypatch)
    chance = random.Random(str(options))
    moves = some_moves(stage.position, 12, chance)
    other = twin(stage.position, moves, audience, chance)
    assert rules.position_to_json(other) != rules.position_to_json(stage.position)
    # Every address once; those that show the game at every horizon.
    pages = pages_for(stage) if audience == 1 else pages_of_the_table(stage)
    told = [
        await heard_in(stage, position, moves, audience, monkeypatch, looks={len(moves)}, pages=pages)
        for position in (stage.position, other)
    ]
    assert list(differences(*told)) == []
    assert len(told[0].frames) > 30
