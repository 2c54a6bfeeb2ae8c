"""Notation: a short text for each action, parsed back to the same action.

    key start        advance with a key from the start       retreat 8      fall back from space 8
    morgan b 7       send blue's pirate on 7 ahead           sail draw end resign
    pistol! b        aim a pistol at blue                    steal rum      take rum out of that hand
    rum!             pour a round                            share hook+rum b=chest
    lantern*!        light a dark lantern                    stack hook back rum+chest
    parrot+parrot! hook 4    two parrots as a hook from 4    hook+rum! 19   hook two pirates on 19
    chest! 7         open the chest on 7                     discard hat+key*

Seats are letters: r b y g v for the seats 0 to 4. A card with `!` is played for its power.
"""

from __future__ import annotations

from app.rules.core.actions import (
    Action,
    Advance,
    Chest,
    Discard,
    Draw,
    End,
    Hook,
    Lantern,
    Morgan,
    OwedDiscard,
    Parrot,
    Pistol,
    Resign,
    Retreat,
    Rum,
    Sail,
    Share,
    Stack,
    Steal,
)
from app.rules.core.cards import CARD_NAMES, SYMBOLS
from app.rules.core.errors import BadNotation
from app.rules.core.route import GOAL, SLOOP, START, Place

__all__ = ["SEAT_LETTERS", "action_to_text", "text_to_action"]

SEAT_LETTERS = "rbygv"

_SYMBOL_NAMES = frozenset(name for names in SYMBOLS.values() for name in names)
_BARE: dict[str, Action] = {"sail": Sail(), "draw": Draw(), "end": End(), "resign": Resign()}


def action_to_text(action: Action) -> str:
    match action:
        case Advance(card, origin):
            return f"{card} {origin}"
        case Retreat(origin):
            return f"retreat {origin}"
        case Morgan(player, origin):
            return f"morgan {SEAT_LETTERS[player]} {origin}"
        case Sail() | Draw() | End() | Resign():
            return type(action).__name__.lower()
        case Pistol(card, player):
            return f"{card}! {SEAT_LETTERS[player]}"
        case Steal(card):
            return f"steal {card}"
        case Rum(card) | Lantern(card):
            return f"{card}!"
        case Share(keep, give):
            gifts = " ".join(f"{SEAT_LETTERS[seat]}={card}" for seat, card in give)
            return f"share {'+'.join(keep)} {gifts}"
        case Stack(kept, back):
            return f"stack {kept} back {'+'.join(back)}" if back else f"stack {kept}"
        case Parrot(cards, symbol, origin):
            return f"{'+'.join(cards)}! {symbol} {origin}"
        case Hook(card, second, origin):
            return f"{card}+{second}! {origin}"
        case Chest(card, origin):
            return f"{card}! {origin}"
        case Discard(cards):
            return f"discard {'+'.join(cards)}"
        case OwedDiscard(count):
            return f"discard {count}"


def text_to_action(text: str) -> Action:
    words = text.split()
    match words:
        case [("sail" | "draw" | "end" | "resign") as word]:
            return _BARE[word]
        case ["retreat", origin]:
            return Retreat(_place(origin))
        case ["morgan", player, origin]:
            return Morgan(_seat(player), _place(origin))
        case ["steal", card]:
            return Steal(_card(card))
        case ["share", keep, *gifts]:
            return Share(_cards(keep), tuple(_gift(gift) for gift in gifts))
        case ["stack", kept]:
            return Stack(_card(kept), ())
        case ["stack", kept, "back", back]:
            return Stack(_card(kept), _cards(back))
        case ["discard", cards]:
            return OwedDiscard(int(cards)) if cards.isascii() and cards.isdigit() else Discard(_cards(cards))
        case [power, *rest] if power.endswith("!"):
            return _power(_cards(power[:-1]), rest)
        case [card, origin]:
            return Advance(_card(card), _place(origin))
        case _:
            raise BadNotation(f"{text[:60]!r} is not an action; an advance is written like 'key start'.")


def _power(cards: tuple[str, ...], rest: list[str]) -> Action:
    match cards[0].removesuffix("*"), len(cards), rest:
        case "pistol", 1, [player]:
            return Pistol(cards[0], _seat(player))
        case "rum", 1, []:
            return Rum(cards[0])
        case "lantern", 1, []:
            return Lantern(cards[0])
        case "parrot", 2, [symbol, origin]:
            return Parrot(cards, _symbol(symbol), _place(origin))
        case "hook", 2, [origin]:
            return Hook(cards[0], cards[1], _place(origin))
        case "chest", 1, [origin]:
            return Chest(cards[0], _place(origin))
        case _:
            raise BadNotation(
                "That is not a power; they are written like 'rum!', 'pistol! b' or 'hook+rum! 19'."
            )


def _card(text: str) -> str:
    if text not in CARD_NAMES:
        raise BadNotation(f"{text[:40]!r} is not a card.")
    return text


def _cards(text: str) -> tuple[str, ...]:
    return tuple(_card(card) for card in text.split("+"))


def _symbol(text: str) -> str:
    if text not in _SYMBOL_NAMES:
        raise BadNotation(f"{text[:40]!r} is not a symbol.")
    return text


def _seat(text: str) -> int:
    if len(text) != 1 or text not in SEAT_LETTERS:
        raise BadNotation(f"A seat is one of the letters {' '.join(SEAT_LETTERS)}.")
    return SEAT_LETTERS.index(text)


def _place(text: str) -> Place:
    if text in (START, SLOOP, GOAL):
        return text
    if text.isascii() and text.isdigit() and len(text) <= 3 and int(text):
        return int(text)
    raise BadNotation(f"{text[:40]!r} is not a place: a space's number, start, sloop or goal.")


def _gift(text: str) -> tuple[int, str]:
    seat, _, card = text.partition("=")
    return _seat(seat), _card(card)
