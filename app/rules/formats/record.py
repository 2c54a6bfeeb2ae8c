"""The form of the record of a played game; app/rules/formats/verifying.py checks what it says.

Where seats are sealed (scheme 2) every seat showed a seal, all seals were frozen in one entry, and only then
nonces were opened. A round in which somebody did not open is void: its nonces are known now, and are never used.

A deal of the day (scheme 3) is the same for everybody: its seed follows from the secret and the day, and nobody at
the table has a nonce.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.rules.core import Json
from app.rules.core.action import Action, action_from_json
from app.rules.core.chance import check_nonce, check_seed, deal_seed, is_nonce, is_seal, seed_from
from app.rules.core.engine import RULES_VERSION
from app.rules.core.errors import BadRecord, Param, Reason, RuleError
from app.rules.options import Options, parse_options

FORMATS = {
    1: "cartagena-record/1",
    2: "cartagena-record/2",
    3: "cartagena-record/3",
}  # by the scheme of its chance

_FIELDS = (
    "format",
    "rules_version",
    "options",
    "commitment",
    "server_seed",
    "nonces",
    "players",
    "actions",
    "result",
)
_SEALED_FIELDS = (*_FIELDS, "scheme", "seals", "void_rounds")
_DEAL_FIELDS = (*_FIELDS, "scheme", "deal")
_FIELDS_OF = {1: _FIELDS, 2: _SEALED_FIELDS, 3: _DEAL_FIELDS}
_BY = ("person", "bot", "clock")
_REASONS = ("goal", "resigned", "aborted")
_MOST_ACTIONS = 1_000_000
_MOST_ROUNDS = 1000
# By the scheme: the rules are the same; a table of version 2 has sealed seats, one of version 3 is a deal's.
_VERSIONS = {1: (1,), 2: (2,), 3: (3,)}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class RecordReason(Reason):
    """What is wrong with a file, for whoever chose it; the sentence of the error says it to a program."""

    record_none = "This file is not the record of a game of Cartagena."
    record_newer = "This record is of a kind that this program does not know; it may come from a newer one."
    record_part = "The record is damaged: its part “{where}” is not as it should be."
    record_no_move = "The record is damaged: move {n} is not a move of this game."
    record_unplayable = "Move {n} of the record cannot be played: something in it was changed or is missing."


@dataclass(frozen=True, slots=True)
class Move:
    """One action of the line that was really played."""

    seat: int
    action: Action
    at: float
    by: str = "person"
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VoidRound:
    """A start that came to nothing. Of each seat of that round: its seal (a bot has none), the nonce it opened."""

    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]
    missing: tuple[int, ...]
    """Whose fault it was: seats that did not open."""


@dataclass(frozen=True, slots=True)
class Record:
    options: Options
    commitment: str
    server_seed: str
    nonces: tuple[str, ...]
    players: tuple[tuple[str, str | None], ...]
    """(name, bot level or None) of each seat."""
    moves: tuple[Move, ...]
    winner: int | None
    places: tuple[int, ...] | None
    reason: str
    rules_version: int = RULES_VERSION
    scheme: int = 1
    """How its chance can be checked: 1, nonces shown when people sat down; 2, sealed seats; 3, a deal of the day."""
    seals: tuple[str | None, ...] = ()
    void_rounds: tuple[VoidRound, ...] = ()
    deal: str = ""
    """The day of a deal of the day."""

    @property
    def seed(self) -> str:
        if self.scheme == 3:
            return deal_seed(self.server_seed, self.deal)
        return seed_from(self.server_seed, self.nonces)


def _require(condition: bool, sentence: str, where: str) -> None:
    """`where`: the part of the record that is wrong otherwise."""
    if not condition:
        raise BadRecord(sentence, RecordReason.record_part, where=where)


def _exactly(
    value: object, names: Sequence[str], what: str, why: Reason = RecordReason.record_part, /, **params: Param
) -> Json:
    if not isinstance(value, dict) or value.keys() != set(names):
        raise BadRecord(f"{what} has exactly: {', '.join(names)}.", why, **params)
    return value


def record_from_json(value: object) -> Record:
    """The record, or a sentence on what is wrong with its form. `verify` then checks what it says."""
    said = value.get("format") if isinstance(value, dict) else None
    scheme = next((number for number, name in FORMATS.items() if name == said), 1)
    fields = _exactly(value, _FIELDS_OF[scheme], "A record", RecordReason.record_none)
    if fields["format"] != FORMATS[scheme]:
        known = " or ".join(f'"{each}"' for each in FORMATS.values())
        raise BadRecord(f"The format of a record is {known}.", RecordReason.record_newer)
    if type(fields["rules_version"]) is not int or fields["rules_version"] not in _VERSIONS[scheme]:
        versions = ", ".join(map(str, _VERSIONS[scheme]))
        known = f"In this format this program knows the rules version {versions} only."
        raise BadRecord(known, RecordReason.record_newer)
    where = "options"
    try:
        options = parse_options(fields["options"])
        is_whole = len(fields["options"]) == len(dataclasses.fields(Options))
        _require(is_whole, "The options of a record must all be written out.", where)
        where = "commitment"
        commitment = check_seed(fields["commitment"], "The commitment")
        where = "server_seed"
        server_seed = check_seed(fields["server_seed"], "The server's seed")
        where = "nonces"
        _require(isinstance(fields["nonces"], list), "The nonces are a list.", where)
        nonces = tuple(check_nonce(nonce) for nonce in fields["nonces"])
    except BadRecord:
        raise
    except RuleError as wrong:
        raise BadRecord(wrong.message, RecordReason.record_part, where=where) from None
    if scheme == 3:
        _require(not nonces, "A deal of the day has no nonces.", where)
        _require(
            type(fields["scheme"]) is int and fields["scheme"] == 3,
            "The scheme of this format is 3.",
            "scheme",
        )
        is_day = isinstance(fields["deal"], str) and _DAY.match(fields["deal"]) is not None
        _require(is_day, "The deal is a day, such as 2026-11-17.", "deal")
    else:
        _require(len(nonces) == options.players, "There is one nonce for each player.", where)
    seals, rounds = _sealed_from_json(fields, options.players) if scheme == 2 else ((), ())
    players, moves, result = fields["players"], fields["actions"], fields["result"]
    _require(
        isinstance(players, list) and len(players) == options.players,
        "There is one entry for each player.",
        "players",
    )
    _require(isinstance(moves, list) and len(moves) <= _MOST_ACTIONS, "The actions are a list.", "actions")
    where = "result"
    result = _exactly(result, ("winner", "places", "reason"), "The result", where=where)
    winner, order = result["winner"], result["places"]
    seats = range(options.players)
    _require(
        winner is None or (type(winner) is int and winner in seats), "The winner is a seat or null.", where
    )
    _require(
        order is None
        or (isinstance(order, list) and len(order) == options.players and all(type(p) is int for p in order)),
        "The places are a list with one number for each player, or null.",
        where,
    )
    _require(result["reason"] in _REASONS, f"The reason is one of {', '.join(_REASONS)}.", where)
    return Record(
        options=options,
        commitment=commitment,
        server_seed=server_seed,
        nonces=nonces,
        players=tuple(_player(entry) for entry in players),
        moves=tuple(_move(entry, number, options.players) for number, entry in enumerate(moves, 1)),
        winner=winner,
        places=None if order is None else tuple(order),
        reason=result["reason"],
        rules_version=fields["rules_version"],
        scheme=scheme,
        seals=seals,
        void_rounds=rounds,
        deal=fields["deal"] if scheme == 3 else "",
    )


def _player(value: object) -> tuple[str, str | None]:
    entry = _exactly(value, ("name", "bot"), "A player of a record", where="players")
    name, bot = entry["name"], entry["bot"]
    _require(
        isinstance(name, str) and (bot is None or isinstance(bot, str)),
        "A player has a name and a bot or null.",
        "players",
    )
    return name, bot


def _move(value: object, number: int, players: int) -> Move:
    what, why = f"Action {number} of the record", RecordReason.record_no_move
    entry = _exactly(value, ("seat", "action", "at", "by", "marks"), what, why, n=number)
    seat, at, by, marks = entry["seat"], entry["at"], entry["by"], entry["marks"]
    wrong = (
        f"{what} names a seat that is not at the table."
        if type(seat) is not int or not 0 <= seat < players
        else f"{what} has no time."
        if type(at) not in (int, float)
        else f"{what} was made by one of {', '.join(_BY)}."
        if by not in _BY
        else f"{what} has no list of marks."
        if not isinstance(marks, list) or not all(isinstance(m, str) for m in marks)
        else None
    )
    if wrong is not None:
        raise BadRecord(wrong, why, n=number)
    try:
        action = action_from_json(entry["action"])
    except RuleError as refused:
        raise BadRecord(f"{what}: {refused.message}", why, n=number) from None
    return Move(seat, action, at, by, tuple(marks))


def _void_round_from_json(value: object, number: int) -> VoidRound:
    """The round, or a sentence on what is wrong with its form."""
    what = f"Void round {number}"
    if not isinstance(value, dict) or value.keys() != {"seals", "nonces", "missing"}:
        raise BadRecord(
            f"{what} has exactly: seals, nonces, missing.", RecordReason.record_part, where="void_rounds"
        )
    seals, nonces, missing = value["seals"], value["nonces"], value["missing"]
    if not _is_list(seals, is_seal) or not 2 <= len(seals) <= 5:
        raise BadRecord(
            f"{what} has for each seat a seal of 64 hexadecimal digits, or null.",
            RecordReason.record_part,
            where="void_rounds",
        )
    if not _is_list(nonces, is_nonce) or len(nonces) != len(seals):
        raise BadRecord(
            f"{what} has for each seat a nonce of 32 hexadecimal digits, or null.",
            RecordReason.record_part,
            where="void_rounds",
        )
    seats = range(len(seals))
    is_list = isinstance(missing, list) and all(type(seat) is int and seat in seats for seat in missing)
    if not is_list or missing != sorted(set(missing)):
        raise BadRecord(
            f"{what} names the seats that were missing, each once and in order.",
            RecordReason.record_part,
            where="void_rounds",
        )
    return VoidRound(tuple(seals), tuple(nonces), tuple(missing))


def _is_list(value: object, is_right: Any) -> bool:
    return isinstance(value, list) and all(each is None or is_right(each) for each in value)


def _sealed_from_json(fields: Json, players: int) -> tuple[tuple[str | None, ...], tuple[VoidRound, ...]]:
    """Seals and void rounds of a record with sealed seats, or a sentence on what is wrong with their form."""
    seals, rounds = fields["seals"], fields["void_rounds"]
    if type(fields["scheme"]) is not int or fields["scheme"] != 2:
        raise BadRecord("The scheme of this format is 2.", RecordReason.record_part, where="scheme")
    if not _is_list(seals, is_seal) or len(seals) != players:
        raise BadRecord(
            "There is for each player a seal of 64 hexadecimal digits, or null for a bot.",
            RecordReason.record_part,
            where="seals",
        )
    if not isinstance(rounds, list) or len(rounds) > _MOST_ROUNDS:
        raise BadRecord("The void rounds are a list.", RecordReason.record_part, where="void_rounds")
    return tuple(seals), tuple(_void_round_from_json(each, number) for number, each in enumerate(rounds, 1))
