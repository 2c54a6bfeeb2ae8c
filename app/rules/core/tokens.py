"""The eight chest tokens: shuffled, and laid face down on the chest spaces in ascending order."""

from __future__ import annotations

from app.rules.core.cards import SYMBOLS
from app.rules.core.chance import shuffle
from app.rules.core.position import Position
from app.rules.core.route import Route

__all__ = ["TOKENS", "chest_places", "lay_chests"]

TOKENS = ("1", "1", "2", "2", "3", "3", "empty", "snake")

_CHEST = SYMBOLS["escape"].index("chest")


def chest_places(route: Route) -> list[int]:
    return [place for place, symbol in enumerate(route.symbol) if symbol == _CHEST]


def lay_chests(position: Position) -> None:
    """All eight tokens under the label of the present count of shuffles; what is left over lies aside."""
    tokens = shuffle(position.seed, f"chests:{position.chest_shuffles}", TOKENS)
    places = chest_places(position.ruleset.route)
    position.chests = dict(zip(places, tokens, strict=False))
    position.chests_aside = tuple(tokens[len(places) :])
