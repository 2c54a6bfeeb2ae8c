"""The sailor: looks one action ahead and takes what looks best at once.

One action ahead, a card fetched is worth the way back for it, and spending it is worth the way forward: with
few cards left that goes round in circles, for ever if somebody else keeps all the others. So a sailor whose
game drags on begins to plan whole turns as a mate does, and brings it to an end.
"""

from __future__ import annotations

from app.bots.decision import Decision
from app.bots.evaluation import rough_strength
from app.bots.mate import mate
from app.bots.turn_search import step
from app.rules.core.action import Action, End

__all__ = ["sailor"]

_TOLERATED_LOSS = 0.15
"""An action must not cost more than this, or the sailor ends the turn where that is allowed."""


_DRAGGING = 25
"""Turns of its own after which a game drags on; nearly all are over by then."""
_HOARD = 20
"""More cards than anybody needs who wants to get home: there may soon be none for the others."""


def sailor(decision: Decision) -> Action:
    if decision.turns >= _DRAGGING or _is_hoarding(decision):
        return mate(decision)
    position = decision.sampler.sample(decision.rng)
    seat = decision.seat
    weights = decision.weights(position)
    now = rough_strength(position, seat, weights)
    best, best_value = decision.listed[-1], float("-inf")
    for action in decision.listed:
        if type(action) is End and decision.must_move:
            continue
        if type(action) is End:
            value = now - _TOLERATED_LOSS
        else:
            after = step(position, seat, action)
            decision.meter.nodes += 1
            if after.winner is not None:
                value = float("inf") if after.winner == seat else float("-inf")
            else:
                value = rough_strength(after, seat, weights) - weights[-1] * ((after.seat == seat) - 1)
        if value > best_value:
            best, best_value = action, value
    return best


def _is_hoarding(decision: Decision) -> bool:
    players = decision.sampler.view["players"]
    return any(player["cards"] > _HOARD for seat, player in enumerate(players) if seat != decision.seat)
