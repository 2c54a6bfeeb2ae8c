"""Records of played games: parsing, verification and their errors."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from app import rules
from tools.records import record_to_json

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
RECORD = json.loads((GOLDEN / "resigned-to-the-last.json").read_text(encoding="utf-8"))


def change_record(change):
    record = copy.deepcopy(RECORD)
    change(record)
    return record


MALFORMED = {
    "another format": lambda r: r.update(format="cartagena-record/2"),
    "another version of the rules": lambda r: r.update(rules_version=3),
    "a version that is true": lambda r: r.update(rules_version=True),
    "a missing field": lambda r: r.pop("nonces"),
    "an unknown field": lambda r: r.update(more=1),
    "forbidden options": lambda r: r["options"].update(black_magic=True),
    "a short server seed": lambda r: r.update(server_seed="00"),
    "a commitment that is none": lambda r: r.update(commitment="x" * 64),
    "a nonce too few": lambda r: r["nonces"].pop(),
    "a nonce in capitals": lambda r: r["nonces"].__setitem__(0, "A" * 32),
    "a player too many": lambda r: r["players"].append(r["players"][0]),
    "a player without a name": lambda r: r["players"][0].update(name=None),
    "actions that are none": lambda r: r.update(actions={}),
    "an action of no seat": lambda r: r["actions"][0].update(seat=9),
    "an action of a seat that is true": lambda r: r["actions"][0].update(seat=True),
    "an action that is none": lambda r: r["actions"][0].update(action={"type": "jump"}),
    "an action by an unknown actor": lambda r: r["actions"][0].update(by="nobody"),
    "an action without a time": lambda r: r["actions"][0].update(at="now"),
    "marks that are no list": lambda r: r["actions"][0].update(marks="hint"),
    "an unknown reason": lambda r: r["result"].update(reason="boredom"),
    "a winner who is not there": lambda r: r["result"].update(winner=9),
    "places for too few": lambda r: r["result"]["places"].pop(),
}
INCONSISTENT = {
    "another commitment": lambda r: r.update(commitment="0" * 64),
    "another server seed": lambda r: r.update(server_seed="0" * 64),
    "an illegal action": lambda r: r["actions"][0].update(action={"type": "steal", "card": "hat"}),
    "an action left out": lambda r: r["actions"].pop(0),
    "an action after the end": lambda r: r["actions"].append(r["actions"][0]),
    "the last action left out": lambda r: r["actions"].pop(),
    "another winner": lambda r: r["result"].update(winner=(r["result"]["winner"] + 1) % 3),
    "another reason": lambda r: r["result"].update(reason="goal"),
    "other places": lambda r: r["result"]["places"].reverse(),
    "called aborted though it was won": lambda r: r["result"].update(reason="aborted"),
}


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_record_is_an_object(value):
    with pytest.raises(rules.BadRecord):
        rules.record_from_json(value)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_record_is_refused_by_the_parser(name):
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.record_from_json(change_record(MALFORMED[name]))


@pytest.mark.parametrize("name", INCONSISTENT)
def test_an_inconsistent_record_fails_verification(name):
    record = rules.record_from_json(change_record(INCONSISTENT[name]))
    with pytest.raises(rules.BadRecord, match=r"\.$"):
        rules.verify(record, scheme=1)


def test_another_nonce_gives_another_game():
    record = rules.record_from_json(change_record(lambda r: r["nonces"].__setitem__(0, "0" * 32)))
    assert record.seed != rules.record_from_json(RECORD).seed


def make_record(nonces, bots):
    """Return the record of a game that ends at once, so that only its nonces can be wrong."""
    options = rules.parse_options({"preset": "jamaica", "players": len(nonces)})
    position = rules.new_game(options, rules.seed_from("5" * 64, nonces))
    for seat in range(1, len(nonces)):
        position, _ = rules.apply(position, seat, rules.Resign())
    return rules.Record(
        options=options,
        commitment=rules.commitment_of("5" * 64),
        server_seed="5" * 64,
        nonces=tuple(nonces),
        players=tuple((f"player {seat}", bot) for seat, bot in enumerate(bots)),
        moves=tuple(rules.Move(seat, rules.Resign(), seat) for seat in range(1, len(nonces))),
        winner=0,
        places=tuple(rules.finishing_places(position)),
        reason="resigned",
    )


def test_a_server_cannot_choose_the_nonce_of_its_bot():
    person = "a" * 32

    def pairs(nonce):
        """Return the number of duplicate cards in the hand of seat 0."""
        position = rules.new_game(
            rules.parse_options({"preset": "jamaica", "players": 2}),
            rules.seed_from("5" * 64, (person, nonce)),
        )
        return len(position.hand_names(0)) - len(set(position.hand_names(0)))

    honest = rules.bot_nonce("5" * 64, 1)
    chosen = max((f"{n:032x}" for n in range(300)), key=pairs)
    assert pairs(chosen) > pairs(honest)
    assert rules.verify(make_record((person, honest), (None, "sailor")), scheme=1).winner == 0
    with pytest.raises(rules.BadRecord, match="bot on seat 1"):
        rules.verify(make_record((person, chosen), (None, "sailor")), scheme=1)


def test_a_bots_nonce_belongs_to_its_seat_in_the_game():
    wrong = rules.bot_nonce("5" * 64, 2)  # the nonce of another seat
    with pytest.raises(rules.BadRecord, match="bot on seat 1"):
        rules.verify(make_record(("a" * 32, wrong), (None, "sailor")), scheme=1)


def test_an_aborted_game_has_no_winner_and_may_stop_anywhere():
    def abort(r):
        del r["actions"][10:]
        r["result"] = {"winner": None, "places": None, "reason": "aborted"}

    assert rules.verify(rules.record_from_json(change_record(abort)), scheme=1).winner is None


def test_marks_and_bots_are_kept():
    def mark(r):
        r["actions"][0]["marks"] = ["hint"]
        r["players"][0]["bot"] = "captain"

    record = change_record(mark)
    assert record_to_json(rules.record_from_json(record)) == record
