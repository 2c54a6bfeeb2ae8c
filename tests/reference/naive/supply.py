"""The supply: deck, row and reshuffled discards."""

from __future__ import annotations

from .chance import shuffle
from .coverage import count_situation
from .refusal import Json


def top_card(position: Json, *, laying: bool = False) -> str | None:
    """Remove and return the top card of the deck, reshuffling the discards if the deck is empty."""
    if not position["deck"] and position["discard"]:
        position["shuffles"] += 1
        label = f"deck:{position['shuffles']}"
        position["deck"] = shuffle(position["seed"], label, position["discard"])
        position["discard"] = []
        count_situation("reshuffle")
        if laying and position["row"]:
            count_situation("reshuffle in the middle of laying a row")
    if not position["deck"]:
        return None
    card: str = position["deck"].pop(0)
    return card


def lay_row(position: Json) -> None:
    for _ in range(position["options"]["row_size"]):
        card = top_card(position, laying=True)
        if card is None:
            count_situation("short row laid" if position["row"] else "row could not be laid")
            return
        position["row"].append(card)


def leftmost_card(position: Json) -> str | None:
    if not position["row"]:
        lay_row(position)
        if position["row"]:
            count_situation("empty row laid when a card is needed")
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
    """Draw cards as for a retreat, one at a time, as far as they last."""
    for nth in range(number):
        if position["options"]["supply"] == "row":
            left = len(position["row"])
            card = leftmost_card(position)
            if left == 1 and position["row"] and nth + 1 < number:
                count_situation("row laid between the two cards of one draw")
        else:
            card = top_card(position)
        if card is None:
            count_situation("no card to be had")
        else:
            give(position, seat, card)


def draw_relief(position: Json, seat: int) -> None:
    """Draw the relief card from the deck, or from the row if deck and discards are empty."""
    card = top_card(position)
    beside_row = position["options"]["supply"] == "row"
    if card is not None and beside_row:
        count_situation(
            "relief from the deck beside a row" if position["row"] else "relief beside an empty row"
        )
    if card is None and beside_row:
        # Deck and discards are empty, so an empty row cannot be laid either.
        card = leftmost_card(position)
        if card is not None:
            count_situation("relief from the row")
    if card is None:
        count_situation("relief without a card to be had")
    else:
        give(position, seat, card)


def put_on_discards(position: Json, cards: list[str]) -> None:
    """Put cards on the discards in text order."""
    position["discard"].extend(sorted(cards))
