"""Where cards come from: the deck, the row, and the discards when the deck is empty."""

from __future__ import annotations

from .chance import shuffle
from .notes import note
from .refusal import Json


def top_card(position: Json, *, laying: bool = False) -> str | None:
    """The deck's top card; an empty deck is first made anew out of the discards."""
    if not position["deck"] and position["discard"]:
        position["shuffles"] += 1
        label = f"deck:{position['shuffles']}"
        position["deck"] = shuffle(position["seed"], label, position["discard"])
        position["discard"] = []
        note("reshuffle")
        if laying and position["row"]:
            note("reshuffle in the middle of laying a row")
    if not position["deck"]:
        return None
    card: str = position["deck"].pop(0)
    return card


def lay_row(position: Json) -> None:
    for _ in range(position["options"]["row_size"]):
        card = top_card(position, laying=True)
        if card is None:
            note("short row laid" if position["row"] else "row could not be laid")
            return
        position["row"].append(card)


def leftmost_card(position: Json) -> str | None:
    if not position["row"]:
        lay_row(position)
        if position["row"]:
            note("empty row laid when a card is needed")
    if not position["row"]:
        return None
    card: str = position["row"].pop(0)
    if not position["row"]:
        lay_row(position)
    return card


def give(position: Json, seat: int, card: str) -> None:
    hand = position["players"][seat]["hand"]
    hand.append(card)
    hand.sort()


def draw(position: Json, seat: int, number: int) -> None:
    """As for a retreat: one card after the other from the supply, as far as they go."""
    for nth in range(number):
        if position["options"]["supply"] == "row":
            left = len(position["row"])
            card = leftmost_card(position)
            if left == 1 and position["row"] and nth + 1 < number:
                note("row laid between the two cards of one draw")
        else:
            card = top_card(position)
        if card is None:
            note("no card to be had")
        else:
            give(position, seat, card)


def draw_relief(position: Json, seat: int) -> None:
    """From the deck even beside a row; from the row only when deck and discards are empty."""
    card = top_card(position)
    beside_row = position["options"]["supply"] == "row"
    if card is not None and beside_row:
        note("relief from the deck beside a row" if position["row"] else "relief beside an empty row")
    if card is None and beside_row:
        # Deck and discards are empty, so a row that is empty too cannot be laid either.
        card = leftmost_card(position)
        if card is not None:
            note("relief from the row")
    if card is None:
        note("relief without a card to be had")
    else:
        give(position, seat, card)


def put_on_discards(position: Json, cards: list[str]) -> None:
    """Cards discarded together go on in text order."""
    position["discard"].extend(sorted(cards))
