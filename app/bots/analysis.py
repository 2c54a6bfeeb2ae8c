"""Analysis of a position with all hands face up: every seat's chance to win, and the best turns of the seat to play."""

from __future__ import annotations

from collections.abc import Sequence

from app import rules
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.ranking import rank_turns
from app.bots.review import events_of_turn
from app.bots.sampling import PositionSampler
from app.rules import Json

__all__ = ["analyse", "hide_draws", "rounded_chances"]

MAX_TURNS = 3


def analyse(code: str) -> Json:
    """Return the analysis of a position code as JSON. The same code always has the same analysis.

    `chances` assumes that the best turn is played. A turn has its actions, the events that it shows (cards from the
    deck are not named, because the deck's order is unknown) and the chances after it.
    """
    position = rules.position_from_code(code)
    seat = position.turn_seat
    sampler = PositionSampler(rules.open_view(position), seat, [])
    turns = [
        {
            "actions": [rules.action_to_json(action) for action in turn.actions],
            "events": hide_draws(events_of_turn(position, turn.actions)),
            "chances": rounded_chances(turn.chances),
        }
        for turn in rank_turns(sampler, seat, code)[:MAX_TURNS]
    ]
    return {
        "seat": seat,
        "chances": turns[0]["chances"]
        if turns
        else rounded_chances(Evaluator(position.ruleset).chances(position)),
        "turns": turns,
    }


def rounded_chances(chances: Sequence[int]) -> list[float]:
    """Return chances as numbers from 0 to 1."""
    return [round(chance / CERTAINTY, 4) for chance in chances]


def hide_draws(events: list[Json]) -> list[Json]:
    """Return the events of a turn without the names of cards that come from the deck, also by way of a new row."""
    shown: list[Json] = []
    is_row_known = True
    for event in events:
        if event["type"] == "row_laid":
            is_row_known = False
        elif event["type"] == "cards_drawn" and (event["source"] == "deck" or not is_row_known):
            shown.append({**event, "cards": None})
        else:
            shown.append(event)
    return shown
