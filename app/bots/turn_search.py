"""The turn search: every way a seat can play out its turn, each different end once.

Cards drawn from the deck stay unknown within the turn: they count for the hand's number, not for its
kinds. So a plan never rests on luck, and there is nothing to average. The engine keeps the true kinds in
the imagined position; `reveal` puts them into the hand when the turn is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app import rules
from app.bots.budget import Meter
from app.bots.evaluation import rough_strength, strength
from app.bots.owed import settle_all
from app.rules.core.action import Action, End
from app.rules.core.movement import discard_card
from app.rules.core.position import Position
from app.rules.modules.black_magic.chest import Chest

_END = End()


class Plan:
    """A way to play out the turn: its actions, the table after them, and what that is worth."""

    __slots__ = ("actions", "after", "value")

    def __init__(self, actions: tuple[Action, ...], after: Position, value: float) -> None:
        self.actions = actions
        self.after = after
        self.value = value


def step(position: Position, seat: int, action: Action) -> Position:
    """The position after an action of the seat, as far as the seat can foresee it."""
    after = position.copy()
    if type(action) is Chest:
        _open_unseen(after, seat, action)
        return after
    hand = after.hands[seat][:]
    is_deck = not after.ruleset.has_row
    before = after.held[seat]
    rules.play(after, seat, action)
    if after.pending is not None:
        settle_all(after)
    if is_deck and after.held[seat] >= before and after.winner is None:
        # Nothing that came from the deck (or another hand) is known beforehand.
        now = after.hands[seat] = after.hands[seat][:]
        for kind, count in enumerate(hand):
            if now[kind] > count:
                now[kind] = count
    return after


def _open_unseen(after: Position, seat: int, action: Chest) -> None:
    """A chest brings what the tokens left bring on average; which one it is cannot be foreseen."""
    ruleset = after.ruleset
    place = ruleset.route.places[action.origin]
    tokens = [*after.tokens.values(), *after.tokens_aside]
    cards = sum(int(token) for token in tokens if token.isdigit()) / len(tokens)
    discard_card(after, seat, ruleset.kinds.numbers[action.card])
    after.taken += 1
    after.forced_passes = 0
    after.tokens = {other: token for other, token in after.tokens.items() if other != place}
    drawn = min(round(cards), len(after.deck))
    after.deck = after.deck[: len(after.deck) - drawn]
    after.held[seat] += drawn


def reveal(position: Position, seat: int) -> None:
    """The unknown cards of the seat become what the imagined deck dealt: whatever is nowhere else."""
    missing = position.held[seat] - sum(position.hands[seat])
    if not missing:
        return
    pending = () if position.pending is None else position.pending.choice_cards
    hand = position.hands[seat][:]
    for kind, copies in enumerate(position.ruleset.kinds.copies):
        seen = sum(other[kind] for other in position.hands) + pending.count(kind)
        seen += position.deck.count(kind) + position.row.count(kind) + position.discard.count(kind)
        hand[kind] += copies - seen
    position.hands[seat] = hand


def _key(position: Position, seat: int) -> tuple[object, ...]:
    return (
        *map(tuple, position.pirates),
        bytes(position.hands[seat]),
        position.held[seat],
        position.taken,
        position.captain_used,
        position.sloop,
        len(position.discard),
    )


Judge = Callable[[Position, int, Sequence[float]], float]


def plans(
    position: Position,
    seat: int,
    weights: Sequence[float],
    width: int,
    meter: Meter,
    judge: Judge = strength,
    rough: Judge = rough_strength,
) -> list[Plan]:
    """The ends of the seat's turn, each different one once, in no order.

    `width` is how many tables are followed after each action: those that look best at a rough glance. Of
    the ends, too, only what looks good roughly is judged in full. A plan that wins is the only one returned.
    """
    ends: list[tuple[Position, tuple[Action, ...]]] = []
    frontier: list[tuple[Position, tuple[Action, ...]]] = [(position, ())]
    seen: set[tuple[object, ...]] = set()
    most = position.ruleset.actions
    is_late = False
    while frontier:
        following: list[tuple[Position, tuple[Action, ...]]] = []
        for node, path in frontier:
            if (ends or following) and meter.is_spent():
                is_late = True  # only the most promising table is still played out to an end
                break
            for action in rules.legal(node, seat):
                if type(action) is End:
                    ends.append((node, (*path, _END)))
                    continue
                after = step(node, seat, action)
                meter.nodes += 1
                if after.winner is not None:
                    if after.winner == seat:
                        return [Plan((*path, action), after, float("inf"))]
                    continue
                if after.seat != seat:
                    ends.append((after, (*path, action)))
                    continue
                key = _key(after, seat)
                if key not in seen:
                    seen.add(key)
                    if after.taken >= most:
                        ends.append((after, (*path, action, _END)))
                    else:
                        following.append((after, (*path, action)))
        if is_late:
            following = [] if ends else following[:1]
        elif len(following) > width:
            following.sort(key=lambda pair: -rough(pair[0], seat, weights))
            del following[width:]
        frontier = following
    if len(ends) > 3 * width:
        ends.sort(key=lambda pair: -rough(pair[0], seat, weights))
        del ends[3 * width :]
    return [Plan(path, after, judge(after, seat, weights)) for after, path in ends]
