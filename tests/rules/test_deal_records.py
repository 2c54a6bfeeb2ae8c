"""Records of a deal of the day: the seed follows from the secret and the day, and seats have no nonces."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.cli import main
from tools.records import record_to_json

SERVER, DAY = "5" * 64, "2026-11-17"
Json = dict[str, Any]


def record(day: str = DAY) -> Json:
    """Return the record of a game in which a person plays one card, so that the deal matters, and then resigns."""
    options = rules.parse_options({"preset": "jamaica", "players": 2, "first": 0})
    position = rules.new_game(options, rules.deal_seed(SERVER, day))
    moves: list[rules.Move] = []
    for action in (rules.legal(position, 0)[0], rules.Resign()):
        position, _ = rules.apply(position, 0, action)
        moves.append(rules.Move(0, action, len(moves)))
    return record_to_json(
        rules.Record(
            options=options,
            commitment=rules.commitment_of(SERVER),
            server_seed=SERVER,
            nonces=(),
            players=(("Ann", None), ("Bo", "sailor")),
            moves=tuple(moves),
            winner=1,
            places=tuple(rules.finishing_places(position)),
            reason="resigned",
            rules_version=3,
            scheme=3,
            deal=day,
        )
    )


def test_the_seed_is_the_hash_of_secret_and_day():
    assert rules.deal_seed(SERVER, DAY) == sha256(f"{SERVER}|deal|{DAY}".encode()).hexdigest()


def test_a_deal_record_round_trips_and_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    written = record()
    assert (written["format"], written["nonces"]) == ("cartagena-record/3", [])
    read = rules.record_from_json(written)
    assert (read.deal, record_to_json(read)) == (DAY, written)
    assert rules.verify(read).winner == 1
    file = tmp_path / "record.json"
    file.write_text(json.dumps(written))
    main(["verify", str(file)])
    assert f"the deal of {DAY}" in capsys.readouterr().out


def test_a_deal_of_another_day_or_secret_fails_verification():
    others = [{**record(), "server_seed": "6" * 64}]
    others += [{**record(), "deal": f"2026-11-{day}"} for day in range(18, 30)]
    for other in others[:1]:
        with pytest.raises(rules.BadRecord):
            rules.verify(rules.record_from_json(other))
    failed = 0
    for other in others[1:]:  # the other hand may contain the card by chance
        try:
            rules.verify(rules.record_from_json(other))
        except rules.BadRecord:
            failed += 1
    assert failed > 0


@pytest.mark.parametrize(
    "change",
    [{"nonces": ["a" * 32]}, {"deal": "today"}, {"deal": None}, {"scheme": 2}, {"seals": [None, None]}],
)
def test_fields_that_no_deal_has_are_refused(change: Json):
    with pytest.raises(rules.BadRecord):
        rules.record_from_json({**record(), **change})
