"""The eight chest tokens: shuffled, laid face down on the chest spaces in ascending order, and their JSON."""

from __future__ import annotations

from collections import Counter

from app.rules.core import Json
from app.rules.core.chance import shuffle
from app.rules.core.errors import BadPosition
from app.rules.core.position import Position, State
from app.rules.core.route import Route

TOKENS = ("1", "1", "2", "2", "3", "3", "empty", "snake")
_COUNTS = Counter(TOKENS)


def chest_places(route: Route) -> list[int]:
    return [place for place in range(route.goal) if route.symbol_at(place) == "chest"]


def lay_chests(position: Position) -> None:
    """All eight tokens under the label of the present count of shuffles; what is left over lies aside."""
    tokens = shuffle(position.seed, f"chests:{position.token_shuffles}", TOKENS)
    places = chest_places(position.ruleset.route)
    position.tokens = dict(zip(places, tokens, strict=False))
    position.tokens_aside = tuple(tokens[len(places) :])


def _to_json(position: Position, is_full: bool) -> Json:
    names = position.ruleset.route.names
    tokens = sorted(position.tokens.items())
    return {
        "chests": {str(names[place]): token if is_full else None for place, token in tokens},
        "chests_aside": list(position.tokens_aside) if is_full else len(position.tokens_aside),
        "chest_shuffles": position.token_shuffles,
    }


def _from_json(position: Position, fields: Json) -> None:
    chests, aside, shuffles = fields["chests"], fields["chests_aside"], fields["chest_shuffles"]
    if type(shuffles) is not int or shuffles < 0:
        raise BadPosition("The count of chest shuffles must be a whole number from 0 on.")
    position.token_shuffles = shuffles
    if not isinstance(chests, dict) or not isinstance(aside, list):
        raise BadPosition("The chests are an object from space to token, those aside a list.")
    if not position.options.black_magic:
        if chests or aside or shuffles:
            raise BadPosition("Without black magic there are no chest tokens, and nothing shuffles them.")
        position.tokens, position.tokens_aside = {}, ()
        return
    route = position.ruleset.route
    spaces = {str(route.names[place]): place for place in chest_places(route)}
    tokens = [*chests.values(), *aside]
    if not all(isinstance(token, str) and token in _COUNTS for token in tokens):
        raise BadPosition("A chest token is one of 1, 2, 3, empty, snake, written as a text.")
    if not chests.keys() <= spaces.keys():
        raise BadPosition(f"Chest tokens lie only on the chest spaces: {', '.join(spaces)}.")
    left = len(TOKENS) - len(spaces)
    if len(aside) != left:
        raise BadPosition(f"With {len(spaces)} chest spaces {left} tokens lie aside.")
    counts = Counter(tokens)
    if counts["snake"] != 1 or not counts <= _COUNTS:
        raise BadPosition("The tokens are 1, 1, 2, 2, 3, 3, empty and snake; the snake is never out.")
    position.tokens = {place: chests[name] for name, place in spaces.items() if name in chests}
    position.tokens_aside = tuple(aside)


STATE = State(_to_json, _from_json, ("chests", "chests_aside", "chest_shuffles"), ("chests", "chests_aside"))
