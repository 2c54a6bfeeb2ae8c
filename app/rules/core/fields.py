"""Field types of actions: how a card, a place, a seat and so on are parsed and written in JSON and in notation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.rules.core.cards import CARD_NAMES, SYMBOL_NAMES
from app.rules.core.errors import BadAction, BadNotation
from app.rules.core.route import GOAL, SLOOP, START, Place

SEAT_LETTERS = "rbygv"
"""Letters of the seats 0 to 4 in notation and diagrams: red, blue, yellow, green, violet."""

_PLACE_NAMES = frozenset((START, SLOOP, GOAL))
_SEAT_DIGITS = frozenset("0123456789")
_MAX_CARDS = 200
"""Limit on the cards in one action. A game has at most 180."""


@dataclass(frozen=True, slots=True)
class Field:
    """Converters between a value, its JSON and its notation."""

    from_json: Callable[[object], Any]
    from_text: Callable[[str], Any]
    to_text: Callable[[Any], str] = str
    to_json: Callable[[Any], Any] | None = None
    """None if the value is written to JSON unchanged."""
    takes_rest: bool = False
    """Whether the notation of the value extends over all remaining words."""


def _card_from_json(value: object) -> str:
    if isinstance(value, str) and value in CARD_NAMES:
        return value
    sentence = 'A card is written as its symbol, such as "{example}", a dark one as "{example}*".'
    raise BadAction("card", sentence, example=min(SYMBOL_NAMES))


def _cards_from_json(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MAX_CARDS:
        raise BadAction("cards", "Cards are given as a list of texts.")
    return tuple(_card_from_json(card) for card in value)


def _place_from_json(value: object) -> Place:
    if type(value) is int and value >= 1:
        return value
    if isinstance(value, str) and value in _PLACE_NAMES:
        return value
    sentence = 'A place is the number of a space, counted from 1, or "start", "sloop" or "goal".'
    raise BadAction("place", sentence)


def _seat_from_json(value: object) -> int:
    if type(value) is int and value >= 0:
        return value
    raise BadAction("seat", "A player is given by the number of the seat, counted from 0.")


def _symbol_from_json(value: object) -> str:
    if isinstance(value, str) and value in SYMBOL_NAMES:
        return value
    sentence = 'A symbol is written by its name, such as "{example}", without a star.'
    raise BadAction("symbol", sentence, example=min(SYMBOL_NAMES))


def _gifts_from_json(value: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(value, dict) or not all(seat in _SEAT_DIGITS for seat in value):
        sentence = 'What is given stands as an object from seat to card, such as {{"1": "{example}"}}.'
        raise BadAction("gifts", sentence, example=min(SYMBOL_NAMES))
    return tuple(sorted((int(seat), _card_from_json(card)) for seat, card in value.items()))


def _card_from_text(text: str) -> str:
    if text not in CARD_NAMES:
        raise BadNotation(f"{text[:40]!r} is not a card.")
    return text


def _cards_from_text(text: str) -> tuple[str, ...]:
    return tuple(_card_from_text(card) for card in text.split("+"))


def _place_from_text(text: str) -> Place:
    if text in _PLACE_NAMES:
        return text
    if text.isascii() and text.isdigit() and len(text) <= 3 and int(text):
        return int(text)
    raise BadNotation(f"{text[:40]!r} is not a place: a space's number, start, sloop or goal.")


def _seat_from_text(text: str) -> int:
    if len(text) != 1 or text not in SEAT_LETTERS:
        raise BadNotation(f"A seat is one of the letters {' '.join(SEAT_LETTERS)}.")
    return SEAT_LETTERS.index(text)


def _symbol_from_text(text: str) -> str:
    if text not in SYMBOL_NAMES:
        raise BadNotation(f"{text[:40]!r} is not a symbol.")
    return text


def _gifts_from_text(text: str) -> tuple[tuple[int, str], ...]:
    pairs = (gift.partition("=") for gift in text.split())
    return tuple((_seat_from_text(seat), _card_from_text(card)) for seat, _, card in pairs)


def _gifts_to_text(gifts: tuple[tuple[int, str], ...]) -> str:
    return " ".join(f"{SEAT_LETTERS[seat]}={card}" for seat, card in gifts)


CARD_FIELD = Field(_card_from_json, _card_from_text)
CARDS_FIELD = Field(_cards_from_json, _cards_from_text, "+".join, list)
PLACE_FIELD = Field(_place_from_json, _place_from_text)
SEAT_FIELD = Field(_seat_from_json, _seat_from_text, lambda seat: SEAT_LETTERS[seat])
SYMBOL_FIELD = Field(_symbol_from_json, _symbol_from_text)
GIFTS_FIELD = Field(
    _gifts_from_json,
    _gifts_from_text,
    _gifts_to_text,
    lambda gifts: {str(seat): card for seat, card in gifts},
    takes_rest=True,
)
