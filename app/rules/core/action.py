"""An action: a small frozen value that knows its JSON and its notation; and those of every edition.

An action names cards and places by their texts, a pirate by where it stands. What a class says of itself:

- `form`: its JSON fields and their kinds, in the order of its own fields;
- `text`: its notation, the JSON fields in braces;
- `played`: which of its JSON fields hold cards that leave the hand for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from app.rules.core import Json
from app.rules.core.errors import BadAction
from app.rules.core.fields import CARD, PLACE, Field
from app.rules.core.route import Place

ACTIONS: dict[str, type[Action]] = {}
"""Every action that can be sent, by its type; the modules add theirs."""


class Action:
    """What a seat can do."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    type: ClassVar[str]
    form: ClassVar[tuple[tuple[str, Field], ...]] = ()
    text: ClassVar[str]
    played: ClassVar[tuple[str, ...]] = ()
    symbol: ClassVar[str] = ""
    """The symbol of the card that is played for its power; such a notation begins with a card and `!`."""
    power_cards: ClassVar[int] = 1
    """How many cards stand before that `!`."""
    is_answer: ClassVar[bool] = False
    """Whether it answers something owed."""
    is_secret: ClassVar[bool] = False
    """Whether only its own seat knows which cards it names."""
    is_only_listed: ClassVar[bool] = False
    """Whether it stands in a legal list for others that are too many to be listed."""

    def to_json(self) -> Json:
        said: Json = {"type": self.type}
        for attribute, (name, field) in zip(self.__match_args__, self.form, strict=True):
            value = getattr(self, attribute)
            said[name] = value if field.to_json is None else field.to_json(value)
        return said

    def to_text(self) -> str:
        values = {
            name: field.to_text(getattr(self, attribute))
            for attribute, (name, field) in zip(self.__match_args__, self.form, strict=True)
        }
        return self.text.format_map(values)

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        """The action that these words are, a power's without its `!`; None where they are not of its form."""
        fields = {f"{{{name}}}": field for name, field in cls.form}
        shape = cls.text.replace("!", "")
        if "+" in shape:
            shape, words = shape.replace("+", " "), [*words[0].split("+"), *words[1:]]
        parts = shape.split()
        if parts[-1] in fields and fields[parts[-1]].takes_all:
            words = [*words[: len(parts) - 1], " ".join(words[len(parts) - 1 :])]
        pairs = list(zip(parts, words, strict=False))
        if len(words) != len(parts) or any(part not in fields and word != part for part, word in pairs):
            return None
        values = {part: fields[part].from_text(word) for part, word in pairs if part in fields}
        make: Callable[..., Action] = cls
        return make(*[values[part] for part in fields])

    def canonical(self) -> Action:
        """The same action as a legal list writes it: what may come in any order is sorted."""
        return self

    def cards_played(self) -> list[str]:
        """The cards that leave the hand for it."""
        return cards_in(self.to_json(), self.played)


def cards_in(value: Json, names: Iterable[str]) -> list[str]:
    """The cards in these fields, each of which holds one or a list."""
    cards: list[str] = []
    for name in names:
        cards += value[name] if isinstance(value[name], list) else [value[name]]
    return cards


def action_to_json(action: Action) -> Json:
    return action.to_json()


def action_from_json(value: object) -> Action:
    """The action, or a sentence on what is wrong with its form."""
    if not isinstance(value, Mapping):
        raise BadAction("no_object", 'An action is an object with a "type".')
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in ACTIONS:
        raise BadAction("type", "The type of an action is one of {types}.", types=", ".join(ACTIONS))
    form = ACTIONS[kind].form
    if len(value) != len(form) + 1 or not all(name in value for name, _ in form):
        wanted = ", ".join(["type", *(name for name, _ in form)])
        sentence = "An action of the type {kind} has exactly these fields: {fields}."
        raise BadAction("fields", sentence, kind=kind, fields=wanted)
    make: Callable[..., Action] = ACTIONS[kind]
    return make(*[field.from_json(value[name]) for name, field in form])


@dataclass(frozen=True, slots=True)
class Advance(Action):
    type = "advance"
    form = (("card", CARD), ("from", PLACE))
    text = "{card} {from}"
    played = ("card",)
    card: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Retreat(Action):
    type = "retreat"
    form = (("from", PLACE),)
    text = "retreat {from}"
    origin: Place


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """The relief card for an empty hand."""

    type = "draw"
    text = "draw"


@dataclass(frozen=True, slots=True)
class End(Action):
    type = "end"
    text = "end"


@dataclass(frozen=True, slots=True)
class Resign(Action):
    type = "resign"
    text = "resign"


ACTIONS.update({End.type: End, Resign.type: Resign})  # the engine plays these itself
