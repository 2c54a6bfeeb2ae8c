"""The fold: a view and the events its audience was sent give the next view. It needs no rules."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import Any

__all__ = ["fold", "place_order"]

Json = dict[str, Any]
Step = Callable[[Json, Json, int | None], None]


def fold(view: Json, event: Json, seat: int | None) -> None:
    """Move the view on in place. `seat` says whose view it is; None is a spectator's."""
    _STEPS[event["type"]](view, event, seat)


def place_order(view: Json, place: int | str) -> float:
    """Where a place stands along the route: the sloop lies behind the last space of the passage."""
    if place == "start":
        return 0
    if place == "goal":
        return len(view["board"]) + 1
    if place == "sloop":
        return float(view["options"]["passage_boards"] * 6) + 0.5
    return float(place)


def _gain(view: Json, seat: int, count: int, cards: list[str] | None) -> None:
    player = view["players"][seat]
    player["cards"] += count
    if player["hand"] is not None:
        for card in cards or ():
            insort(player["hand"], card)


def _lose(view: Json, seat: int, count: int, cards: list[str] | None) -> None:
    player = view["players"][seat]
    player["cards"] -= count
    if player["hand"] is not None:
        for card in cards or ():
            player["hand"].remove(card)


def _play(view: Json, seat: int, *cards: str, cost: int = 1) -> None:
    """Cards leave the hand for the discards, and the action counts."""
    _lose(view, seat, len(cards), list(cards))
    view["discard"] += cards
    view["turn"]["taken"] += cost
    view["forced_passes"] = 0


def _move(view: Json, seat: int, origin: int | str, to: int | str, count: int = 1) -> None:
    pirates = view["players"][seat]["pirates"]
    for _ in range(count):
        pirates.remove(origin)
        pirates.append(to)
    pirates.sort(key=lambda place: place_order(view, place))


def _advanced(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], event["card"])
    _move(view, event["seat"], event["from"], event["to"])


def _retreated(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"])
    _move(view, event["seat"], event["from"], event["to"])


def _morgan_moved(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"])
    _move(view, event["player"], event["from"], event["to"])


def _sailed(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], cost=0 if event["free"] else 1)
    if event["free"]:
        view["turn"]["captain_used"] = True
    view["sloop"] = event["to"]


def _rested(view: Json, event: Json, seat: int | None) -> None:
    view["forced_passes"] = 0


def _cards_drawn(view: Json, event: Json, seat: int | None) -> None:
    if event["source"] == "row":
        del view["row"][: event["count"]]
    else:
        view["deck"] -= event["count"]
    _gain(view, event["seat"], event["count"], event["cards"])


def _row_laid(view: Json, event: Json, seat: int | None) -> None:
    view["deck"] -= len(event["cards"])
    view["row"] += event["cards"]


def _deck_shuffled(view: Json, event: Json, seat: int | None) -> None:
    view["deck"] = event["count"]
    view["discard"] = []
    view["shuffles"] += 1


def _turn_passed(view: Json, event: Json, seat: int | None) -> None:
    view["turn"] = {"seat": event["next"], "taken": 0, "captain_used": False}
    view["forced_passes"] = view["forced_passes"] + 1 if event["forced"] else 0


def _stalemate_broken(view: Json, event: Json, seat: int | None) -> None:
    view["forced_passes"] = 0


def _resigned(view: Json, event: Json, seat: int | None) -> None:
    player = view["players"][event["seat"]]
    player["cards"] = 0
    if player["hand"] is not None:
        player["hand"] = []
    player["resigned"] = True
    view["discard"] += event["cards"]
    view["forced_passes"] = 0


def _pistol_aimed(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], event["card"])
    view["pending"] = {
        "kind": "steal",
        "seat": event["seat"],
        "from": event["player"],
        "dark": event["card"].endswith("*"),
    }
    if event["hand"] is not None:
        view["players"][event["player"]]["hand"] = list(event["hand"])


def _hide_again(view: Json, victim: int, seat: int | None) -> None:
    if view["options"]["hands"] == "hidden" and seat != victim:
        view["players"][victim]["hand"] = None


def _card_stolen(view: Json, event: Json, seat: int | None) -> None:
    cards = None if event["card"] is None else [event["card"]]
    _lose(view, event["from"], 1, cards)
    _gain(view, event["seat"], 1, cards)
    _hide_again(view, event["from"], seat)
    view["pending"] = None
    view["forced_passes"] = 0


