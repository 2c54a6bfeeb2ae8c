"""The form of actions: their fields and types, without any rules."""

from __future__ import annotations

import re

from .options import SYMBOLS
from .refusal import Json, Refusal, is_number

FIELDS = {
    "advance": {"card", "from"},
    "retreat": {"from"},
    "morgan": {"player", "from"},
    "sail": set(),
    "draw": set(),
    "end": set(),
    "resign": set(),
    "pistol": {"card", "player"},
    "steal": {"card"},
    "rum": {"card"},
    "share": {"keep", "give"},
    "lantern": {"card"},
    "stack": {"keep", "back"},
    "parrot": {"cards", "as", "from"},
    "hook": {"card", "with", "from"},
    "chest": {"card", "from"},
    "discard": {"cards"},
}
KNOWN_SYMBOLS = {symbol for symbols in SYMBOLS.values() for symbol in symbols}
KNOWN_CARDS = KNOWN_SYMBOLS | {symbol + "*" for symbol in KNOWN_SYMBOLS}


def symbol_of(card: str) -> str:
    return card.removesuffix("*")


def is_dark(card: str) -> bool:
    return card.endswith("*")


def is_card(thing: object) -> bool:
    return isinstance(thing, str) and thing in KNOWN_CARDS


def are_cards(thing: object) -> bool:
    return isinstance(thing, list) and all(is_card(card) for card in thing)


def check_shape(action: object) -> None:
    if not isinstance(action, dict):
        raise Refusal("bad_action", "an action is a JSON object")
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise Refusal("bad_action", "there is no such action")
    if set(action) != FIELDS[kind] | {"type"}:
        raise Refusal("bad_action", f"{kind} has the fields {sorted(FIELDS[kind])}")
    for field in FIELDS[kind]:
        if not field_fits(kind, field, action[field]):
            raise Refusal("bad_action", f"{field} cannot be {action[field]!r}")


def field_fits(kind: str, field: str, value: object) -> bool:
    if field == "player":
        return is_number(value) and isinstance(value, int) and value >= 0
    if field == "from":
        if isinstance(value, str):
            return value in ("start", "sloop", "goal")
        return is_number(value) and isinstance(value, int) and value >= 1
    if field == "as":
        return isinstance(value, str) and value in KNOWN_SYMBOLS
    if field == "give":
        return isinstance(value, dict) and all(
            re.fullmatch("0|[1-9][0-9]*", seat) and is_card(card) for seat, card in value.items()
        )
    if field in ("cards", "back") or (kind, field) == ("share", "keep"):
        return are_cards(value)
    return is_card(value)


def in_listed_order(action: Json) -> Json:
    """Return the action as in the legal list, with parrot cards and the kept cards of a share sorted."""
    if action["type"] == "parrot":
        return {**action, "cards": sorted(action["cards"])}
    if action["type"] == "share":
        return {**action, "keep": sorted(action["keep"])}
    return action
