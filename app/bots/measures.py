"""Measures of a turn: numbers that it reaches, such as the cards it draws or the longest jump that it leaves to others.

Measures use positions as the seat foresees them (`foresee`), where cards drawn are unknown, and never other hands.
Reasons for turns and actions (app/bots/reasons.py) compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.bots.turn_search import foresee
from app.rules import Json
from app.rules.core.action import Action, Advance, Draw, End, Retreat
from app.rules.core.movement import company_flags, find_landing, find_retreat_target
from app.rules.core.position import CARTAGENA, TORTUGA, Position
from app.rules.core.route import SYMBOL_COUNT
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import MoveWithMorgan

__all__ = ["MEASURES", "MOVES", "POWERS", "SPACES", "Measure", "Turn", "follow", "jump_of", "longest_jump"]

MOVES = (Advance, AdvanceWithParrots, AdvanceWithHook)
"""Actions by which a pirate jumps."""
POWERS = {"pistol": "aims", "rum": "rum", "lantern": "lantern", "chest": "chest"}
"""Codes of the reasons for playing a power, by the power's symbol."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The rest of a turn: its actions and the position before and after each of them."""

    seat: int
    actions: tuple[Action, ...]
    positions: tuple[Position, ...]

    @property
    def before(self) -> Position:
        return self.positions[0]

    @property
    def end(self) -> Position:
        return self.positions[-1]

    @property
    def steps(self) -> list[tuple[Action, Position, Position]]:
        """Return each action with the positions before and after it."""
        return list(zip(self.actions, self.positions, self.positions[1:], strict=False))

    def first_step(self) -> Turn:
        """Return the turn up to its first action."""
        return Turn(self.seat, self.actions[:1], self.positions[:2])


def follow(position: Position, seat: int, actions: Sequence[Action]) -> Turn:
    """Return a turn as the seat foresees it. The end of the turn is not played, as in a Plan.

    The turn stops where a new row is laid, because the seat does not know its cards.
    """
    played: list[Action] = []
    positions = [position]
    for action in actions:
        if type(action) is End:
            break
        before = positions[-1]
        after = foresee(before, seat, action)
        played.append(action)
        positions.append(after)
        if after.ruleset.has_row and not after.row:
            break
    return Turn(seat, tuple(played), tuple(positions))


def longest_jump(position: Position, owner: int, symbols: Sequence[int]) -> int:
    """Return the longest jump of any pirate of the owner by a card of one of the symbols; 0 if there is none."""
    places = dict.fromkeys(position.pirates[owner])
    origins = [place for place in places if place != position.ruleset.route.goal]
    return max(
        0,
        *(find_landing(position, owner, symbol, place) - place for symbol in symbols for place in origins),
        0,
    )


def _held_symbols(position: Position, owner: int) -> list[int]:
    kinds = position.ruleset.kinds
    return sorted({kinds.symbol[kind] for kind, count in enumerate(position.hands[owner]) if count > 0})


def _best_retreat(position: Position, owner: int) -> int:
    """Return the most cards that a retreat of the owner could draw."""
    if position.options.card_gain == "morgan":
        return 0
    company = company_flags(position)
    found = [find_retreat_target(position, place, company) for place in set(position.pirates[owner])]
    return max((position.occupancy[target] for target in found if target > 0), default=0)


def _others(position: Position, seat: int) -> list[int]:
    return [other for other in position.active_seats if other != seat]


def _pirates_home(turn: Turn) -> int:
    goal = turn.end.ruleset.route.goal
    return turn.end.pirates[turn.seat].count(goal) - turn.before.pirates[turn.seat].count(goal)


def _pirates_out(turn: Turn) -> int:
    return turn.before.pirates[turn.seat].count(0) - turn.end.pirates[turn.seat].count(0)


def _cards_drawn(turn: Turn) -> int:
    """Return the cards drawn by retreats, relief and Morgan; those of powers are uncertain."""
    return sum(
        after.hand_sizes[turn.seat] - before.hand_sizes[turn.seat]
        for action, before, after in turn.steps
        if isinstance(action, Retreat | Draw | MoveWithMorgan)
    )


def _spaces(turn: Turn) -> int:
    return sum(turn.end.pirates[turn.seat]) - sum(turn.before.pirates[turn.seat])