def _steal_lapsed(view: Json, event: Json, seat: int | None) -> None:
    _hide_again(view, event["from"], seat)
    view["pending"] = None


def _owe_choice(kind: str) -> Step:
    def step(view: Json, event: Json, seat: int | None) -> None:
        _play(view, event["seat"], event["card"])
        seen: Json = {"cards": []} if seat == event["seat"] else {"cards": None, "count": 0}
        view["pending"] = {"kind": kind, "seat": event["seat"], **seen, "dark": event["card"].endswith("*")}

    return step


def _choice_dealt(view: Json, event: Json, seat: int | None) -> None:
    view["deck"] -= event["count"]
    pending = view["pending"]
    if event["cards"] is None:
        pending["count"] += event["count"]
    else:
        pending["cards"] = sorted(pending["cards"] + event["cards"])


def _cards_shared(view: Json, event: Json, seat: int | None) -> None:
    _gain(view, event["seat"], event["kept"], event["keep"])
    for receiver, card in event["give"].items():
        _gain(view, int(receiver), 1, None if card is None else [card])
    view["pending"] = None
    view["forced_passes"] = 0


def _cards_stacked(view: Json, event: Json, seat: int | None) -> None:
    _gain(view, event["seat"], 1, None if event["keep"] is None else [event["keep"]])
    view["deck"] += event["count"]
    view["pending"] = None
    view["forced_passes"] = 0


def _parrot_advanced(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], *event["cards"])
    _move(view, event["seat"], event["from"], event["to"])


def _hook_advanced(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], event["card"], event["with"], cost=2)
    _move(view, event["seat"], event["from"], event["to"], count=2)


def _chest_opened(view: Json, event: Json, seat: int | None) -> None:
    _play(view, event["seat"], event["card"])
    del view["chests"][str(event["from"])]


def _snake_struck(view: Json, event: Json, seat: int | None) -> None:
    _move(view, event["seat"], event["from"], event["to"])


def _chests_laid(view: Json, event: Json, seat: int | None) -> None:
    view["chests"] = {str(space): None for space in event["spaces"]}
    view["chests_aside"] = event["aside"]
    view["chest_shuffles"] += 1


def _discard_owed(view: Json, event: Json, seat: int | None) -> None:
    view["pending"] = {"kind": "discard", "owed": dict(event["owed"])}


def _cards_discarded(view: Json, event: Json, seat: int | None) -> None:
    _lose(view, event["seat"], len(event["cards"]), event["cards"])
    view["discard"] += event["cards"]
    owed = view["pending"]["owed"]
    del owed[str(event["seat"])]
    if not owed:
        view["pending"] = None
    view["forced_passes"] = 0


def _pending_discarded(view: Json, event: Json, seat: int | None) -> None:
    view["discard"] += event["cards"]
    view["pending"] = None


def _game_won(view: Json, event: Json, seat: int | None) -> None:
    """Nothing is hidden any more: the view becomes the position."""
    view["winner"] = event["seat"]
    view["seed"] = event["seed"]
    view["deck"] = list(event["deck"])
    view["chests"] = dict(event["chests"])
    view["chests_aside"] = list(event["chests_aside"])
    for player, hand in zip(view["players"], event["hands"], strict=True):
        player["hand"] = list(hand)
        player.pop("cards", None)


_STEPS: dict[str, Step] = {
    "advanced": _advanced,
    "retreated": _retreated,
    "morgan_moved": _morgan_moved,
    "sailed": _sailed,
    "rested": _rested,
    "cards_drawn": _cards_drawn,
    "row_laid": _row_laid,
    "deck_shuffled": _deck_shuffled,
    "turn_passed": _turn_passed,
    "stalemate_broken": _stalemate_broken,
    "resigned": _resigned,
    "pistol_aimed": _pistol_aimed,
    "card_stolen": _card_stolen,
    "steal_lapsed": _steal_lapsed,
    "rum_poured": _owe_choice("share"),
    "lantern_lit": _owe_choice("stack"),
    "choice_dealt": _choice_dealt,
    "cards_shared": _cards_shared,
    "cards_stacked": _cards_stacked,
    "parrot_advanced": _parrot_advanced,
    "hook_advanced": _hook_advanced,
    "chest_opened": _chest_opened,
    "snake_struck": _snake_struck,
    "chests_laid": _chests_laid,
    "discard_owed": _discard_owed,
    "cards_discarded": _cards_discarded,
    "pending_discarded": _pending_discarded,
    "game_won": _game_won,
}
