"""Records with sealed seats: nonces fit their seals, and void rounds are consistent and never reused."""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from typing import Any

import pytest

from app import rules
from app.cli import main
from tools.records import record_to_json

SERVER_SEED = "5" * 64
COMMITMENT = rules.commitment_of(SERVER_SEED)
PEOPLES_NONCES = ("a" * 32, "b" * 32)
VOID_NONCE = "c" * 32

Json = dict[str, Any]


def record(players: int = 3, *, void: bool = True) -> Json:
    """Return the record of a game of two people and bots that ends at once, so that only its nonces can be wrong."""
    nonces = (*PEOPLES_NONCES, *(rules.bot_nonce(SERVER_SEED, seat) for seat in range(2, players)))
    options = rules.parse_options({"preset": "jamaica", "players": players})
    position = rules.new_game(options, rules.seed_from(SERVER_SEED, nonces))
    for seat in range(1, players):
        position, _ = rules.apply(position, seat, rules.Resign())
    voided = rules.VoidRound((rules.seal_of(COMMITMENT, VOID_NONCE), "d" * 64), (VOID_NONCE, None), (1,))
    return record_to_json(
        rules.Record(
            options=options,
            commitment=COMMITMENT,
            server_seed=SERVER_SEED,
            nonces=nonces,
            players=tuple((f"player {seat}", None if seat < 2 else "sailor") for seat in range(players)),
            moves=tuple(rules.Move(seat, rules.Resign(), seat) for seat in range(1, players)),
            winner=0,
            places=tuple(rules.finishing_places(position)),
            reason="resigned",
            rules_version=2,
            scheme=2,
            seals=tuple(
                rules.seal_of(COMMITMENT, nonce) if seat < 2 else None for seat, nonce in enumerate(nonces)
            ),
            void_rounds=(voided,) if void else (),
        )
    )


def test_a_seal_is_the_hash_of_commitment_and_nonce():
    assert rules.seal_of(COMMITMENT, "a" * 32) == sha256(f"{COMMITMENT}|{'a' * 32}".encode()).hexdigest()


@pytest.mark.parametrize("void", [True, False])
def test_a_sealed_record_round_trips_and_verifies(void: bool):
    written = record(void=void)
    assert written["format"] == "cartagena-record/2"
    read = rules.record_from_json(json.loads(json.dumps(written)))
    assert record_to_json(read) == written
    assert rules.verify(read).winner == 0


MALFORMED: dict[str, Any] = {
    "without a scheme": lambda r: r.pop("scheme"),
    "another scheme": lambda r: r.update(scheme=3),
    "a scheme that is true": lambda r: r.update(scheme=True),
    "a seal too few": lambda r: r["seals"].pop(),
    "a short seal": lambda r: r["seals"].__setitem__(0, "ab"),
    "a seal in capitals": lambda r: r["seals"].__setitem__(0, "A" * 64),
    "seals that are none": lambda r: r.update(seals=None),
    "void rounds that are none": lambda r: r.update(void_rounds={}),
    "a void round with more": lambda r: r["void_rounds"][0].update(more=1),
    "a void round of one seat": lambda r: r["void_rounds"][0].update(seals=["a" * 64], nonces=[None]),
    "a void round with a nonce too few": lambda r: r["void_rounds"][0]["nonces"].pop(),
    "a void round whose nonce is none": lambda r: r["void_rounds"][0]["nonces"].__setitem__(0, "x"),
    "a missing seat outside the table": lambda r: r["void_rounds"][0].update(missing=[2]),
    "a missing seat given as true": lambda r: r["void_rounds"][0].update(missing=[True]),
    "the old format with seals": lambda r: r.update(format="cartagena-record/1"),
}
INCONSISTENT: dict[str, Any] = {
    "a nonce chosen after the freeze": lambda r: r["nonces"].__setitem__(1, "0" * 32),
    "a seal that was exchanged": lambda r: r["seals"].__setitem__(0, "0" * 64),
    "a person without a seal": lambda r: r["seals"].__setitem__(0, None),
    "a bot with a seal": lambda r: r["seals"].__setitem__(2, "0" * 64),
    "a bot's nonce that was chosen": lambda r: r["nonces"].__setitem__(2, "0" * 32),
    "a bot passed off as a person": lambda r: r["players"][2].update(bot=None),
    "a void round whose nonce does not fit": lambda r: r["void_rounds"][0]["nonces"].__setitem__(0, "0" * 32),
    "a void round in which all opened": lambda r: r["void_rounds"][0].update(
        seals=[rules.seal_of(COMMITMENT, VOID_NONCE)] * 2, nonces=[VOID_NONCE, VOID_NONCE]
    ),
    "a void round without a fault": lambda r: r["void_rounds"][0].update(missing=[]),
    "a void round by a bot's fault": lambda r: r["void_rounds"][0].update(
        seals=[r["void_rounds"][0]["seals"][0], None, "e" * 64], nonces=[VOID_NONCE, None, None]
    ),
    "a nonce of a void round used in the game": lambda r: r["void_rounds"][0].update(
        seals=[r["seals"][0], "d" * 64], nonces=[PEOPLES_NONCES[0], None]
    ),
    "a nonce of a void round used in the next": lambda r: r["void_rounds"].append(r["void_rounds"][0]),
}


def change_record(change: Any) -> Json:
    given = copy.deepcopy(record())
    change(given)
    return given


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_sealed_record_is_refused_by_the_parser(name: str):
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.record_from_json(change_record(MALFORMED[name]))


@pytest.mark.parametrize("name", INCONSISTENT)
def test_an_inconsistent_sealed_record_fails_verification(name: str):
    read = rules.record_from_json(change_record(INCONSISTENT[name]))
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.verify(read)


def test_verify_prints_the_scheme_of_a_record(tmp_path: Any, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record()))
    assert main(["verify", str(file)]) == 0
    output = capsys.readouterr().out
    assert "2, sealed: 2 nonces match the seals" in output
    assert "1 void rounds before it" in output
