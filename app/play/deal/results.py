"""How a try of the deal went, read from its log; and how it compares with the others', turn by turn.

Everybody had the same boards, the same deck and the same bots: what differs is what they chose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from app import rules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import PlayedLine
from app.play.log.table import Table
from app.rules.core.event import TurnPassed

BEATEN = 10_000  # a score from here on: a bot was first
GIVEN_UP = 100_000
MOST_TURNS = 300  # kept of one try


class Turn(msgspec.Struct, frozen=True, array_like=True):
    """One turn of the person: how far their pirates stood after it, how many were home, what was played."""

    spaces: int
    home: int
    played: str


class Outcome(msgspec.Struct, frozen=True):
    """A try that is over. Of two scores the lower one is better: turns where it was won, what was missing else."""

    score: int
    is_won: bool
    turns: int
    spaces: int
    ended_at: int
    line: tuple[Turn, ...]


class NoOutcome(Exception):
    """The log is not that of a deal's game that has ended."""


def outcome_of(row: GameRow, entries: list[Entry]) -> Outcome:
    """Return the result of a deal's game from its whole log; raise NoOutcome.

    The result is that of the one seat held by a person, under whichever id: the try may have been recorded for a
    guest, and the game created after that guest had logged in to an account.
    """
    played = PlayedLine(Table.of(row), entries)
    table = played.table
    seat = next((n for n, each in enumerate(table.seats) if each.person is not None), None)
    if played.opening is None or table.result is None or table.ended_at is None or seat is None:
        raise NoOutcome
    position: rules.Position = played.opening
    line: list[Turn] = []
    said: list[str] = []
    goal = position.ruleset.route.goal

    def end_turn() -> None:
        home = position.pirates[seat].count(goal)
        line.append(Turn(rules.spaces_reached(position, seat), home, ", ".join(said)))
        said.clear()

    for move in played.moves:
        action = table.rules.action_from_json(move.entry.body["action"])
        position, events = table.rules.apply(position, move.entry.seat, action)
        if move.entry.seat == seat:
            said.append(rules.action_to_text(action))
        if any(isinstance(event, TurnPassed) and event.seat == seat for event in events):
            end_turn()
    if said and not position.resigned[seat]:
        end_turn()  # the winning turn is not passed on
    is_won = table.result["winner"] == seat
    spaces = rules.spaces_reached(position, seat)
    if is_won:
        score = len(line)
    elif table.result["winner"] is None or position.resigned[seat]:
        score = GIVEN_UP
    else:
        score = BEATEN + len(position.pirates[seat]) * (len(position.ruleset.route.symbols) + 1) - spaces
    return Outcome(score, is_won, len(line), spaces, table.ended_at, tuple(line[:MOST_TURNS]))


class ComparedTurn(msgspec.Struct, frozen=True):
    """After this turn: where the own pirates stood, how many others were behind, level and ahead of that, and how
    many had played exactly the same up to here."""

    spaces: int
    gained: int
    home: int
    behind: int
    level: int
    ahead: int
    same: int


class Parting(msgspec.Struct, frozen=True):
    """The first turn in which the own way was not the usual one among those who had played the same until then."""

    turn: int
    others: int  # who had played the same so far
    usual: int  # how many of them then took the usual way
    played: str
    instead: str


class Comparison(msgspec.Struct, frozen=True):
    others: int
    turns: list[ComparedTurn]
    parting: Parting | None


def compare(mine: Sequence[Turn], others: Sequence[Sequence[Turn]]) -> Comparison:
    """One's own line beside those of all others."""
    same = [other for other in others if other]
    parting: Parting | None = None
    turns: list[ComparedTurn] = []
    before = 0
    for number, turn in enumerate(mine):
        here = [other[min(number, len(other) - 1)].spaces for other in others if other]
        if same and parting is None:
            ways = Counter(other[number].played for other in same if number < len(other))
            way, most = ways.most_common(1)[0] if ways else ("", 0)
            if way != turn.played and most > ways[turn.played]:
                parting = Parting(number + 1, len(same), most, turn.played, way)
        same = [other for other in same if number < len(other) and other[number].played == turn.played]
        turns.append(
            ComparedTurn(
                spaces=turn.spaces,
                gained=turn.spaces - before,
                home=turn.home,
                behind=sum(each < turn.spaces for each in here),
                level=sum(each == turn.spaces for each in here),
                ahead=sum(each > turn.spaces for each in here),
                same=len(same),
            )
        )
        before = turn.spaces
    return Comparison(len(others), turns, parting)


def line_json(line: Sequence[Turn]) -> list[dict[str, Any]]:
    """The own turns, as their player is shown them."""
    return [{"spaces": turn.spaces, "home": turn.home, "played": turn.played} for turn in line]
