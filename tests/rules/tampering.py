"""Tampered records, generated from all fields of sample records, so that no field is forgotten."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from app import rules
from tools.records import record_to_json

Json = dict[str, Any]
Path = tuple[str | int, ...]

SERVER_SEED = "5" * 64
COMMITMENT = rules.commitment_of(SERVER_SEED)
DAY = "2026-11-17"
OPTIONS = {
    "preset": "jamaica",
    "players": 3,
    "board": "random",
    "passage_boards": 4,
    "pirates": 4,
    "copies": 10,
}


TAMPERED_FIRST_ACTIONS = 3  # at the beginning
MAX_SIBLINGS = 5  # values of the same field elsewhere
KNOWN_VALUES: dict[str, tuple[Any, ...]] = {
    "actions[].by": ("person", "bot", "clock"),
    "result.reason": ("goal", "resigned", "aborted"),
    "options.hands": ("open", "hidden"),
    "options.supply": ("deck", "row"),
    "options.relief": ("none", "rest", "start"),
    "options.first": (0, 1, 2),
}
"""Other valid values of fields for which the samples contain only one value."""


class Tampered(NamedTuple):
    """A record with one change."""

    field: str
    """Path of the changed value without indices, such as `actions[].seat`."""
    change: str
    record: Json
    path: Path = ()
    """Path of the changed value; empty if the whole record was replaced."""
    value: Any = None


# -- sample records --------------------------------------------------------------------------------


def _nonce(letter: str) -> str:
    return letter * 32


def _seal(letter: str) -> str:
    return rules.seal_of(COMMITMENT, _nonce(letter))


VOID_ROUNDS = (
    rules.VoidRound((_seal("c"), _seal("d"), None), (_nonce("c"), None, None), (1,)),
    rules.VoidRound((_seal("e"), None, _seal("f")), (None, None, None), (0, 2)),
)


def _play(options: rules.Options, seed: str, choose: Callable[[list[rules.Action]], rules.Action]) -> Any:
    position = rules.new_game(options, seed)
    moves: list[rules.Move] = []
    while position.winner is None:
        seat = rules.seats_to_act(position)[0]
        action = choose(rules.legal(position, seat))
        position, _ = rules.apply(position, seat, action)
        moves.append(rules.Move(seat, action, 1_794_795_000_000 + 1000 * len(moves)))
    return position, tuple(moves)


def sample_record(scheme: int) -> Json:
    """Return the record of a game of two people and a bot that is won at the goal."""
    options = rules.parse_options(OPTIONS)
    bot = (rules.bot_nonce(SERVER_SEED, 2),)
    nonces = () if scheme == 3 else (_nonce("a"), _nonce("b"), *bot)
    seed = rules.deal_seed(SERVER_SEED, DAY) if scheme == 3 else rules.seed_from(SERVER_SEED, nonces)
    chance = random.Random(scheme)

    def choose(actions: list[rules.Action]) -> rules.Action:
        advances = [action for action in actions if isinstance(action, rules.Advance)]
        return chance.choice(advances or actions)

    last, moves = _play(options, seed, choose)
    return record_to_json(
        rules.Record(
            options=options,
            commitment=COMMITMENT,
            server_seed=SERVER_SEED,
            nonces=nonces,
            players=(("Ann", None), ("Bo", None), ("Cy", "sailor")),
            moves=moves,
            winner=last.winner,
            places=tuple(rules.finishing_places(last)),
            reason="goal",
            rules_version=scheme,
            scheme=scheme,
            seals=(_seal("a"), _seal("b"), None) if scheme == 2 else (),
            void_rounds=VOID_ROUNDS if scheme == 2 else (),
            deal=DAY if scheme == 3 else "",
        )
    )


UNVERIFIABLE_FIELDS = {
    "players[].name": "names of today, shown to readers",
    "players[].bot": "the level of a bot; without seals also whether a seat was a bot's",
    "players": "two people in each other's place differ only in their names",
    "actions[].at": "times are the server's word",
    "actions[].by": "who decided is the server's word",
    "actions[].marks": "marks are the server's word",
    "actions": "two actions whose order changes nothing",
    "options.row_size": "has no effect without a row",
    "options.hands": "who could see a hand changes no card",
    "options.actions": "no turn of the sample reached the limit",
    "options.min_actions": "no turn of the sample fell below the limit",
    "options.relief": "no seat in the sample was stuck",
    "options.first": "the seat that began by chance",
    "void_rounds": "only those who were there know how many there were, and in which order",
    "void_rounds[].seals": "the seal of a seat that did not open is known only to those who were there",
    "void_rounds[].seals[]": "the seal of a seat that did not open is known only to those who were there",
    "void_rounds[].nonces[]": "an opening can be left out",
    "void_rounds[].missing": "of several who did not open, one may be blamed (a seat can give a round up)",
}
"""Fields in which a change may go unnoticed from the record alone, and why.

