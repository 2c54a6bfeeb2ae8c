"""Pending choices (steal, share, stack, discard) and their consequences."""

from __future__ import annotations

from .coverage import count_situation
from .refusal import Json
from .route import seats_in
from .supply import draw, give, put_on_discards


def after_a_dark_card(position: Json, player: int, dark: bool) -> None:
    """Require every other seat still in to discard down to 7 cards."""
    owed = {}
    if dark:
        for seat in seats_in(position):
            too_many = len(position["players"][seat]["hand"]) - 7
            if seat != player and too_many > 0:
                owed[str(seat)] = too_many
        if len(owed) > 1:
            count_situation("several seats owe discards")
        count_situation("dark card, discards owed" if owed else "dark card, nothing owed")
    position["pending"] = {"kind": "discard", "owed": owed} if owed else None


def settle_steal(position: Json, card: str) -> None:
    pending = position["pending"]
    position["players"][pending["from"]]["hand"].remove(card)
    give(position, pending["seat"], card)
    draw(position, pending["from"], 1)
    after_a_dark_card(position, pending["seat"], pending["dark"])


def settle_share(position: Json, keep: list[str], given: dict[str, str]) -> None:
    pending = position["pending"]
    if len(keep) > 2:
        count_situation("share keeps more than two")
    for card in keep:
        give(position, pending["seat"], card)
    for seat, card in given.items():
        give(position, int(seat), card)
    after_a_dark_card(position, pending["seat"], pending["dark"])


def settle_stack(position: Json, keep: str, back: list[str]) -> None:
    pending = position["pending"]
    give(position, pending["seat"], keep)
    position["deck"] = back + position["deck"]
    after_a_dark_card(position, pending["seat"], pending["dark"])


def discard_owed(position: Json, seat: int, cards: list[str]) -> None:
    for card in cards:
        position["players"][seat]["hand"].remove(card)
    put_on_discards(position, cards)
    del position["pending"]["owed"][str(seat)]
    if not position["pending"]["owed"]:
        position["pending"] = None
