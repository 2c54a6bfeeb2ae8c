"""The cabin boy: plays as beginners do, forward with whatever comes, back only for want of cards."""

from __future__ import annotations

from app.bots.decision import Decision
from app.rules.core.action import Action, Advance, End, Retreat

__all__ = ["cabin_boy"]


def cabin_boy(decision: Decision) -> Action:
    """Likes to advance, its foremost pirates most; forgets to fetch cards until it has none left."""
    view = decision.sampler.view
    mine = view["players"][decision.seat]
    has_taken_all = view["turn"]["taken"] >= view["options"]["actions"]
    weights = [_liking(action, int(mine["cards"]), has_taken_all) for action in decision.listed]
    return decision.rng.choices(list(decision.listed), weights)[0]


def _liking(action: Action, cards: int, has_taken_all: bool) -> float:
    match action:
        case Advance(_, origin):
            foremost = 1.0 if isinstance(origin, str) else 1.0 + origin / 12
            return foremost if cards > 1 else foremost / 2
        case Retreat():
            return 4.0 if cards <= 1 else 0.5
        case End():
            return 10.0 if has_taken_all else 0.4
        case _:
            return 0.5
