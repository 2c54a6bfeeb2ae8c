"""Records of played games and their parser. app/rules/formats/verification.py checks their content.

The scheme of a record says where its seed comes from:

1. Seats published their nonces when they sat down.
2. Seats published seals, the start froze all seals in one entry, and then the seats opened their nonces. If a seat
   did not open its nonce, the round is void, and nonces opened in a void round are never used.
3. A deal of the day: the seed follows from the server's secret and the day, and seats have no nonces.
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

FORMAT_BY_SCHEME = {
    1: "cartagena-record/1",
    2: "cartagena-record/2",
    3: "cartagena-record/3",
}

_BASE_FIELDS = (
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
_SEALED_FIELDS = (*_BASE_FIELDS, "scheme", "seals", "void_rounds")
_DEAL_FIELDS = (*_BASE_FIELDS, "scheme", "deal")
_FIELDS_BY_SCHEME = {1: _BASE_FIELDS, 2: _SEALED_FIELDS, 3: _DEAL_FIELDS}
_ACTORS = ("person", "bot", "clock")
_END_REASONS = ("goal", "resigned", "aborted")
_MAX_ACTIONS = 1_000_000
_MAX_VOID_ROUNDS = 1000
# The rules are the same in all versions; tables of version 2 have sealed seats, those of version 3 play a deal.
_RULES_VERSIONS_BY_SCHEME = {1: (1,), 2: (2,), 3: (3,)}
_DAY_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class RecordReason(Reason):
    """Reasons for the person who chose the file; the message of the error is for programs."""

    record_none = "This file is not the record of a Cartagena game."
    record_newer = "This kind of record is not known here; it may come from a newer version."
    record_part = "The record is damaged: “{where}” is not valid."
    record_no_move = "The record is damaged: move {n} is not a move of this game."
    record_unplayable = "Move {n} of the record cannot be played: something in it was changed or is missing."


@dataclass(frozen=True, slots=True)
class Move:
    """One action of the game as it was finally played, without what was undone."""

    seat: int
    action: Action
    at: float
    by: str = "person"
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VoidRound:
    """A start that failed because a seat did not open its nonce."""

    seals: tuple[str | None, ...]
    """Seal of each seat; None for a bot."""
    nonces: tuple[str | None, ...]
    """Nonce that each seat opened, if it did."""
    missing: tuple[int, ...]
    """Seats that did not open their nonce."""


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one game, from which every position can be replayed."""

    options: Options
    commitment: str
    server_seed: str
    nonces: tuple[str, ...]
    players: tuple[tuple[str, str | None], ...]
    """Name and bot level, None for a person, of each seat."""
    moves: tuple[Move, ...]
    winner: int | None
    places: tuple[int, ...] | None
    reason: str
    rules_version: int = RULES_VERSION
    scheme: int = 1
    """Where the seed comes from; see the docstring of this module."""
    seals: tuple[str | None, ...] = ()
    void_rounds: tuple[VoidRound, ...] = ()
    deal: str = ""
    """Day of a deal of the day, else empty."""

    @property
    def seed(self) -> str:
        """Return the seed of the game."""
        if self.scheme == 3:
            return deal_seed(self.server_seed, self.deal)
        return seed_from(self.server_seed, self.nonces)


def _require(condition: bool, sentence: str, where: str) -> None:
    """Raise BadRecord unless the condition holds. `where` names the part of the record."""
    if not condition:
        raise BadRecord(sentence, RecordReason.record_part, where=where)


def _parse_object(
    value: object, names: Sequence[str], what: str, why: Reason = RecordReason.record_part, /, **params: Param
) -> Json:
    if not isinstance(value, dict) or value.keys() != set(names):
        raise BadRecord(f"{what} must have exactly the fields {', '.join(names)}.", why, **params)
    return value


