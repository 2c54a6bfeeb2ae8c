"""The public file of all rated games: JSON lines from which anyone can recompute every rating without a database.

The first line describes the file, the last one says that it is complete. Each line between them is a game, in the order
of processing. docs/ratings.md explains the fields.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from app.ratings.model import INITIAL, MODEL_VERSION, Value
from app.ratings.pools import POOLS
from app.ratings.replay import (
    FULL_WEIGHT_GAMES,
    TIMED_OUT_AGAIN,
    CountedGame,
    KnownFacts,
    RatedGame,
    RatedSeat,
    Replay,
    Standing,
    weigh_company,
)

FORMAT = "cartagena-ratings/1"
_WITHHELD = "withheld "  # no id begins like this

Json = dict[str, Any]


class PublicFileError(Exception):
    """The file cannot be read, or its figures do not follow from its games. The message is for people."""


# -- writing ---------------------------------------------------------------------------------------


class PublicSeat(NamedTuple):
    """A person's row of a game. `person` is None if the person is withheld."""

    person: str | None
    rank: int
    timed_out: bool
    before: Value
    after: Value


class PublicGame(NamedTuple):
    """A game; `game` is None if its id is not public, or a withheld person plays in it."""

    game: str | None
    ended_at: int
    pool: str
    weight: float
    void: str | None
    seats: tuple[PublicSeat, ...]


def make_opaque_id(secret: str, person: str) -> str:
    """Return the name of a person in the file: the same in every file of a site, and not to be led back to the id."""
    label = f"ratings|{person}".encode()
    return hmac.digest(secret.encode(), label, hashlib.sha256).hex()[:24]


def make_header(now: int) -> Json:
    return {"format": FORMAT, "model": MODEL_VERSION, "initial": list(INITIAL), "made_at": now}


def make_trailer(games: int, *, is_complete: bool) -> Json:
    return {"games": games, "complete": is_complete}


def make_line(game: PublicGame) -> Json:
    return {
        "game": game.game,
        "ended_at": game.ended_at,
        "pool": game.pool,
        "weight": game.weight,
        "void": game.void,
        "seats": [_make_seat(seat) for seat in game.seats],
    }


def _make_seat(seat: PublicSeat) -> Json:
    if seat.person is None:
        return {"withheld": True, "rank": seat.rank, "mu": seat.before.mu, "sigma": seat.before.sigma}
    line: Json = {"person": seat.person, "rank": seat.rank, "mu": seat.after.mu, "sigma": seat.after.sigma}
    return line | ({"timed_out": True} if seat.timed_out else {})


# -- recomputing -----------------------------------------------------------------------------------


class Verified(NamedTuple):
    """What was recomputed: how many games, how many of them do not count, and how many people have a rating."""

    games: int
    void: int
    people: int


