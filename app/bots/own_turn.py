"""The levels that look no further than their own turn: cabin boy, sailor and mate; and the yardstick.

The cabin boy plays as beginners do: forward with whatever comes, back only for want of cards.

The sailor looks one action ahead and takes what looks best at once. So a card fetched is worth the way back for
it, and spending it is worth the way forward: with few cards left that goes round in circles, for ever if somebody
else keeps all the others. A sailor whose game drags on begins to plan whole turns as a mate does, and brings it
to an end.

The mate plays out its whole turn in its head, in the likely ways, and takes the best end.

The yardstick is the plain greedy own-turn player that the strong levels are measured against; it stays
as it is, whatever the evaluation learns.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.bots.decision import Decision
from app.bots.evaluation import rough_strength
from app.bots.turn_search import Judge, plans, step
from app.rules.core.action import Action, Advance, End, Retreat
from app.rules.core.position import Position

_TOLERATED_LOSS = 0.15
"""An action must not cost more than this, or the sailor ends the turn where that is allowed."""
_DRAGGING = 25
"""Turns of its own after which a game drags on; nearly all are over by then."""
_HOARD = 20
"""More cards than anybody needs who wants to get home: there may soon be none for the others."""
_WIDTH = 15
"""Tables followed after each action: the most promising ones. All of them would make a mate that a captain
beats in only 65 of 100 games where hands are hidden; with fifteen it is 72, and a sailor loses 80."""
_PLAIN_WIDTH = 60
_PLAIN_CARD = 7.0


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


def mate(decision: Decision) -> Action:
    position = decision.sampler.sample(decision.rng)
    return _best_turn(decision, position, decision.weights(position), _WIDTH, rough_strength)


def yardstick(decision: Decision) -> Action:
    return _best_turn(decision, decision.sampler.sample(decision.rng), (), _PLAIN_WIDTH, _plain_worth)


def _best_turn(
    decision: Decision, position: Position, weights: Sequence[float], width: int, judge: Judge
) -> Action:
    found = decision.worth_trying(
        plans(position, decision.seat, weights, width, decision.meter, judge, judge)
    )
    return max(found, key=lambda plan: plan.value).actions[0] if found else decision.listed[0]


def _plain_worth(position: Position, seat: int, weights: Sequence[float]) -> float:
    """Spaces gone, and seven for a card."""
    return sum(position.pirates[seat]) + _PLAIN_CARD * position.held[seat]
