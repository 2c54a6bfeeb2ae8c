"""Search over the ways a seat can play its turn.

Cards drawn from the deck stay unknown within the turn: they count in the hand size but have no kind. So a plan never
depends on luck, and there is nothing to average. The cards of a new row are unknown, too, and stay on the deck. When
the turn is over, `reveal` lays the row and gives the cards their kinds, taken from the sampled position.
"""

from __future__ import annotations

from collections.abc import Callable

from app import rules
from app.bots.budget import Meter
from app.bots.evaluation import CERTAINTY
from app.bots.pending_choice import settle_all
from app.rules.core.action import Action, End
from app.rules.core.movement import discard_card
from app.rules.core.position import Position
from app.rules.modules.black_magic.chest import OpenChest

_END = End()


class Plan:
    """A way to play the turn: its actions, the position after them and its value."""

    __slots__ = ("actions", "after", "value")

    def __init__(self, actions: tuple[Action, ...], after: Position, value: int) -> None:
        self.actions = actions
        self.after = after
        self.value = value


def foresee(position: Position, seat: int, action: Action) -> Position:
    """Return the position after an action, as far as the seat can foresee it."""
    after = position.copy()
    if type(action) is OpenChest:
        _open_unknown_chest(after, seat, action)
        return after
    hand = after.hands[seat][:]
    before = after.hand_sizes[seat]
    rules.apply_in_place(after, seat, action)
    if after.pending is not None:
        settle_all(after)
    if after.winner is not None:
        return after
    if after.ruleset.has_row:
        _hide_new_cards(position, after, seat)
    elif after.hand_sizes[seat] >= before:
        # The seat cannot foresee cards from the deck or another hand, so they become unknown.
        _hide_others(after, seat, hand)
    return after


def _hide_others(position: Position, seat: int, known: bytearray) -> None:
    """Make the cards of the seat unknown in place, except those that are known."""
    hand = position.hands[seat] = position.hands[seat][:]
    for kind, count in enumerate(known):
        if hand[kind] > count:
            hand[kind] = count


def _hide_new_cards(before: Position, after: Position, seat: int) -> None:
    """With a face-up row, make the cards that came from the deck unknown in place.

    A new row goes back on top of the deck, so that further draws take its cards, which are unknown, too.
    """
    if after.deck == before.deck and after.shuffles == before.shuffles:
        return
    known = before.hands[seat][:]
    if after.row != before.row:
        for kind in before.row:
            known[kind] += 1
        after.deck += after.row[::-1]
        after.row = b""
    _hide_others(after, seat, known)


def _open_unknown_chest(after: Position, seat: int, action: OpenChest) -> None:
    """Open a chest in place, with the average number of cards of the tokens left, since the token is unknown."""
    ruleset = after.ruleset
    place = ruleset.route.places[action.origin]
    tokens = [*after.tokens.values(), *after.tokens_aside]
    cards = sum(int(token) for token in tokens if token.isdigit()) / len(tokens)
    discard_card(after, seat, ruleset.kinds.by_name[action.card])
    after.actions_taken += 1
    after.forced_passes = 0
    after.tokens = {other: token for other, token in after.tokens.items() if other != place}
    drawn = min(round(cards), len(after.deck))
    after.deck = after.deck[: len(after.deck) - drawn]
    after.hand_sizes[seat] += drawn


def reveal(position: Position, seat: int) -> None:
    """Lay the new row and give the unknown cards of the seat their kinds in place.

    These are the cards of the full set that are nowhere else.
    """
    missing = position.hand_sizes[seat] - sum(position.hands[seat])
    if position.ruleset.has_row and not position.row:
        size = position.options.row_size
        size -= missing % size  # cards of the new row that were drawn
        position.row, position.deck = position.deck[: -size - 1 : -1], position.deck[:-size]
    if not missing:
        return
    pending = () if position.pending is None else position.pending.choice_cards
    hand = position.hands[seat][:]
    for kind, copies in enumerate(position.ruleset.kinds.copies):
        seen = sum(other[kind] for other in position.hands) + pending.count(kind)
        seen += position.deck.count(kind) + position.row.count(kind) + position.discard.count(kind)
        hand[kind] += copies - seen
    position.hands[seat] = hand


def _state_key(position: Position, seat: int) -> tuple[object, ...]:
    return (
        *map(tuple, position.pirates),
        bytes(position.hands[seat]),
        position.hand_sizes[seat],
        position.actions_taken,
        position.captain_used,
        position.sloop,
        len(position.discard),
    )


Judge = Callable[[Position, int], int]
"""judge(position, seat): return the value of the position for the seat."""


def plans(position: Position, seat: int, width: int, meter: Meter, judge: Judge, rough: Judge) -> list[Plan]:
    """Return plans for the seat's turn, one for each distinct end, in no particular order.

    After each action the search keeps the `width` positions that `rough` rates best; of the ends, `judge` rates three
    times as many. A winning plan is returned alone.
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
                is_late = True  # from here on only the most promising position is played to an end
                break
            for action in rules.legal(node, seat):
                if type(action) is End:
                    ends.append((node, (*path, _END)))
                    continue
                after = foresee(node, seat, action)
                meter.nodes += 1
                if after.winner is not None:
                    if after.winner == seat:
                        return [Plan((*path, action), after, CERTAINTY)]
                    continue
                if after.turn_seat != seat:
                    ends.append((after, (*path, action)))
                    continue
                key = _state_key(after, seat)
                if key not in seen:
                    seen.add(key)
                    if after.actions_taken >= most:
                        ends.append((after, (*path, action, _END)))
                    else:
                        following.append((after, (*path, action)))
        if is_late:
            following = [] if ends else following[:1]
        elif len(following) > width:
            following.sort(key=lambda pair: -rough(pair[0], seat))
            del following[width:]
        frontier = following
    if len(ends) > 3 * width:
        ends.sort(key=lambda pair: -rough(pair[0], seat))
        del ends[3 * width :]
    return [Plan(path, after, judge(after, seat)) for after, path in ends]
