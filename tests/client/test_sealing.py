"""Seals and nonces that a program keeps for a table, and what it does at a table for which it has none."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from app.client.errors import RecordMismatch
from app.client.sealing import SealKeeper

COMMITMENT = hashlib.sha256(b"server seed").hexdigest()


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
    return {"status": "open", "scheme": 2, "commitment": COMMITMENT, "opening": opening, **changed}


def test_a_restarted_program_voids_the_round_and_replaces_its_seal():
    keeper = SealKeeper()
    wanted = keeper.next_command(table(), 0)
    assert wanted is not None
    assert wanted["do"] == "void"
    assert keeper.commitment == COMMITMENT
    assert wanted["next_seal"] in keeper.nonces


def test_a_changed_commitment_is_reported():
    keeper = SealKeeper()
    keeper.sit_fields({"commitment": COMMITMENT, "scheme": 2})
    with pytest.raises(RecordMismatch, match="another commitment"):
        keeper.next_command(table(commitment="cd" * 32), 0)
    with pytest.raises(RecordMismatch, match="another commitment"):
        keeper.next_command(table(commitment="cd" * 32, opening=None, seals=[None], void_rounds=1), 0)


def test_a_record_without_seals_does_not_match_a_sealed_table():
    keeper = SealKeeper()
    seal = keeper.sit_fields({"commitment": COMMITMENT, "scheme": 2})["seal"]
    unsealed = {"format": "cartagena-record/1", "commitment": COMMITMENT, "nonces": [keeper.nonces[seal]]}
    with pytest.raises(RecordMismatch, match="scheme 2"):
        keeper.check(unsealed)
