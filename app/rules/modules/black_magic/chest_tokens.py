"""The eight chest tokens: laying them face down on the chest spaces, and their JSON."""

from __future__ import annotations

from collections import Counter

from app.rules.core import Json
from app.rules.core.chance import shuffle
from app.rules.core.errors import BadPosition
from app.rules.core.position import ModuleState, Position
from app.rules.core.route import Route

CHEST_TOKENS = ("1", "1", "2", "2", "3", "3", "empty", "snake")
_TOKEN_COUNTS = Counter(CHEST_TOKENS)


def chest_places(route: Route) -> list[int]:
    """Return the places of the chest spaces, in ascending order."""
    return [place for place in range(route.goal) if route.symbol_at(place) == "chest"]


def lay_chests(position: Position) -> None:
    """Shuffle all eight tokens and lay them on the chest spaces in ascending order; the rest goes aside."""
    tokens = shuffle(position.seed, f"chests:{position.token_shuffles}", CHEST_TOKENS)
    places = chest_places(position.ruleset.route)
    position.tokens = dict(zip(places, tokens, strict=False))
    position.tokens_aside = tuple(tokens[len(places) :])


def _tokens_to_json(position: Position, is_full: bool) -> Json:
    names = position.ruleset.route.names
    tokens = sorted(position.tokens.items())
    return {
        "chests": {str(names[place]): token if is_full else None for place, token in tokens},
        "chests_aside": list(position.tokens_aside) if is_full else len(position.tokens_aside),
        "chest_shuffles": position.token_shuffles,
    }


def _tokens_from_json(position: Position, fields: Json) -> None:
    chests, aside, shuffles = fields["chests"], fields["chests_aside"], fields["chest_shuffles"]
    if type(shuffles) is not int or shuffles < 0:
        raise BadPosition("The count of chest shuffles must be a whole number of at least 0.")
    position.token_shuffles = shuffles
    if not isinstance(chests, dict) or not isinstance(aside, list):
        raise BadPosition("chests must be an object from space to token, chests_aside a list.")
    if not position.options.black_magic:
        if chests or aside or shuffles:
            raise BadPosition("Without black magic there must be no chest tokens and no chest shuffles.")
        position.tokens, position.tokens_aside = {}, ()
        return
    route = position.ruleset.route
    spaces = {str(route.names[place]): place for place in chest_places(route)}
    tokens = [*chests.values(), *aside]
    if not all(isinstance(token, str) and token in _TOKEN_COUNTS for token in tokens):
        raise BadPosition("A chest token must be one of the texts 1, 2, 3, empty, snake.")
    if not chests.keys() <= spaces.keys():
        raise BadPosition(f"Chest tokens must be on chest spaces: {', '.join(spaces)}.")
    aside_count = len(CHEST_TOKENS) - len(spaces)
    if len(aside) != aside_count:
        raise BadPosition(f"With {len(spaces)} chest spaces there must be {aside_count} tokens aside.")
    counts = Counter(tokens)
    if counts["snake"] != 1 or not counts <= _TOKEN_COUNTS:
        raise BadPosition(
            "The tokens must be among 1, 1, 2, 2, 3, 3, empty and snake, and include the snake."
        )
    position.tokens = {place: chests[name] for name, place in spaces.items() if name in chests}
    position.tokens_aside = tuple(aside)


CHEST_MODULE_STATE = ModuleState(
    _tokens_to_json,
    _tokens_from_json,
    ("chests", "chests_aside", "chest_shuffles"),
    ("chests", "chests_aside"),
)