def _spaces_lost(turn: Turn) -> int | None:
    """Return minus the number of spaces that the turn loses, or None if it gains some."""
    gained = _spaces(turn)
    return None if gained > 0 else gained


def jump_of(turn: Turn) -> int:
    """Return the longest jump of the turn."""
    lengths = [0]
    for action, before, after in turn.steps:
        if isinstance(action, MOVES):
            length = sum(after.pirates[turn.seat]) - sum(before.pirates[turn.seat])
            lengths.append(length // 2 if isinstance(action, AdvanceWithHook) else length)
    return max(lengths)


def _last_pirate(turn: Turn) -> int:
    return turn.end.pirates[turn.seat][0] - turn.before.pirates[turn.seat][0]


def _cards_held(turn: Turn) -> int | None:
    is_uncertain = any(action.type == "chest" for action in turn.actions)
    return None if is_uncertain else turn.end.hand_sizes[turn.seat]


def _retreat_left(turn: Turn) -> int:
    return _best_retreat(turn.end, turn.seat)


def _jump_left(turn: Turn) -> int:
    return longest_jump(turn.end, turn.seat, _held_symbols(turn.end, turn.seat))


def _retreats_left(turn: Turn) -> int:
    """Return the number of pirates that can retreat after the turn."""
    end = turn.end
    if end.options.card_gain == "morgan":
        return 0
    company = company_flags(end)
    return sum(find_retreat_target(end, place, company) > 0 for place in end.pirates[turn.seat])


def _reach_left(turn: Turn) -> int:
    """Return the sum of the longest jumps of the cards that are left and known."""
    end, seat = turn.end, turn.seat
    kinds = end.ruleset.kinds
    return sum(
        count * longest_jump(end, seat, (kinds.symbol[kind],))
        for kind, count in enumerate(end.hands[seat])
        if count > 0
    )


def _last_jump_left(turn: Turn) -> int:
    """Return the longest jump that the last pirate can make with the cards that are left and known."""
    end, seat = turn.end, turn.seat
    last = end.pirates[seat][0]
    if last == end.ruleset.route.goal:
        return 0
    return max(0, *(find_landing(end, seat, symbol, last) - last for symbol in _held_symbols(end, seat)), 0)


def _rear_pirates(turn: Turn) -> int:
    """Return how many spaces the rear half of the pirates gets forward."""
    half = (len(turn.end.pirates[turn.seat]) + 1) // 2
    return sum(turn.end.pirates[turn.seat][:half]) - sum(turn.before.pirates[turn.seat][:half])


def _copies_held(turn: Turn) -> int | None:
    """Return how many cards with the symbol of the first card played the seat holds; None if it plays none."""
    cards = turn.actions[0].cards_played() if turn.actions else []
    if not cards:
        return None
    kinds = turn.before.ruleset.kinds
    symbol = kinds.symbol[kinds.by_name[cards[0]]]
    return sum(turn.before.hands[turn.seat][kind] for kind in kinds.by_symbol[symbol])


def _spaces_given(turn: Turn) -> int:
    """Return minus the number of spaces that the turn moves pirates of other seats forward."""
    others = _others(turn.end, turn.seat)
    return -sum(sum(turn.end.pirates[other]) - sum(turn.before.pirates[other]) for other in others)


def _spaces_given_to_leader(turn: Turn) -> int:
    """Return minus the number of spaces that the turn moves the pirates of the leading other seat forward."""
    before = turn.before.pirates
    others = _others(turn.end, turn.seat)
    most = max((sum(before[other]) for other in others), default=0)
    gains = [sum(turn.end.pirates[other]) - most for other in others if sum(before[other]) == most]
    return -max(gains, default=0)


def _variety(turn: Turn) -> int:
    return len(_held_symbols(turn.end, turn.seat))


def _jump_denied(turn: Turn) -> int:
    """Return minus the longest jump that the other seats could make after the turn, with any card."""
    end = turn.end
    jumps = [longest_jump(end, other, range(SYMBOL_COUNT)) for other in _others(end, turn.seat)]
    return -max(jumps, default=0)


def _retreat_denied(turn: Turn) -> int:
    return -max((_best_retreat(turn.end, other) for other in _others(turn.end, turn.seat)), default=0)


def _aboard(turn: Turn) -> int:
    sloop = turn.end.ruleset.route.sloop
    return turn.end.pirates[turn.seat].count(sloop) if sloop >= 0 else 0


def _ferried(turn: Turn) -> int:
    """Return the number of pirates that the turn takes across to Tortuga on the sloop."""
    return sum(
        before.pirates[turn.seat].count(before.ruleset.route.sloop)
        for action, before, after in turn.steps
        if isinstance(action, Sail) and after.sloop == TORTUGA
    )


def _fetched(turn: Turn) -> int:
    """Return whether the turn brings the sloop back to Cartagena and leaves it there."""
    return int(turn.before.sloop == TORTUGA and turn.end.sloop == CARTAGENA)


def _discarded_by_others(turn: Turn) -> int:
    """Return the number of cards that dark cards make the other seats discard."""
    return sum(
        max(0, before.hand_sizes[other] - after.hand_sizes[other])
        for action, before, after in turn.steps
        if action.type != "pistol" and any(card.endswith("*") for card in action.cards_played())
        for other in _others(after, turn.seat)
    )


def _plays_power(symbol: str) -> Callable[[Turn], int]:
    def has_played(turn: Turn) -> int:
        return int(any(action.type == symbol for action in turn.actions))

    return has_played


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a turn reaches; more is better."""

    why: str
    """Code of the reason for a single action, or for both."""
    value: Callable[[Turn], int | None]
    """Return the number, or None if the turn does not determine it."""
    worth: float
    """What one more is worth, in spaces."""
    why_turn: str = ""
    """Code of the reason if it takes more than the first action to reach the number."""
    at_least: int = 1
    """Least value for which there is a reason."""
    is_of_action: bool = False
    """Whether the measure is about the first action only."""
    is_gain: bool = False
    """Whether each action of the turn adds to the number, so that an action may add nothing."""

    def to_params(self, reached: int, other: int) -> Json:
        """Return the numbers of the reason. A measure that counts something bad is negative; its numbers are not."""
        sign = -1 if self.at_least < 0 else 1
        return {"n": sign * reached, "other": sign * other}


SPACES = Measure("spaces", _spaces, 0.9, is_gain=True)

MEASURES: tuple[Measure, ...] = (
    Measure("home", _pirates_home, 10, "home_turn", is_gain=True),
    Measure("out", _pirates_out, 6, "out_turn", is_gain=True),
    Measure("draws", _cards_drawn, 7, "draws_turn", is_gain=True),
    Measure("jump", jump_of, 0.6, "jump_turn"),
    SPACES,
    Measure("loses_little", _spaces_lost, 0.9, at_least=-1000),
    Measure("last", _last_pirate, 0.8, is_gain=True),
    Measure("saves", _cards_held, 6),
    Measure("company", _retreat_left, 4, "company_turn"),
    Measure("jump_left", _jump_left, 0.4, "jump_left_turn"),
    Measure("retreats_left", _retreats_left, 1.5, "retreats_left_turn"),
    Measure("last_jump_left", _last_jump_left, 0.4, "last_jump_left_turn"),
    Measure("reach", _reach_left, 0.15, "reach_turn"),
    Measure("rear", _rear_pirates, 0.5, is_gain=True),
    Measure("copies", _copies_held, 0.3, at_least=2, is_of_action=True),
    Measure("gives_little", _spaces_given, 0.4, at_least=-1000),
    Measure("spares_leader", _spaces_given_to_leader, 0.6, at_least=-1000),
    Measure("variety", _variety, 2.5),
    Measure("denies_jump", _jump_denied, 0.5, "denies_jump_turn", at_least=-1000),
    Measure("denies_retreat", _retreat_denied, 3, "denies_retreat_turn", at_least=-1),
    Measure("aboard", _aboard, 5, "aboard_turn"),
    Measure("ferries", _ferried, 6, is_gain=True),
    Measure("fetches", _fetched, 4),
    Measure("dark", _discarded_by_others, 5, "dark_turn"),
    *(Measure(why, _plays_power(symbol), 8) for symbol, why in POWERS.items()),
)
"""All measures. Their worth is about what the evaluation gives for them in the middle of a game."""
