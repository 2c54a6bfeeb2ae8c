"""Records of played games: replay one to every position, verify its chance, place its players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action, Resign, action_from_json, action_to_json
from app.rules.core.chance import check_nonce, check_seed, commitment_of, seed_from
from app.rules.core.engine import RULES_VERSION, apply, new_game
from app.rules.core.errors import BadRecord, RuleError
from app.rules.core.event import Event
from app.rules.core.position import Position
from app.rules.formats.sealed import VoidRound, check_nonces, sealed_from_json, void_round_to_json
from app.rules.options import Options, options_to_json, parse_options

__all__ = [
    "FORMATS",
    "Move",
    "Record",
    "places",
    "places_of_resigned",
    "record_from_json",
    "record_to_json",
    "replay",
    "verify",
]

FORMATS = {1: "cartagena-record/1", 2: "cartagena-record/2"}  # by the scheme of its chance

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
_BY = ("person", "bot", "clock")
_REASONS = ("goal", "resigned", "aborted")
_MOST_ACTIONS = 1_000_000
_VERSIONS = (1, 2)  # the rules are the same; a table of version 2 has sealed seats


@dataclass(frozen=True, slots=True)
class Move:
    """One action of the line that was really played."""

    seat: int
    action: Action
    at: float
    by: str = "person"
    marks: tuple[str, ...] = ()


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
    """How its chance can be checked: 1, nonces shown when people sat down; 2, sealed seats."""
    seals: tuple[str | None, ...] = ()
    void_rounds: tuple[VoidRound, ...] = ()

    @property
    def seed(self) -> str:
        return seed_from(self.server_seed, self.nonces)


def replay(record: Record) -> Iterator[tuple[Position, tuple[Event, ...]]]:
    """The first position with no events, then each position with what led to it."""
    position = new_game(record.options, record.seed)
    yield position, ()
    for number, move in enumerate(record.moves, 1):
        try:
            position, events = apply(position, move.seat, move.action)
        except RuleError as refusal:
            raise BadRecord(f"Action {number} of the record cannot be played: {refusal.message}") from refusal
        yield position, events


def verify(record: Record) -> Position:
    """Recompute commitment, board, every card and the result; the last position if all of it holds."""
    if commitment_of(record.server_seed) != record.commitment:
        raise BadRecord("The server's seed does not fit the commitment that was shown before the game.")
    check_nonces(record)
    last = None
    for position, _ in replay(record):
        last = position
    assert last is not None
    if record.reason == "aborted":
        if record.winner is not None or last.winner is not None:
            raise BadRecord("A game that was aborted has no winner.")
        return last
    if record.reason == "resigned" and record.winner is None:
        return _given_up(record, last)
    if last.winner != record.winner:
        raise BadRecord(f"The record names winner {record.winner}, but its actions lead to {last.winner}.")
    reason = "goal" if _is_home(last) else "resigned"
    if last.winner is not None and reason != record.reason:
        raise BadRecord(f"The record says the game ended by {record.reason}, but it ended by {reason}.")
    if last.winner is not None and record.places != tuple(places(last)):
        raise BadRecord("The places in the record are not those of the last position.")
    return last


def _given_up(record: Record, last: Position) -> Position:
    """Every person has resigned and several bots were left: the server has ended the game."""
    is_person = [bot is None for _, bot in record.players]
    if last.winner is not None or not any(is_person):
        raise BadRecord("The record says that every person gave up, but its actions do not.")
    if not all(last.resigned[seat] for seat, is_somebody in enumerate(is_person) if is_somebody):
        raise BadRecord("The record says that every person gave up, but its actions do not.")
    order = [move.seat for move in record.moves if isinstance(move.action, Resign)]
    if record.places != tuple(places_of_resigned(len(is_person), order)):
        raise BadRecord("The places in the record are not those of the order in which people gave up.")
    return last


def _is_home(position: Position) -> bool:
    return position.winner is not None and position.pirates[position.winner][0] == position.ruleset.route.goal


def places(position: Position) -> list[int]:
    """Of each seat its place, the winner first; equal ones share one."""
    route = position.ruleset.route

    def spaces_reached(seat: int) -> int:
        total = 0
        for place in position.pirates[seat]:
            name = route.names[place]
            if isinstance(name, int):
                total += name
            elif place == route.goal:
                total += len(route.symbols) + 1
            elif place == route.sloop:
                # Aboard counts as the last space of the passage.
                total += route.sloop - 1
        return total

    def rank(seat: int) -> tuple[bool, int, int, int]:
        return (
            seat == position.winner,
            position.pirates[seat].count(route.goal),
            spaces_reached(seat),
            position.held[seat],
        )

    ranks = [rank(seat) for seat in range(len(position.pirates))]
    return [1 + sum(other > own for other in ranks) for own in ranks]


def places_of_resigned(players: int, order: Sequence[int]) -> list[int]:
    """Places where only bots are left in: they share the first; who gave up follows, who was first to is last.

    `order` is that of giving up.
    """
    return [players - order.index(seat) if seat in order else 1 for seat in range(players)]


def record_to_json(record: Record) -> Json:
    sealed: Json = {}
    if record.scheme == 2:
        rounds = [void_round_to_json(voided) for voided in record.void_rounds]
        sealed = {"scheme": 2, "seals": list(record.seals), "void_rounds": rounds}
    return {
        "format": FORMATS[record.scheme],
        "rules_version": record.rules_version,
        "options": options_to_json(record.options),
        "commitment": record.commitment,
        "server_seed": record.server_seed,
        "nonces": list(record.nonces),
        **sealed,
        "players": [{"name": name, "bot": bot} for name, bot in record.players],
        "actions": [
            {
                "seat": move.seat,
                "action": action_to_json(move.action),
                "at": move.at,
                "by": move.by,
                "marks": list(move.marks),
            }
            for move in record.moves
        ],
        "result": {
            "winner": record.winner,
            "places": None if record.places is None else list(record.places),
            "reason": record.reason,
        },
    }


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise BadRecord(sentence)


def _exactly(value: object, names: Sequence[str], what: str) -> Json:
    _require(
        isinstance(value, dict) and value.keys() == set(names), f"{what} has exactly: {', '.join(names)}."
    )
    assert isinstance(value, dict)
    return value


def record_from_json(value: object) -> Record:
    """The record, or a sentence on what is wrong with its form. `verify` then checks what it says."""
    scheme = 2 if isinstance(value, dict) and value.get("format") == FORMATS[2] else 1
    fields = _exactly(value, _FIELDS if scheme == 1 else _SEALED_FIELDS, "A record")
    known = " or ".join(f'"{each}"' for each in FORMATS.values())
    _require(fields["format"] == FORMATS[scheme], f"The format of a record is {known}.")
    _require(
        type(fields["rules_version"]) is int and fields["rules_version"] in _VERSIONS,
        f"This program knows the rules versions {', '.join(map(str, _VERSIONS))} only.",
    )
    try:
        options = parse_options(fields["options"])
        commitment = check_seed(fields["commitment"], "The commitment")
        server_seed = check_seed(fields["server_seed"], "The server's seed")
        _require(isinstance(fields["nonces"], list), "The nonces are a list.")
        nonces = tuple(check_nonce(nonce) for nonce in fields["nonces"])
    except BadRecord:
        raise
    except RuleError as wrong:
        raise BadRecord(wrong.message) from None
    _require(len(nonces) == options.players, "There is one nonce for each player.")
    seals, rounds = sealed_from_json(fields, options.players) if scheme == 2 else ((), ())
    players, moves, result = fields["players"], fields["actions"], fields["result"]
    _require(
        isinstance(players, list) and len(players) == options.players, "There is one entry for each player."
    )
    _require(isinstance(moves, list) and len(moves) <= _MOST_ACTIONS, "The actions are a list.")
    result = _exactly(result, ("winner", "places", "reason"), "The result")
    winner, order = result["winner"], result["places"]
    seats = range(options.players)
    _require(winner is None or (type(winner) is int and winner in seats), "The winner is a seat or null.")
    _require(
        order is None
        or (isinstance(order, list) and len(order) == options.players and all(type(p) is int for p in order)),
        "The places are a list with one number for each player, or null.",
    )
    _require(result["reason"] in _REASONS, f"The reason is one of {', '.join(_REASONS)}.")
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
    )


def _player(value: object) -> tuple[str, str | None]:
    entry = _exactly(value, ("name", "bot"), "A player of a record")
    name, bot = entry["name"], entry["bot"]
    _require(
        isinstance(name, str) and (bot is None or isinstance(bot, str)),
        "A player has a name and a bot or null.",
    )
    return name, bot


def _move(value: object, number: int, players: int) -> Move:
    what = f"Action {number} of the record"
    entry = _exactly(value, ("seat", "action", "at", "by", "marks"), what)
    seat, at, by, marks = entry["seat"], entry["at"], entry["by"], entry["marks"]
    _require(type(seat) is int and 0 <= seat < players, f"{what} names a seat that is not at the table.")
    _require(type(at) in (int, float), f"{what} has no time.")
    _require(by in _BY, f"{what} was made by one of {', '.join(_BY)}.")
    _require(
        isinstance(marks, list) and all(isinstance(m, str) for m in marks), f"{what} has no list of marks."
    )
    try:
        action = action_from_json(entry["action"])
    except RuleError as wrong:
        raise BadRecord(f"{what}: {wrong.message}") from None
    return Move(seat, action, at, by, tuple(marks))
