"""Reasons for the answer to a pending choice: what the cards kept can do that those of the runner-up cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.bots.evaluation import Evaluator
from app.bots.measures import longest_jump
from app.bots.pending_choice import answer_value, card_values
from app.bots.reasons import Reason
from app.rules.core.action import Action
from app.rules.core.position import Position
from app.rules.modules.black_magic.lantern import Stack
from app.rules.modules.black_magic.pistol import Steal
from app.rules.modules.black_magic.rum import Share
from app.rules.modules.scoundrels import Discard

__all__ = ["explain_answer", "find_rival_hand", "hand_after"]

_Hand = tuple[int, ...]
"""The number of cards of each kind."""


@dataclass(frozen=True, slots=True)
class _Feature:
    why: str
    value: int
    worth: float


def hand_after(position: Position, seat: int, action: Action) -> _Hand:
    """Return the hand of the seat after an answer."""
    numbers = position.ruleset.kinds.by_name
    hand = list(position.hands[seat])
    match action:
        case Steal(card):
            hand[numbers[card]] += 1
        case Stack(keep, _):
            hand[numbers[keep]] += 1
        case Share(keep, _):
            for card in keep:
                hand[numbers[card]] += 1
        case Discard(cards):
            for card in cards:
                hand[numbers[card]] -= 1
        case _:
            raise TypeError(f"{action.type} is not an answer")
    return tuple(hand)


def find_rival_hand(position: Position, seat: int, listed: Sequence[Action], chosen: Action) -> _Hand | None:
    """Return the hand after the second best answer; None if every answer leaves the same hand."""
    own = hand_after(position, seat, chosen)
    if isinstance(chosen, Discard):
        return _best_other_discard(position, seat, own)
    values = card_values(position, seat)
    others = [action for action in listed if hand_after(position, seat, action) != own]
    if not others:
        return None
    best = max(others, key=lambda action: answer_value(position, seat, action, values))
    return hand_after(position, seat, best)


def _best_other_discard(position: Position, seat: int, own: _Hand) -> _Hand | None:
    """Return the best hand that keeps one of the cards discarded instead of another."""
    evaluator = Evaluator(position.ruleset, seat)
    held = position.hands[seat]
    best: _Hand | None = None
    most = 0
    for back in range(len(own)):
        for away in range(len(own)):
            if back == away or own[back] == held[back] or not own[away]:
                continue
            swapped = list(own)
            swapped[back] += 1
            swapped[away] -= 1
            twin = position.copy()
            twin.hands[seat] = bytearray(swapped)
            twin.hand_sizes[seat] = sum(swapped)
            value = evaluator.own_score(twin, seat)
            if best is None or value > most:
                best, most = tuple(swapped), value
    return best


def explain_answer(position: Position, seat: int, listed: Sequence[Action], chosen: Action) -> Reason:
    """Return the most important reason that holds for the answer and not for the runner-up."""
    rival = find_rival_hand(position, seat, listed, chosen)
    if rival is None:
        return Reason("keeps_best")
    best, most = Reason("keeps_best"), 0.0
    for mine, others in zip(
        _features(position, seat, hand_after(position, seat, chosen)),
        _features(position, seat, rival),
        strict=True,
    ):
        worth = (mine.value - others.value) * mine.worth
        if worth > most:
            best, most = Reason(mine.why, {"n": mine.value, "other": others.value}), worth
    return best


def _features(position: Position, seat: int, hand: _Hand) -> list[_Feature]:
    """Return what a hand can do: the jumps of its cards, its symbols, and its dark cards."""
    kinds = position.ruleset.kinds
    held = [(kinds.symbol[kind], count) for kind, count in enumerate(hand) if count]
    jumps = [(longest_jump(position, seat, (symbol,)), count) for symbol, count in held]
    return [
        _Feature("jump_left", max((length for length, _ in jumps), default=0), 0.6),
        _Feature("variety", len({symbol for symbol, _ in held}), 2.5),
        _Feature("reach", sum(length * count for length, count in jumps), 0.5),
        _Feature("dark_left", sum(count for kind, count in enumerate(hand) if kinds.dark[kind]), 2),
    ]
