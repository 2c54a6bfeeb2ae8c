"""Updates that events make to a view in place: cards gained, lost and played, pirates moved. They need no rules."""

from __future__ import annotations

from bisect import insort

from app.rules.core import Json


def place_order(view: Json, place: int | str) -> float:
    """Return a sort key for a place. The sloop comes right after the last space of the passage."""
    if place == "start":
        return 0
    if place == "goal":
        return len(view["board"]) + 1
    if place == "sloop":
        return float(view["options"]["passage_boards"] * 6) + 0.5
    return float(place)


def gain_cards(view: Json, seat: int, count: int, cards: list[str] | None) -> None:
    """Add cards to a hand; `cards` is None if the viewer does not see them."""
    player = view["players"][seat]
    player["cards"] += count
    if player["hand"] is not None:
        for card in cards or ():
            insort(player["hand"], card)


def lose_cards(view: Json, seat: int, count: int, cards: list[str] | None) -> None:
    """Remove cards from a hand; `cards` is None if the viewer does not see them."""
    player = view["players"][seat]
    player["cards"] -= count
    if player["hand"] is not None:
        for card in cards or ():
            player["hand"].remove(card)


def play_cards(view: Json, seat: int, *cards: str, cost: int = 1) -> None:
    """Move played cards from the hand to the discards and count the action, which takes `cost` of the turn."""
    lose_cards(view, seat, len(cards), list(cards))
    view["discard"] += cards
    view["turn"]["taken"] += cost
    view["forced_passes"] = 0


def move_pirates(view: Json, seat: int, origin: int | str, to: int | str, count: int = 1) -> None:
    """Move pirates of a seat and keep the list in route order."""
    pirates = view["players"][seat]["pirates"]
    for _ in range(count):
        pirates.remove(origin)
        pirates.append(to)
    pirates.sort(key=lambda place: place_order(view, place))
