"""The result of a try of the deal, computed from its log, and its comparison with other tries turn by turn.

All tries have the same boards, deck and bots, so they differ only in what the players chose.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from app import rules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import PlayedLine
from app.play.log.table import Table
from app.rules.core.event import TurnPassed

LOSS_BASE_SCORE = 10_000  # scores from here on are games that a bot has won
RESIGNED_SCORE = 100_000
MAX_STORED_TURNS = 300  # of one try
MIN_COMPARED_TRIES = 3  # with fewer others, no choice is called unusual


class Turn(msgspec.Struct, frozen=True, array_like=True):
    """One turn of the player: the spaces reached, the pirates home and the position after it, and what was played.

    `position` is a digest, so that the order of actions within a turn makes no difference; it is empty in lines that
    were stored before it existed.
    """

    spaces: int
    home: int
    played: str
    position: str = ""

    def is_same_as(self, other: Turn) -> bool:
        """Return whether both turns played the same or led to the same position."""
        return self.played == other.played or (self.position == other.position != "")


class DealResult(msgspec.Struct, frozen=True):
    """The result of a finished try. A lower score is better: the turns of a win, else the spaces that were missing."""

    score: int
    is_won: bool
    turns: int
    spaces: int
    ended_at: int
    line: tuple[Turn, ...]


class Distribution(msgspec.Struct, frozen=True):
    """How many results of a day there are of each kind; `won` by number of turns, in order."""

    won: tuple[tuple[int, int], ...]
    beaten: int
    given_up: int


class Standing(msgspec.Struct, frozen=True):
    """How many of the others' results are worse than one result, and how many are equal."""

    others: int
    worse: int
    equal: int


class NoDealResult(Exception):
    """The log is not that of a finished game of a deal."""


def compute_deal_result(row: GameRow, entries: list[Entry]) -> DealResult:
    """Return the result of a deal's game from its whole log. Raises NoDealResult.

    The result is that of the one seat that a person holds, under any id: the try may have been recorded for a guest,
    and the game created after that guest had logged in to an account.
    """
    played = PlayedLine(Table.from_row(row), entries)
    table = played.table
    seat = next((number for number, place in enumerate(table.seats) if place.person is not None), None)
    if played.first_position is None or table.result is None or table.ended_at is None or seat is None:
        raise NoDealResult
    position: rules.Position = played.first_position
    line: list[Turn] = []
    actions: list[str] = []
    goal = position.ruleset.route.goal

    def end_turn() -> None:
        home = position.pirates[seat].count(goal)
        spaces = rules.spaces_reached(position, seat)
        line.append(Turn(spaces, home, ", ".join(actions), position_digest(position, seat)))
        actions.clear()

    for move in played.moves:
        action = table.rules.action_from_json(move.entry.body["action"])
        position, events = table.rules.apply(position, move.entry.seat, action)
        if move.entry.seat == seat:
            actions.append(rules.action_to_text(action))
        if any(isinstance(event, TurnPassed) and event.seat == seat for event in events):
            end_turn()
    if actions and not position.resigned[seat]:
        end_turn()  # a winning turn ends without TurnPassed
    is_won = table.result["winner"] == seat
    spaces = rules.spaces_reached(position, seat)
    if is_won:
        score = len(line)
    elif table.result["winner"] is None or position.resigned[seat]:
        score = RESIGNED_SCORE
    else:
        score = (
            LOSS_BASE_SCORE + len(position.pirates[seat]) * (len(position.ruleset.route.symbols) + 1) - spaces
        )
    return DealResult(score, is_won, len(line), spaces, table.ended_at, tuple(line[:MAX_STORED_TURNS]))


def position_digest(position: rules.Position, seat: int) -> str:
    """Return a short digest of what the seat sees, without the order of the discards.

    The player can read it before the day is over, so hidden cards and tokens must not change it.
    """
    seen = (
        position.pirates,
        position.hands[seat],
        position.hand_sizes,
        position.row,
        position.sloop,
        sorted(position.tokens),
    )
    return hashlib.blake2s(repr(seen).encode(), digest_size=6).hexdigest()


def distribute_scores(counts: dict[int, int]) -> Distribution:
    """Return the distribution of a day's results, given how often each score occurs."""
    won = tuple(sorted((score, count) for score, count in counts.items() if score < LOSS_BASE_SCORE))
    given_up = sum(count for score, count in counts.items() if score >= RESIGNED_SCORE)
    return Distribution(won, sum(counts.values()) - sum(count for _, count in won) - given_up, given_up)


def rank_score(score: int, counts: dict[int, int]) -> Standing:
    """Return how a score compares with the other scores of its day, of which it is one."""
    worse = sum(count for other, count in counts.items() if other > score)
    return Standing(max(0, sum(counts.values()) - 1), worse, max(0, counts.get(score, 0) - 1))


class ComparedTurn(msgspec.Struct, frozen=True):
    """One of the player's turns, and how many other tries were behind, level, ahead and equal up to it."""

    spaces: int
    gained: int
    home: int
    behind: int
    level: int
    ahead: int
    same: int


class FirstDeviation(msgspec.Struct, frozen=True):
    """The first turn that fewer tries, one's own included, chose than another one.

    Only tries that were equal until then count.
    """

    turn: int
    others: int  # other tries that were equal until then
    usual: int  # how many of them then chose the most frequent turn
    played: str
    instead: str


class Comparison(msgspec.Struct, frozen=True):
    others: int
    turns: list[ComparedTurn]
    parting: FirstDeviation | None


def _find_deviation(number: int, mine: Turn, others: Sequence[Turn], count: int) -> FirstDeviation | None:
    """Return the deviation if more of the others chose another turn together than chose one's own, oneself included."""
    different = [turn for turn in others if not turn.is_same_as(mine)]
    company = len(others) - len(different) + 1
    ways = Counter(turn.position or turn.played for turn in different)
    way, usual = ways.most_common(1)[0] if ways else ("", 0)
    if usual <= company:
        return None
    instead = next(turn.played for turn in different if (turn.position or turn.played) == way)
    return FirstDeviation(number, count, usual, mine.played, instead)


def compare_turns(mine: Sequence[Turn], others: Sequence[Sequence[Turn]]) -> Comparison:
    """Compare one's own turns with those of all other tries."""
    same = [other for other in others if other]
    deviation: FirstDeviation | None = None
    turns: list[ComparedTurn] = []
    before = 0
    for number, turn in enumerate(mine):
        reached = [other[min(number, len(other) - 1)].spaces for other in others if other]
        following = [other[number] for other in same if number < len(other)]
        if len(same) >= MIN_COMPARED_TRIES and deviation is None:
            deviation = _find_deviation(number + 1, turn, following, len(same))
        same = [other for other in same if number < len(other) and other[number].is_same_as(turn)]
        turns.append(
            ComparedTurn(
                spaces=turn.spaces,
                gained=turn.spaces - before,
                home=turn.home,
                behind=sum(spaces < turn.spaces for spaces in reached),
                level=sum(spaces == turn.spaces for spaces in reached),
                ahead=sum(spaces > turn.spaces for spaces in reached),
                same=len(same),
            )
        )
        before = turn.spaces
    return Comparison(len(others), turns, deviation)


def turns_to_json(line: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return the player's own turns for the API."""
    return [{"spaces": turn.spaces, "home": turn.home, "played": turn.played} for turn in line]
