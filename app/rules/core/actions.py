"""What a seat can do: one small frozen value a kind of action, and its JSON.

An action names cards and places by their texts, a pirate by where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.rules.core.cards import CARD_NAMES, SYMBOLS
from app.rules.core.errors import BadAction
from app.rules.core.route import GOAL, SLOOP, START, Place

__all__ = [
    "Action",
    "Advance",
    "Chest",
    "Discard",
    "Draw",
    "End",
    "Hook",
    "Lantern",
    "Morgan",
    "OwedDiscard",
    "Parrot",
    "Pistol",
    "Resign",
    "Retreat",
    "Rum",
    "Sail",
    "Share",
    "Stack",
    "Steal",
    "action_from_json",
    "action_to_json",
    "canonical",
]


@dataclass(frozen=True, slots=True)
class Advance:
    card: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Retreat:
    origin: Place


@dataclass(frozen=True, slots=True)
class Morgan:
    player: int
    origin: Place


@dataclass(frozen=True, slots=True)
class Sail:
    pass


@dataclass(frozen=True, slots=True)
class Draw:
    pass


@dataclass(frozen=True, slots=True)
class End:
    pass


@dataclass(frozen=True, slots=True)
class Resign:
    pass


@dataclass(frozen=True, slots=True)
class Pistol:
    card: str
    player: int


@dataclass(frozen=True, slots=True)
class Steal:
    card: str


@dataclass(frozen=True, slots=True)
class Rum:
    card: str


@dataclass(frozen=True, slots=True)
class Share:
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]
    """(seat, card) in seat order."""


@dataclass(frozen=True, slots=True)
class Lantern:
    card: str


@dataclass(frozen=True, slots=True)
class Stack:
    keep: str
    back: tuple[str, ...]
    """First listed on top."""


@dataclass(frozen=True, slots=True)
class Parrot:
    cards: tuple[str, ...]
    symbol: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Hook:
    card: str
    second: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Chest:
    card: str
    origin: Place


@dataclass(frozen=True, slots=True)
class Discard:
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwedDiscard:
    """How an owed discard stands in a legal list: any choice of that many cards will do."""

    count: int


Action = (
    Advance
    | Retreat
    | Morgan
    | Sail
    | Draw
    | End
    | Resign
    | Pistol
    | Steal
    | Rum
    | Share
    | Lantern
    | Stack
    | Parrot
    | Hook
    | Chest
    | Discard
    | OwedDiscard
)


def canonical(action: Action) -> Action:
    """The same action as a legal list writes it: what may come in any order is sorted."""
    match action:
        case Parrot(cards, symbol, origin):
            return Parrot(tuple(sorted(cards)), symbol, origin)
        case Share(keep, give):
            return Share(tuple(sorted(keep)), tuple(sorted(give)))
        case Discard(cards):
            return Discard(tuple(sorted(cards)))
        case _:
            return action


def action_to_json(action: Action) -> dict[str, Any]:
    match action:
        case Advance(card, origin):
            return {"type": "advance", "card": card, "from": origin}
        case Retreat(origin):
            return {"type": "retreat", "from": origin}
        case Morgan(player, origin):
            return {"type": "morgan", "player": player, "from": origin}
        case Sail():
            return {"type": "sail"}
        case Draw():
            return {"type": "draw"}
        case End():
            return {"type": "end"}
        case Resign():
            return {"type": "resign"}
        case Pistol(card, player):
            return {"type": "pistol", "card": card, "player": player}
        case Steal(card):
            return {"type": "steal", "card": card}
        case Rum(card):
            return {"type": "rum", "card": card}
        case Share(keep, give):
            return {"type": "share", "keep": list(keep), "give": {str(seat): card for seat, card in give}}
        case Lantern(card):
            return {"type": "lantern", "card": card}
        case Stack(kept, back):
            return {"type": "stack", "keep": kept, "back": list(back)}
        case Parrot(cards, symbol, origin):
            return {"type": "parrot", "cards": list(cards), "as": symbol, "from": origin}
        case Hook(card, second, origin):
            return {"type": "hook", "card": card, "with": second, "from": origin}
        case Chest(card, origin):
            return {"type": "chest", "card": card, "from": origin}
        case Discard(cards):
            return {"type": "discard", "cards": list(cards)}
        case OwedDiscard(count):
            return {"type": "discard", "count": count}


_ALL_SYMBOLS = frozenset(name for names in SYMBOLS.values() for name in names)
_PLACE_TEXTS = frozenset((START, SLOOP, GOAL))
_MOST_CARDS = 200
"""No list of cards in an action can be longer: a game has at most 180."""


def _card(value: object) -> str:
    if isinstance(value, str) and value in CARD_NAMES:
        return value
    raise BadAction("card", 'A card is written as its symbol, such as "key", a dark one as "key*".')


def _cards(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MOST_CARDS:
        raise BadAction("cards", "Cards are given as a list of texts.")
    return tuple(_card(card) for card in value)


def _place(value: object) -> Place:
    if type(value) is int and value >= 1:
        return value
    if isinstance(value, str) and value in _PLACE_TEXTS:
        return value
    raise BadAction(
        "place", 'A place is the number of a space, counted from 1, or "start", "sloop" or "goal".'
    )


def _seat(value: object) -> int:
    if type(value) is int and value >= 0:
        return value
    raise BadAction("seat", "A player is given by the number of the seat, counted from 0.")


def _symbol(value: object) -> str:
    if isinstance(value, str) and value in _ALL_SYMBOLS:
        return value
    raise BadAction("symbol", 'A symbol is written by its name, such as "hook", without a star.')


def _gifts(value: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(value, dict):
        raise BadAction(
            "gifts", 'What is given stands as an object from seat to card, such as {"1": "chest"}.'
        )
    gifts = []
    for seat, card in value.items():
        if not (isinstance(seat, str) and len(seat) == 1 and seat in "0123456789"):
            raise BadAction(
                "gifts", 'What is given stands as an object from seat to card, such as {"1": "chest"}.'
            )
        gifts.append((int(seat), _card(card)))
    return tuple(sorted(gifts))


Parser = Callable[[object], object]

_FORMS: dict[str, tuple[Callable[..., Action], dict[str, Parser]]] = {
    "advance": (Advance, {"card": _card, "from": _place}),
    "retreat": (Retreat, {"from": _place}),
    "morgan": (Morgan, {"player": _seat, "from": _place}),
    "sail": (Sail, {}),
    "draw": (Draw, {}),
    "end": (End, {}),
    "resign": (Resign, {}),
    "pistol": (Pistol, {"card": _card, "player": _seat}),
    "steal": (Steal, {"card": _card}),
    "rum": (Rum, {"card": _card}),
    "share": (Share, {"keep": _cards, "give": _gifts}),
    "lantern": (Lantern, {"card": _card}),
    "stack": (Stack, {"keep": _card, "back": _cards}),
    "parrot": (Parrot, {"cards": _cards, "as": _symbol, "from": _place}),
    "hook": (Hook, {"card": _card, "with": _card, "from": _place}),
    "chest": (Chest, {"card": _card, "from": _place}),
    "discard": (Discard, {"cards": _cards}),
}


def action_from_json(value: object) -> Action:
    """The action, or a sentence on what is wrong with its form."""
    if not isinstance(value, Mapping):
        raise BadAction("no_object", 'An action is an object with a "type".')
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _FORMS:
        raise BadAction("type", "The type of an action is one of {types}.", types=", ".join(_FORMS))
    make, parsers = _FORMS[kind]
    if len(value) != len(parsers) + 1 or not all(name in value for name in parsers):
        wanted = ", ".join(["type", *parsers])
        raise BadAction(
            "fields",
            "An action of the type {kind} has exactly these fields: {fields}.",
            kind=kind,
            fields=wanted,
        )
    return make(*[parse(value[name]) for name, parse in parsers.items()])