class Verification:
    """Recomputes the games of one file, line by line."""

    def __init__(self) -> None:
        self._replay = Replay()
        self._count = 0
        self._void = 0
        self._last_end = 0

    def check_header(self, line: Json) -> None:
        """Raise PublicFileError unless this program can recompute the file."""
        if line.get("format") != FORMAT:
            raise PublicFileError(f'This is not a file of ratings: its format is not "{FORMAT}".')
        if line.get("model") != MODEL_VERSION or line.get("initial") != list(INITIAL):
            raise PublicFileError(
                f"The file was made with version {line.get('model')} of the model; this program has "
                f"{MODEL_VERSION}. Use the release that the server runs."
            )

    def check_game(self, line: Json) -> None:
        """Recompute a game. Raise PublicFileError if a figure differs."""
        self._count += 1
        where = f"Game {self._count}" + (f" ({line['game']})" if line.get("game") else "")
        try:
            game, given = self._read_game(line)
            counted = self._recount(game, line)
            expected = [change.after for change in counted.changes]
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            raise PublicFileError(f"{where} cannot be read ({type(problem).__name__}).") from None
        if game.ended_at < self._last_end:
            raise PublicFileError(f"{where} ended before the game in the line above it.")
        self._last_end = game.ended_at
        if (counted.weight, counted.void) != (line["weight"], line["void"]):
            raise PublicFileError(
                f"{where}: the weight is {counted.weight:g} (void: {counted.void}), "
                f"but the file says {line['weight']:g} (void: {line['void']})."
            )
        for seat, value, stated in zip(game.seats, expected, given, strict=True):
            if stated is not None and stated != value:
                raise PublicFileError(
                    f"{where}: {seat.person} has {value.mu:g} ± {value.sigma:g}, "
                    f"but the file says {stated.mu:g} ± {stated.sigma:g}."
                )
        self._void += counted.void is not None
        for seat in game.seats:
            if seat.person.startswith(_WITHHELD):
                self._replay.standings.pop((seat.person, game.pool), None)

    def finish(self, line: Json) -> Verified:
        """Check the last line. Raise PublicFileError if games are missing."""
        if line.get("games") != self._count:
            raise PublicFileError(f"The file says that it has {line.get('games')} games, not {self._count}.")
        if line.get("complete") is not True:
            raise PublicFileError("The ratings changed while the file was made. Download it again.")
        return Verified(self._count, self._void, len({person for person, _ in self._replay.standings}))

    def _read_game(self, line: Json) -> tuple[RatedGame, list[Value | None]]:
        """Return the game, and for each seat the value that the file states after it; None if it is withheld.

        A withheld person gets a name that occurs nowhere else, with the value that the file states before the game.
        """
        if line["pool"] not in POOLS:
            raise ValueError("no such pool")
        seats: list[RatedSeat] = []
        given: list[Value | None] = []
        for number, seat in enumerate(line["seats"]):
            value = Value(float(seat["mu"]), float(seat["sigma"]))
            if seat.get("withheld"):
                person = f"{_WITHHELD}{self._count}.{number}"
                self._replay.standings[person, line["pool"]] = Standing(value, 0, None, 0)
                given.append(None)
            else:
                person = seat["person"]
                given.append(value)
            seats.append(RatedSeat(number, person, seat["rank"], bool(seat.get("timed_out"))))
        return RatedGame(line["game"] or "", line["ended_at"], line["pool"], tuple(seats)), given

    def _recount(self, game: RatedGame, line: Json) -> CountedGame:
        withheld = [seat.person for seat in game.seats if seat.person.startswith(_WITHHELD)]
        if not withheld:
            return self._replay.count(game)
        # Who a withheld person is decides on the weight and on whether the game counts; both are taken from the file.
        is_void = line["void"] == TIMED_OUT_AGAIN
        recent = next(
            (n for n in range(FULL_WEIGHT_GAMES + 3) if is_void or weigh_company(n) == line["weight"]), None
        )
        if recent is None:
            raise ValueError("no such weight")
        seats = tuple(
            seat._replace(timed_out=seat.timed_out or (is_void and seat.person in withheld))
            for seat in game.seats
        )
        standings = self._replay.standings
        facts = KnownFacts(
            {
                seat.person: standings[seat.person, game.pool]
                for seat in seats
                if (seat.person, game.pool) in standings
            },
            recent,
            frozenset(seat.person for seat in seats if is_void and seat.timed_out),
        )
        return self._replay.count(game._replace(seats=seats), facts)


def verify_lines(lines: Iterable[bytes]) -> Verified:
    """Recompute a whole file. Raise PublicFileError."""
    verification = Verification()
    objects = _read_objects(lines)
    verification.check_header(next(objects, {}))
    last: Mapping[str, Any] | None = None
    for line in objects:
        if last is not None:
            raise PublicFileError("The file goes on after its last line.")
        if "seats" in line:
            verification.check_game(line)
        else:
            last = line
    if last is None:
        raise PublicFileError("The file is cut off. Download it again.")
    return verification.finish(dict(last))


def _read_objects(lines: Iterable[bytes]) -> Iterator[Json]:
    for number, text in enumerate(lines, 1):
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise PublicFileError(f"Line {number} is not JSON.") from None
        if not isinstance(value, dict):
            raise PublicFileError(f"Line {number} is not a JSON object.")
        yield value
