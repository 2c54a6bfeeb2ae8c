"""What a program keeps of a table's chance, and what it does at a table it has not kept anything of."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from app.client.errors import NotKept
from app.client.sealing import Keeper

SHOWN = hashlib.sha256(b"server seed").hexdigest()


def table(**changed: Any) -> dict[str, Any]:
    opening = {
        "seq": 5,
        "asked": False,
        "order": [0, 1],
        "options": {},
        "bots": [None, "mate"],
        "seals": ["ab" * 32, None],
        "nonces": [None, None],
    }
    return {"status": "open", "scheme": 2, "commitment": SHOWN, "opening": opening, **changed}


def test_a_program_that_sat_in_another_process_voids_the_round_and_seals_anew():
    keeper = Keeper()
    wanted = keeper.answer(table(), 0)
    assert wanted is not None
    assert wanted["do"] == "void"
    assert keeper.commitment == SHOWN
    assert wanted["next_seal"] in keeper.nonces


def test_a_commitment_that_changed_since_sitting_down_is_told():
    keeper = Keeper()
    keeper.sit({"commitment": SHOWN, "scheme": 2})
    with pytest.raises(NotKept, match="another commitment"):
        keeper.answer(table(commitment="cd" * 32), 0)
    with pytest.raises(NotKept, match="another commitment"):
        keeper.answer(table(commitment="cd" * 32, opening=None, seals=[None], void_rounds=1), 0)


def test_a_record_without_seals_of_a_table_that_was_sealed_is_not_the_game_that_was_kept():
    keeper = Keeper()
    seal = keeper.sit({"commitment": SHOWN, "scheme": 2})["seal"]
    unsealed = {"format": "cartagena-record/1", "commitment": SHOWN, "nonces": [keeper.nonces[seal]]}
    with pytest.raises(NotKept, match="scheme 2"):
        keeper.check(unsealed)
