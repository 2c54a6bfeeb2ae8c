"""The `choose` requests of `cartagena engine`. The bot receives only the seat's view of a position."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose
from app.bots.knowledge import Contradiction
from app.bots.levels import LEVELS, MAX_SECONDS, is_level
from app.rules import Json
from app.rules.core.position import Position

DEFAULT_LEVEL = "captain"
"""Level that answers a request without one."""


def choose_from_position(
    position: Position, seat: int, level: str, budget: Budget | None = None, rng: Random | None = None
) -> Json:
    """Return the action of a bot on the seat. Raise GameOver or NotYourTurn if the seat may not act."""
    _check_level(level)
    if position.winner is not None:
        raise rules.GameOver("won", "The game is over: nothing can be done any more.")
    if seat not in rules.seats_to_act(position):
        raise rules.NotYourTurn("no_action", "Seat {seat} may not act now.", seat=seat)
    actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
    return choose(
        rules.view(position, seat),
        actions,
        (),
        level,
        budget or Budget(seconds=MAX_SECONDS[level]),
        rng or Random(),
        seat=seat,
    )


def choose_from_view(
    view: Json,
    seat: int,
    actions: Sequence[Json],
    history: Sequence[Json],
    level: str = DEFAULT_LEVEL,
    budget: Budget | None = None,
    rng: Random | None = None,
) -> Json:
    """Return the action of a bot that receives the input of a third-party bot. Raise BadPosition for a bad view."""
    _check_level(level)
    _check_view(view, seat, actions, history)
    try:
        return choose(
            view,
            actions,
            history,
            level,
            budget or Budget(seconds=MAX_SECONDS[level]),
            rng or Random(),
            seat=seat,
        )
    except Contradiction as error:
        raise rules.BadPosition("No deal of the cards fits this view.") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        # The view is untrusted and, unlike a position, not checked field by field.
        raise rules.BadPosition(f"This is not a view of a running game: {error!r}.") from error


def _check_level(level: object) -> None:
    if not is_level(level):
        raise rules.BadAction("level", "The bots are {levels}.", levels=", ".join(LEVELS))


def _check_view(view: object, seat: object, actions: object, history: object) -> None:
    if not isinstance(view, dict) or not isinstance(view.get("players"), list):
        raise rules.BadPosition("A view is an object as docs/interchange.md describes it.")
    if type(seat) is not int or not 0 <= seat < len(view["players"]):
        raise rules.BadSeat(
            "no_such_seat", "The seats at this table are numbered from 0 to {n}.", n=len(view["players"]) - 1
        )
    if not isinstance(actions, list) or not all(isinstance(action, dict) for action in actions):
        raise rules.BadAction("actions", "The legal actions are a list of objects.")
    if not actions:
        raise rules.NotYourTurn("no_action", "The list of legal actions is empty: this seat may not act now.")
    if not isinstance(history, list) or not all(isinstance(event, dict) for event in history):
        raise rules.BadAction("history", "The history is a list of events.")