A client that took part notices every change of options, bots and seals (docs/interchange.md).
"""


# -- one change at a time --------------------------------------------------------------------------


def tamper(record: Json) -> Iterator[Tampered]:
    """Yield the record with each of its values changed in every way that fits the type of the value."""
    siblings = {name: list(values) for name, values in KNOWN_VALUES.items()}
    places = [place for place in _walk(record) if not _is_middle_action(place[0], len(record["actions"]))]
    for path, value in places:
        known = siblings.setdefault(_field_name(path), [])
        if not isinstance(value, dict | list) and value not in known:
            known.append(value)
    for path, value in places:
        for change, new in _changes(value, siblings[_field_name(path)]):
            yield Tampered(_field_name(path), change, _replace_at(record, path, new), path, new)


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _walk(part, (*path, key))


def _is_middle_action(path: Path, actions: int) -> bool:
    """Return whether to skip an action: the first ones and the last are enough, as all have the same fields."""
    return path[:1] == ("actions",) and len(path) > 1 and TAMPERED_FIRST_ACTIONS <= int(path[1]) < actions - 1


def _field_name(path: Path) -> str:
    return "".join("[]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _replace_at(value: Any, path: Path, new: Any) -> Any:
    """Return a copy with the value at `path` replaced; everything else is shared."""
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = _replace_at(value[path[0]], path[1:], new)
    return changed


def _changes(value: Any, siblings: list[Any]) -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for name in value:
                yield f"without {name}", {key: part for key, part in value.items() if key != name}
            yield "with an unknown field", {**value, "more": 1}
        case list():
            yield from _list_changes(value)
        case _:
            others = [*siblings[:MAX_SIBLINGS], *_other_values(value)]
            different = [other for other in others if type(other) is not type(value) or other != value]
            yield from ((f"{value!r} to {other!r}", other) for other in different)
    if value is not None:
        yield "null", None


def _list_changes(value: list[Any]) -> Iterator[tuple[str, Any]]:
    changes = {
        "without the first": value[1:],
        "without the last": value[:-1],
        "with the last twice": value + value[-1:],
        "reversed": value[::-1],
        "first two exchanged": value[1::-1] + value[2:],
        "empty": [],
        "with null": [*value, None],
        "with a text": [*value, "hint"],
    }
    yield from ((name, changed) for name, changed in changes.items() if changed != value)


def _other_values(value: Any) -> list[Any]:
    match value:
        case bool():
            return [not value, int(value), "x"]
        case int() | float():
            return [value + 1, value - 1, -value - 7, str(value), True]
        case str():
            flipped = ("1" if value[:1] == "0" else "0") + value[1:]
            return [flipped, f"{value}0", "", "x", 0]
        case _:
            return [0, "x", "0" * 32, "0" * 64, []]


# -- attacks that change several fields ------------------------------------------------------------


def rewrite_records() -> Iterator[Tampered]:
    """Yield sealed records with several consistent changes that hide or forge something."""
    sealed = sample_record(2)
    seals, rounds = sealed["seals"], sealed["void_rounds"]
    bare = {key: part for key, part in sealed.items() if key not in ("scheme", "seals", "void_rounds")}
    unsealed = {**bare, "format": "cartagena-record/1", "rules_version": 1}
    dealt = {
        **bare,
        "format": "cartagena-record/3",
        "rules_version": 3,
        "scheme": 3,
        "deal": DAY,
        "nonces": [],
    }

    def with_rounds(*changed: Json) -> Json:
        return {**sealed, "void_rounds": list(changed)}

    yield Tampered("format", "rewritten as scheme 1", unsealed)
    yield Tampered("format", "rewritten as a deal of the day", dealt)
    blamed = {**rounds[0], "missing": [0]}
    yield Tampered("void_rounds", "blames a seat that opened", with_rounds(blamed))
    yield Tampered(
        "void_rounds", "blames one more seat, which opened", with_rounds({**rounds[0], "missing": [0, 1]})
    )
    own = {"seals": seals, "nonces": [None, None, None], "missing": [0]}
    yield Tampered("void_rounds", "reuses the game's seals", with_rounds(own))
    opened = {"seals": seals, "nonces": [sealed["nonces"][0], None, None], "missing": [1]}
    yield Tampered("void_rounds", "reuses an opened seal of the game", with_rounds(opened))
    yield Tampered("void_rounds", "the same round twice", with_rounds(rounds[1], rounds[1]))
    again = {**rounds[1], "seals": [rounds[0]["seals"][1], None, _seal("9")]}
    yield Tampered("void_rounds", "reuses an unopened seal of another round", with_rounds(rounds[0], again))
    double = {"seals": [_seal("9"), _seal("9"), None], "nonces": [None, None, None], "missing": [0]}
    yield Tampered("void_rounds", "one seal for two seats", with_rounds(double))
    whole = {"seals": [_seal("9"), _seal("8")], "nonces": [_nonce("9"), _nonce("8")], "missing": [1]}
    yield Tampered("void_rounds", "all seats opened", with_rounds(whole))
    unended = {"winner": None, "places": None, "reason": "goal"}
    yield Tampered(
        "result", "won without a winner", {**sealed, "actions": sealed["actions"][:-1], "result": unended}
    )
    aborted = {"winner": None, "places": [1, 2, 3], "reason": "aborted"}
    yield Tampered(
        "result", "aborted, with places", {**sealed, "actions": sealed["actions"][:-1], "result": aborted}
    )
    gave_up = {"winner": None, "places": [1, 2, 3], "reason": "resigned"}
    yield Tampered(
        "result", "no seat resigned", {**sealed, "actions": sealed["actions"][:-1], "result": gave_up}
    )
