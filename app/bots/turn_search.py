"""The turn search: every way a seat can play out its turn, each different end once.

Cards drawn from the deck stay unknown within the turn: they count for the hand's number, not for its
kinds. So a plan never rests on luck, and there is nothing to average. The engine keeps the true kinds in
the imagined position; `reveal` puts them into the hand when the turn is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app import rules
from app.bots.budget import Meter
from app.bots.evaluation import strength
from app.bots.owed import settle_all
from app.rules.actions import Action, Chest, End
from app.rules.movement import discard_card
from app.rules.position import Position

__all__ = ["Plan", "plans", "reveal", "step"]

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
        now = after.hands[seat]
        for kind, count in enumerate(hand):
            if now[kind] > count:
                now[kind] = count
    return after


def _open_unseen(after: Position, seat: int, action: Chest) -> None:
    """A chest brings what the tokens left bring on average; which one it is cannot be foreseen."""
    ruleset = after.ruleset
    place = ruleset.route.places[action.origin]
    tokens = [*after.chests.values(), *after.chests_aside]
    cards = sum(int(token) for token in tokens if token.isdigit()) / len(tokens)
    discard_card(after, seat, ruleset.kinds.numbers[action.card])
    after.taken += 1
    after.forced_passes = 0
    after.chests = {other: token for other, token in after.chests.items() if other != place}
    for _ in range(min(round(cards), len(after.deck))):
        after.deck.pop()
        after.held[seat] += 1


def reveal(position: Position, seat: int) -> None:
    """The unknown cards of the seat become what the imagined deck dealt: whatever is nowhere else."""
    missing = position.held[seat] - sum(position.hands[seat])
    if not missing:
        return
    pending = getattr(position.pending, "cards", ())
    hand = position.hands[seat]
    for kind, copies in enumerate(position.ruleset.kinds.copies):
        seen = sum(other[kind] for other in position.hands) + pending.count(kind)
        seen += position.deck.count(kind) + position.row.count(kind) + position.discard.count(kind)
        hand[kind] += copies - seen


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


def plans(
    position: Position,
    seat: int,
    weights: Sequence[float],
    width: int,
    meter: Meter,
    judge: Callable[[Position, int, Sequence[float]], float] = strength,
) -> list[Plan]:
    """The ends of the seat's turn, each with the best value it is known by, in no order.

    `width` is how many tables are followed after each action; what is worth least is dropped. A plan that
    wins is the only one returned.
    """
    found: list[Plan] = []
    frontier: list[tuple[Position, tuple[Action, ...]]] = [(position, ())]
    seen: set[tuple[object, ...]] = set()
    most = position.ruleset.actions
    while frontier:
        following: list[tuple[Position, tuple[Action, ...]]] = []
        for node, path in frontier:
            if node.taken >= most:
                found.append(Plan((*path, _END), node, judge(node, seat, weights)))
                continue
            for action in rules.legal(node, seat):
                if type(action) is End:
                    found.append(Plan((*path, _END), node, judge(node, seat, weights)))
                    continue
                after = step(node, seat, action)
                meter.nodes += 1
                if after.winner is not None:
                    if after.winner == seat:
                        return [Plan((*path, action), after, float("inf"))]
                    continue
                if after.seat != seat:
                    found.append(Plan((*path, action), after, judge(after, seat, weights)))
                    continue
                key = _key(after, seat)
                if key not in seen:
                    seen.add(key)
                    following.append((after, (*path, action)))
        if len(following) > width and following[0][0].taken < most:
            following.sort(key=lambda pair: -judge(pair[0], seat, weights))
            del following[width:]
        frontier = following
        if meter.is_spent() and found:
            break
    return found
