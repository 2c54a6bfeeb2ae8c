"""Actions: small frozen values that convert to and from JSON and notation.

This file has the base class and the actions of every edition; modules define the others. An action names cards and
places as text, and a pirate by the place where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from app.rules.core import Json
from app.rules.core.errors import BadAction
from app.rules.core.fields import CARD_FIELD, PLACE_FIELD, Field
from app.rules.core.route import Place

ACTIONS: dict[str, type[Action]] = {}
"""Action classes by JSON type. Modules register theirs."""


class Action:
    """Something a seat can do."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    type: ClassVar[str]
    json_fields: ClassVar[tuple[tuple[str, Field], ...]] = ()
    """(name, field type) of each JSON field, in the order of the dataclass fields."""
    notation: ClassVar[str]
    """Template of the notation, with JSON field names in braces."""
    played_card_fields: ClassVar[tuple[str, ...]] = ()
    """JSON fields with the cards that the action takes from the hand."""
    symbol: ClassVar[str] = ""
    """For a power: the symbol of the card played. The notation of a power starts with its cards and `!`."""
    power_card_count: ClassVar[int] = 1
    """For a power: the number of cards before the `!`."""
    is_answer: ClassVar[bool] = False
    """Whether the action answers a pending choice."""
    is_secret: ClassVar[bool] = False
    """Whether only the acting seat may know the cards that the action names."""
    is_placeholder: ClassVar[bool] = False
    """Whether the action stands in a legal list for variants too numerous to list."""

    def to_json(self) -> Json:
        """Return the action as JSON."""
        encoded: Json = {"type": self.type}
        for attribute, (name, field) in zip(self.__match_args__, self.json_fields, strict=True):
            value = getattr(self, attribute)
            encoded[name] = value if field.to_json is None else field.to_json(value)
        return encoded

    def to_text(self) -> str:
        """Return the notation of the action."""
        values = {
            name: field.to_text(getattr(self, attribute))
            for attribute, (name, field) in zip(self.__match_args__, self.json_fields, strict=True)
        }
        return self.notation.format_map(values)

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        """Parse the words of a notation, without the `!` of a power. Return None if they do not match the template."""
        fields = {f"{{{name}}}": field for name, field in cls.json_fields}
        template = cls.notation.replace("!", "")
        if "+" in template:
            template, words = template.replace("+", " "), [*words[0].split("+"), *words[1:]]
        parts = template.split()
        if parts[-1] in fields and fields[parts[-1]].takes_rest:
            words = [*words[: len(parts) - 1], " ".join(words[len(parts) - 1 :])]
        pairs = list(zip(parts, words, strict=False))
        if len(words) != len(parts) or any(part not in fields and word != part for part, word in pairs):
            return None
        values = {part: fields[part].from_text(word) for part, word in pairs if part in fields}
        make: Callable[..., Action] = cls
        return make(*[values[part] for part in fields])

    def canonical(self) -> Action:
        """Return the action in the form that legal lists use, with unordered cards sorted."""
        return self

    def cards_played(self) -> list[str]:
        """Return the cards that the action takes from the hand."""
        return collect_cards(self.to_json(), self.played_card_fields)


def collect_cards(value: Json, names: Iterable[str]) -> list[str]:
    """Return the cards in the named JSON fields, each of which holds one card or a list of cards."""
    cards: list[str] = []
    for name in names:
        cards += value[name] if isinstance(value[name], list) else [value[name]]
    return cards


def action_to_json(action: Action) -> Json:
    """Return the action as JSON."""
    return action.to_json()


def action_from_json(value: object) -> Action:
    """Parse an action. Raise BadAction if the value is malformed."""
    if not isinstance(value, Mapping):
        raise BadAction("no_object", 'An action is an object with a "type".')
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS:
        raise BadAction("type", "The type of an action is one of {types}.", types=", ".join(ACTIONS))
    json_fields = ACTIONS[kind].json_fields
    if len(value) != len(json_fields) + 1 or not all(name in value for name, _ in json_fields):
        names = ", ".join(["type", *(name for name, _ in json_fields)])
        sentence = "An action of the type {kind} has exactly these fields: {fields}."
        raise BadAction("fields", sentence, kind=kind, fields=names)
    make: Callable[..., Action] = ACTIONS[kind]
    return make(*[field.from_json(value[name]) for name, field in json_fields])


@dataclass(frozen=True, slots=True)
class Advance(Action):
    """Play a card to move a pirate to the next empty space with its symbol."""

    type = "advance"
    json_fields = (("card", CARD_FIELD), ("from", PLACE_FIELD))
    notation = "{card} {from}"
    played_card_fields = ("card",)
    card: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Retreat(Action):
    """Move a pirate back to the nearest company and draw cards."""

    type = "retreat"
    json_fields = (("from", PLACE_FIELD),)
    notation = "retreat {from}"
    origin: Place


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """Draw the relief card with an empty hand, which ends the turn."""

    type = "draw"
    notation = "draw"


@dataclass(frozen=True, slots=True)
class End(Action):
    """End the turn."""

    type = "end"
    notation = "end"


@dataclass(frozen=True, slots=True)
class Resign(Action):
    """Leave the game for good."""

    type = "resign"
    notation = "resign"


ACTIONS.update({End.type: End, Resign.type: Resign})  # resolved by the engine, not by a module
