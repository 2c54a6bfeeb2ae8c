"""Black magic: the powers of cards."""

from __future__ import annotations

from .actions import symbol_of
from .coverage import count_situation
from .legal import is_any_dark
from .moves import has_won, play_card
from .pending import after_a_dark_card
from .refusal import Json
from .route import advance_target, move, seats_in, snake_target
from .setup import lay_chests
from .supply import draw, top_card


def do_parrot(position: Json, seat: int, action: Json) -> None:
    target = advance_target(position, seat, action["from"], action["as"])
    assert target is not None
    for card in sorted(action["cards"]):
        play_card(position, seat, card)
    position["turn"]["taken"] += 1
    move(position, seat, action["from"], target)
    count_situation(f"parrot with {sum(is_any_dark([card]) for card in action['cards'])} dark cards")
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark(action["cards"]))


def do_hook(position: Json, seat: int, action: Json) -> None:
    symbol = symbol_of(action["with"])
    target = advance_target(position, seat, action["from"], symbol, pirates=2)
    assert target is not None
    play_card(position, seat, action["card"])
    play_card(position, seat, action["with"])
    position["turn"]["taken"] += 2
    move(position, seat, action["from"], target)
    move(position, seat, action["from"], target)
    count_situation(f"hook to {target if isinstance(target, str) else 'a space'}")
    if symbol == "hook":
        count_situation("hook with a hook")
        if is_any_dark([action["card"]]) != is_any_dark([action["with"]]):
            count_situation("hook with a hook, one of them dark")
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark([action["card"], action["with"]]))


def do_chest(position: Json, seat: int, action: Json) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    token = position["chests"].pop(str(action["from"]))
    count_situation(f"chest {token}")
    if token == "snake":
        target = snake_target(position, action["from"])
        if target == action["from"]:
            count_situation("snake: stays")
        elif position["board"][target - 1] == "rum":
            count_situation("snake: to rum")
        else:
            count_situation("snake: to the lowest empty space")
        move(position, seat, action["from"], target)
        position["chest_shuffles"] += 1
        lay_chests(position)
        if not position["chests_aside"]:
            count_situation("snake with every token on the route")
    elif token != "empty":
        draw(position, seat, int(token))
    after_a_dark_card(position, seat, is_any_dark([action["card"]]))


def do_pistol(position: Json, seat: int, action: Json) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    if len(position["players"][action["player"]]["hand"]) == 1:
        count_situation("pistol at one card")
    dark = is_any_dark([action["card"]])
    position["pending"] = {"kind": "steal", "seat": seat, "from": action["player"], "dark": dark}


def do_rum(position: Json, seat: int, action: Json) -> None:
    play_and_look(position, seat, action, "share", len(seats_in(position)) + 1)


def do_lantern(position: Json, seat: int, action: Json) -> None:
    play_and_look(position, seat, action, "stack", 4)
    if len(position["pending"]["cards"]) < 4:
        count_situation(f"lantern with {len(position['pending']['cards'])} cards")


def play_and_look(position: Json, seat: int, action: Json, kind: str, number: int) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    drawn = [top_card(position) for _ in range(number)]
    cards = sorted(card for card in drawn if card is not None)
    dark = is_any_dark([action["card"]])
    position["pending"] = {"kind": kind, "seat": seat, "cards": cards, "dark": dark}
