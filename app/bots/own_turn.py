"""The levels that search only their own turn (cabin boy, sailor, mate) and the yardstick.

The cabin boy plays like a beginner: it advances at random, retreats only when it needs cards, and forgets the sloop.

The sailor looks one action ahead and overvalues cards. With few cards in the supply it could draw and play the same
cards forever, so in a long game, or when another seat hoards cards, it searches whole turns as a mate does.

The mate searches its whole turn and takes the end with the best score for itself. It ignores what that end allows the
other seats.

The yardstick is a simple greedy player that the strong levels are measured against. It never changes, whatever the
evaluation learns.
"""

from __future__ import annotations

from app.bots.decision import Decision
from app.bots.evaluation import CERTAINTY, SCORE_UNIT
from app.bots.turn_search import Judge, foresee, plans
from app.rules.core.action import Action, Advance, End, Retreat
from app.rules.core.position import Position
from app.rules.modules.complete import Sail

_TOLERATED_LOSS = SCORE_UNIT * 15 // 100
"""Score that the sailor accepts to lose by an action before it prefers to end the turn."""
_CARD_BONUS = SCORE_UNIT // 8
"""Score by which the sailor overvalues a card."""
_LONG_GAME_TURNS = 25
"""Own turns after which a game counts as long. Nearly all games are over by then."""
_HOARD_CARDS = 20
"""Number of cards in another hand that counts as hoarding. The supply may soon run out then."""
_MATE_WIDTH = 12
"""Positions that a mate keeps after each action."""
_YARDSTICK_WIDTH = 60
_PLAIN_CARD_SCORE = 7


def cabin_boy(decision: Decision) -> Action:
    """Return a random action that prefers to advance, its foremost pirates most, until it runs out of cards."""
    view = decision.sampler.view
    mine = view["players"][decision.seat]
    has_taken_all = view["turn"]["taken"] >= view["options"]["actions"]
    weights = [_preference(action, int(mine["cards"]), has_taken_all) for action in decision.listed]
    return decision.rng.choices(list(decision.listed), weights)[0]


def _preference(action: Action, cards: int, has_taken_all: bool) -> float:
    match action:
        case Advance(_, origin):
            foremost = 1.0 if isinstance(origin, str) else 1.0 + origin / 12
            return foremost if cards > 1 else foremost / 2
        case Retreat():
            return 4.0 if cards <= 1 else 0.5
        case Sail():
            return 0.1
        case End():
            return 10.0 if has_taken_all else 0.4
        case _:
            return 0.5


def sailor(decision: Decision) -> Action:
    """Return the action with the best score right after it."""
    if decision.turns >= _LONG_GAME_TURNS or _is_hoarding(decision):
        return mate(decision)
    position = decision.sampler.sample(decision.rng)
    seat, evaluator = decision.seat, decision.evaluator()

    def score(candidate: Position) -> int:
        return evaluator.rough_score(candidate, seat) + _CARD_BONUS * candidate.hand_sizes[seat]

    now = score(position)
    best, best_value = decision.listed[-1], -(1 << 60)
    for action in decision.listed:
        if type(action) is End:
            if decision.must_move:
                continue
            value = now - _TOLERATED_LOSS
        else:
            after = foresee(position, seat, action)
            decision.meter.nodes += 1
            if after.winner is not None:
                value = CERTAINTY if after.winner == seat else -CERTAINTY
            else:
                value = score(after)
        if value > best_value:
            best, best_value = action, value
    return best


def _is_hoarding(decision: Decision) -> bool:
    players = decision.sampler.view["players"]
    return any(player["cards"] > _HOARD_CARDS for seat, player in enumerate(players) if seat != decision.seat)


def mate(decision: Decision) -> Action:
    """Return the first action of the turn with the best score for the seat itself."""
    evaluator = decision.evaluator()
    return _best_turn(decision, _MATE_WIDTH, evaluator.own_score, evaluator.rough_score)


def yardstick(decision: Decision) -> Action:
    """Return the first action of the turn with the best plain score."""
    return _best_turn(decision, _YARDSTICK_WIDTH, _plain_score, _plain_score)


def _best_turn(decision: Decision, width: int, judge: Judge, rough: Judge) -> Action:
    position = decision.sampler.sample(decision.rng)
    candidates = decision.drop_passes(plans(position, decision.seat, width, decision.meter, judge, rough))
    return max(candidates, key=lambda plan: plan.value).actions[0] if candidates else decision.listed[0]


def _plain_score(position: Position, seat: int) -> int:
    """Return the sum of the pirates' places plus seven for each card."""
    return sum(position.pirates[seat]) + _PLAIN_CARD_SCORE * position.hand_sizes[seat]
