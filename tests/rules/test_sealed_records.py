"""Records with sealed seats: every person's nonce fits its seal, void rounds are whole, nothing of them is used."""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from typing import Any

import pytest

from app import rules
from app.cli import main
from tools.records import record_to_json

SERVER = "5" * 64
COMMITMENT = rules.commitment_of(SERVER)
PEOPLE = ("a" * 32, "b" * 32)
DEAD = "c" * 32

Json = dict[str, Any]


def record(players: int = 3, *, void: bool = True) -> Json:
    """Two people and bots; the people resign but one, so that nothing but chance can be wrong."""
    nonces = (*PEOPLE, *(rules.bot_nonce(SERVER, seat) for seat in range(2, players)))
    options = rules.parse_options({"preset": "jamaica", "players": players})
    position = rules.new_game(options, rules.seed_from(SERVER, nonces))
    for seat in range(1, players):
        position, _ = rules.apply(position, seat, rules.Resign())
    voided = rules.VoidRound((rules.seal_of(COMMITMENT, DEAD), "d" * 64), (DEAD, None), (1,))
    return record_to_json(
        rules.Record(
            options=options,
            commitment=COMMITMENT,
            server_seed=SERVER,
            nonces=nonces,
            players=tuple((f"player {seat}", None if seat < 2 else "sailor") for seat in range(players)),
            moves=tuple(rules.Move(seat, rules.Resign(), seat) for seat in range(1, players)),
            winner=0,
            places=tuple(rules.places(position)),
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
def test_a_sealed_record_is_read_as_it_was_written_and_holds(void: bool):
    written = record(void=void)
    assert written["format"] == "cartagena-record/2"
    read = rules.record_from_json(json.loads(json.dumps(written)))
    assert record_to_json(read) == written
    assert rules.verify(read).winner == 0


FORM: dict[str, Any] = {
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
    "somebody missing who was not there": lambda r: r["void_rounds"][0].update(missing=[2]),
    "somebody missing who is true": lambda r: r["void_rounds"][0].update(missing=[True]),
    "the old format with seals": lambda r: r.update(format="cartagena-record/1"),
}
CONTENT: dict[str, Any] = {
    "a nonce chosen after the freeze": lambda r: r["nonces"].__setitem__(1, "0" * 32),
    "a seal that was exchanged": lambda r: r["seals"].__setitem__(0, "0" * 64),
    "a person without a seal": lambda r: r["seals"].__setitem__(0, None),
    "a bot with a seal": lambda r: r["seals"].__setitem__(2, "0" * 64),
    "a bot's nonce that was chosen": lambda r: r["nonces"].__setitem__(2, "0" * 32),
    "a bot passed off as a person": lambda r: r["players"][2].update(bot=None),
    "a void round whose nonce does not fit": lambda r: r["void_rounds"][0]["nonces"].__setitem__(0, "0" * 32),
    "a void round in which all opened": lambda r: r["void_rounds"][0].update(
        seals=[rules.seal_of(COMMITMENT, DEAD)] * 2, nonces=[DEAD, DEAD]
    ),
    "a void round without a fault": lambda r: r["void_rounds"][0].update(missing=[]),
    "a void round by a bot's fault": lambda r: r["void_rounds"][0].update(
        seals=[r["void_rounds"][0]["seals"][0], None, "e" * 64], nonces=[DEAD, None, None]
    ),
    "a nonce of a void round used in the game": lambda r: r["void_rounds"][0].update(
        seals=[r["seals"][0], "d" * 64], nonces=[PEOPLE[0], None]
    ),
    "a nonce of a void round used in the next": lambda r: r["void_rounds"].append(r["void_rounds"][0]),
}


def changed(change: Any) -> Json:
    given = copy.deepcopy(record())
    change(given)
    return given


@pytest.mark.parametrize("name", FORM)
def test_a_sealed_record_of_the_wrong_form_is_refused_when_it_is_read(name: str):
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.record_from_json(changed(FORM[name]))


@pytest.mark.parametrize("name", CONTENT)
def test_a_sealed_record_that_does_not_hold_is_refused_when_it_is_verified(name: str):
    read = rules.record_from_json(changed(CONTENT[name]))
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.verify(read)


def test_verify_says_which_scheme_a_record_has(tmp_path: Any, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record()))
    assert main(["verify", str(file)]) == 0
    told = capsys.readouterr().out
    assert "2, sealed: 2 nonces fit the seals" in told
    assert "1 void rounds before it" in told