def record_from_json(value: object) -> Record:
    """Parse a record. Raise BadRecord if it is malformed. `verify` checks its content."""
    if isinstance(value, dict) and "rated" in value:  # only in records of rated games
        _require(value["rated"] is True, "Only a rated game may say whether it was rated.", "rated")
        value = {name: part for name, part in value.items() if name != "rated"}
    given_format = value.get("format") if isinstance(value, dict) else None
    scheme = next((number for number, name in FORMAT_BY_SCHEME.items() if name == given_format), 1)
    fields = _parse_object(value, _FIELDS_BY_SCHEME[scheme], "A record", RecordReason.record_none)
    if fields["format"] != FORMAT_BY_SCHEME[scheme]:
        known = " or ".join(f'"{name}"' for name in FORMAT_BY_SCHEME.values())
        raise BadRecord(f"The format of a record is {known}.", RecordReason.record_newer)
    if (
        type(fields["rules_version"]) is not int
        or fields["rules_version"] not in _RULES_VERSIONS_BY_SCHEME[scheme]
    ):
        versions = ", ".join(map(str, _RULES_VERSIONS_BY_SCHEME[scheme]))
        known = f"In this format this program knows the rules version {versions} only."
        raise BadRecord(known, RecordReason.record_newer)
    where = "options"
    try:
        options = parse_options(fields["options"])
        has_all_options = len(fields["options"]) == len(dataclasses.fields(Options))
        _require(has_all_options, "A record must contain all options.", where)
        where = "commitment"
        commitment = check_seed(fields["commitment"], "The commitment")
        where = "server_seed"
        server_seed = check_seed(fields["server_seed"], "The server's seed")
        where = "nonces"
        _require(isinstance(fields["nonces"], list), "The nonces must be a list.", where)
        nonces = tuple(check_nonce(nonce) for nonce in fields["nonces"])
    except BadRecord:
        raise
    except RuleError as error:
        raise BadRecord(error.message, RecordReason.record_part, where=where) from None
    if scheme == 3:
        _require(not nonces, "A deal of the day must not have nonces.", where)
        _require(
            type(fields["scheme"]) is int and fields["scheme"] == 3,
            "The scheme of this format must be 3.",
            "scheme",
        )
        is_day = isinstance(fields["deal"], str) and _DAY_PATTERN.match(fields["deal"]) is not None
        _require(is_day, "The deal must be a day, such as 2026-11-17.", "deal")
    else:
        _require(len(nonces) == options.players, "There must be one nonce for each player.", where)
    seals, rounds = _parse_seals(fields, options.players) if scheme == 2 else ((), ())
    players, moves, result = fields["players"], fields["actions"], fields["result"]
    _require(
        isinstance(players, list) and len(players) == options.players,
        "There must be one entry for each player.",
        "players",
    )
    _require(isinstance(moves, list) and len(moves) <= _MAX_ACTIONS, "The actions must be a list.", "actions")
    where = "result"
    result = _parse_object(result, ("winner", "places", "reason"), "The result", where=where)
    winner, order = result["winner"], result["places"]
    seats = range(options.players)
    _require(
        winner is None or (type(winner) is int and winner in seats),
        "The winner must be a seat or null.",
        where,
    )
    _require(
        order is None
        or (isinstance(order, list) and len(order) == options.players and all(type(p) is int for p in order)),
        "The places must be a list with one number for each player, or null.",
        where,
    )
    _require(result["reason"] in _END_REASONS, f"The reason must be one of {', '.join(_END_REASONS)}.", where)
    return Record(
        options=options,
        commitment=commitment,
        server_seed=server_seed,
        nonces=nonces,
        players=tuple(_parse_player(entry) for entry in players),
        moves=tuple(_parse_move(entry, number, options.players) for number, entry in enumerate(moves, 1)),
        winner=winner,
        places=None if order is None else tuple(order),
        reason=result["reason"],
        rules_version=fields["rules_version"],
        scheme=scheme,
        seals=seals,
        void_rounds=rounds,
        deal=fields["deal"] if scheme == 3 else "",
    )


def _parse_player(value: object) -> tuple[str, str | None]:
    entry = _parse_object(value, ("name", "bot"), "A player of a record", where="players")
    name, bot = entry["name"], entry["bot"]
    _require(
        isinstance(name, str) and (bot is None or isinstance(bot, str)),
        "A player must have a name, and a bot level or null.",
        "players",
    )
    return name, bot


def _parse_move(value: object, number: int, players: int) -> Move:
    what, why = f"Action {number} of the record", RecordReason.record_no_move
    entry = _parse_object(value, ("seat", "action", "at", "by", "marks"), what, why, n=number)
    seat, at, by, marks = entry["seat"], entry["at"], entry["by"], entry["marks"]
    wrong = (
        f"{what} names a seat that is not at the table."
        if type(seat) is not int or not 0 <= seat < players
        else f"{what} has no time."
        if type(at) not in (int, float)
        else f"{what} must be made by one of {', '.join(_ACTORS)}."
        if by not in _ACTORS
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


def _parse_void_round(value: object, number: int) -> VoidRound:
    """Parse a void round. Raise BadRecord if it is malformed."""
    what = f"Void round {number}"
    if not isinstance(value, dict) or value.keys() != {"seals", "nonces", "missing"}:
        raise BadRecord(
            f"{what} must have exactly the fields seals, nonces, missing.",
            RecordReason.record_part,
            where="void_rounds",
        )
    seals, nonces, missing = value["seals"], value["nonces"], value["missing"]
    if not _is_list_of(seals, is_seal) or not 2 <= len(seals) <= 5:
        raise BadRecord(
            f"{what} must have for each seat a seal of 64 hexadecimal digits, or null.",
            RecordReason.record_part,
            where="void_rounds",
        )
    if not _is_list_of(nonces, is_nonce) or len(nonces) != len(seals):
        raise BadRecord(
            f"{what} must have for each seat a nonce of 32 hexadecimal digits, or null.",
            RecordReason.record_part,
            where="void_rounds",
        )
    seats = range(len(seals))
    is_list = isinstance(missing, list) and all(type(seat) is int and seat in seats for seat in missing)
    if not is_list or missing != sorted(set(missing)):
        raise BadRecord(
            f"{what} must list the missing seats, each once and in order.",
            RecordReason.record_part,
            where="void_rounds",
        )
    return VoidRound(tuple(seals), tuple(nonces), tuple(missing))


def _is_list_of(value: object, is_valid: Any) -> bool:
    return isinstance(value, list) and all(item is None or is_valid(item) for item in value)


def _parse_seals(fields: Json, players: int) -> tuple[tuple[str | None, ...], tuple[VoidRound, ...]]:
    """Parse seals and void rounds of a record of scheme 2. Raise BadRecord if they are malformed."""
    seals, rounds = fields["seals"], fields["void_rounds"]
    if type(fields["scheme"]) is not int or fields["scheme"] != 2:
        raise BadRecord("The scheme of this format must be 2.", RecordReason.record_part, where="scheme")
    if not _is_list_of(seals, is_seal) or len(seals) != players:
        raise BadRecord(
            "There must be a seal of 64 hexadecimal digits for each player, or null for a bot.",
            RecordReason.record_part,
            where="seals",
        )
    if not isinstance(rounds, list) or len(rounds) > _MAX_VOID_ROUNDS:
        raise BadRecord("The void rounds must be a list.", RecordReason.record_part, where="void_rounds")
    return tuple(seals), tuple(_parse_void_round(entry, number) for number, entry in enumerate(rounds, 1))
