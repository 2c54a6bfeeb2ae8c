"""Mutated actions and positions. Most are invalid, some happen to be valid; both engines must agree on each."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.reference.naive.actions import FIELDS
from tests.reference.naive.options import SYMBOLS
from tests.reference.naive.route import order_on_route, route_end
from tests.reference.naive.setup import TOKENS, all_cards

Json = dict[str, Any]
Rng = random.Random

INVALID_VALUES: tuple[Any, ...] = (None, True, False, -1, 0, 3, 2.0, "", "moon", "1", [], {}, ["hat"], [1])


def deep_copy(thing: Any) -> Any:
    return json.loads(json.dumps(thing))


def random_place(rng: Rng, options: Json) -> Any:
    last = route_end(options)
    return rng.choice(["start", "sloop", "goal", *range(1, last + 1), *range(1, last + 1), 0, last + 1])


def random_cards(rng: Rng, position: Json, number: int) -> list[str]:
    held = [card for player in position["players"] for card in player["hand"]]
    return rng.choices(held or all_cards(position["options"]), k=number)


def random_action(rng: Rng, position: Json) -> Json:
    """Return a random well-formed action, often one that is almost legal."""
    options = position["options"]
    kind = rng.choice(list(FIELDS))
    seat = rng.randrange(-1, options["players"] + 1)
    power = rng.choice([kind, kind, kind + "*", *random_cards(rng, position, 1)])
    known = [s for symbols in SYMBOLS.values() for s in symbols]
    card = power if kind in known and power.removesuffix("*") in known else random_cards(rng, position, 1)[0]
    others = rng.sample(range(options["players"]), rng.randint(1, options["players"]))
    fields: Json = {
        "card": card,
        "from": random_place(rng, options),
        "player": seat,
        "keep": random_cards(rng, position, rng.choice([1, 2, 3])),
        "give": {str(other): random_cards(rng, position, 1)[0] for other in others},
        "back": random_cards(rng, position, rng.randint(0, 3)),
        "cards": random_cards(rng, position, rng.choice([1, 2, 2, 3])),
        "as": rng.choice(SYMBOLS[options["symbols"]]),
        "with": random_cards(rng, position, 1)[0],
    }
    if kind == "stack":
        fields["keep"] = fields["keep"][0]
    if kind == "parrot" and rng.random() < 0.7:
        fields["cards"] = [rng.choice(["parrot", "parrot*"]) for _ in fields["cards"]]
    return {"type": kind, **{field: fields[field] for field in FIELDS[kind]}}


def mutate_action(rng: Rng, position: Json, seat: int, action: Json) -> tuple[Any, Any]:
    """Return a seat and an action similar to the given legal ones."""
    action = deep_copy(action)
    way = rng.randrange(8)
    if way == 0:
        return rng.randrange(-1, len(position["players"]) + 1), action
    if way == 1:
        return rng.randrange(len(position["players"])), random_action(rng, position)
    if way == 2:
        return seat, random_action(rng, position)
    if way == 3:
        del action[rng.choice(list(action))]
    elif way == 4:
        action[rng.choice([*action, "extra", "count"])] = rng.choice(INVALID_VALUES)
    elif way == 5:
        other = random_action(rng, position)
        action["type"] = other["type"]
    elif way == 6:
        mutate_field(rng, position, action)
    else:
        other = random_action(rng, position)
        for field in action:
            if field != "type" and field in other:
                action[field] = other[field]
    return seat, action


def mutate_field(rng: Rng, position: Json, action: Json) -> None:
    """Change a field in place: shorten or extend a list, or replace a card, a place or a seat."""
    field = rng.choice(list(action))
    value = action[field]
    card = random_cards(rng, position, 1)[0]
    if isinstance(value, list):
        change = rng.randrange(3)
        if change == 0 and value:
            value.pop()
        elif change == 1:
            value.append(card)
        elif value:
            value[rng.randrange(len(value))] = rng.choice([card, "moon", 3])
    elif isinstance(value, dict):
        value[str(rng.randrange(-1, len(position["players"]) + 1))] = card
        if rng.random() < 0.5:
            del value[rng.choice(list(value))]
    elif field == "from":
        action[field] = random_place(rng, position["options"])
    elif field == "player":
        action[field] = rng.randrange(-1, len(position["players"]) + 1)
    elif field != "type":
        action[field] = rng.choice([card, value + "*", value.removesuffix("*")])


def mutate_position(rng: Rng, position: Json) -> Any:
    """Return a copy of the position with a mutation."""
    position = deep_copy(position)
    if rng.random() < 0.3:
        mutate_anything(rng, position)
    else:
        rng.choice(MUTATORS)(rng, position)
    return position


def mutate_anything(rng: Rng, thing: Any) -> None:
    """Replace a value, or remove or add a field, anywhere in the JSON tree."""
    while True:
        keys = list(thing) if isinstance(thing, dict) else list(range(len(thing)))
        if not keys:
            thing.append("moon") if isinstance(thing, list) else thing.update(moon=1)
            return
        key = rng.choice(keys)
        if isinstance(thing[key], list | dict) and rng.random() < 0.75:
            thing = thing[key]
            continue
        change = rng.randrange(4)
        if change == 0:
            del thing[key]
        elif change == 1 and isinstance(thing, dict):
            thing[rng.choice(["moon", "cards", "count", "9"])] = rng.choice(INVALID_VALUES)
        else:
            thing[key] = rng.choice(INVALID_VALUES)
        return


def mutate_hand(rng: Rng, position: Json) -> None:
    hand = rng.choice(position["players"])["hand"]
    change = rng.randrange(4)
    if change == 0:
        rng.shuffle(hand)
    elif change == 1 and position["deck"]:
        hand.append(position["deck"].pop())
        hand.sort()
    elif change == 2 and hand:
        hand[rng.randrange(len(hand))] = rng.choice(["hat", "rum", "rum*", "hat*", "moon"])
        hand.sort()
    elif hand:
        hand.pop()


def mutate_cards(rng: Rng, position: Json) -> None:
    piles = [position["deck"], position["row"], position["discard"]]
    one, other = rng.choice(piles), rng.choice(piles)
    if one:
        card = one.pop(rng.randrange(len(one)))
        other.insert(0, rng.choice([card, card, rng.choice(all_cards(position["options"]))]))


def mutate_board(rng: Rng, position: Json) -> None:
    board = position["board"]
    one, other = rng.randrange(len(board)), rng.randrange(len(board))
    board[one], board[other] = board[other], board[one]
    if rng.random() < 0.2:
        board.extend(board[:6])


def mutate_pirates(rng: Rng, position: Json) -> None:
    options = position["options"]
    pirates = rng.choice(position["players"])["pirates"]
    place = random_place(rng, options)
    for _ in range(rng.choice([1, 1, 3, 4, len(pirates)])):
        pirates[rng.randrange(len(pirates))] = place
    if rng.random() < 0.8:
        pirates.sort(key=lambda place: order_on_route(options, place))
    if rng.random() < 0.1:
        pirates.append(pirates[-1])


def mutate_counts(rng: Rng, position: Json) -> None:
    options = position["options"]
    change = rng.randrange(5)
    if change == 0:
        position["turn"]["taken"] = rng.choice([-1, 0, options["actions"], options["actions"] + 1])
    elif change == 1:
        position["turn"]["seat"] = rng.randrange(-1, options["players"] + 1)
    elif change == 2:
        position["forced_passes"] = rng.randrange(-1, options["players"] + 1)
    elif change == 3:
        position["turn"]["captain_used"] = not position["turn"]["captain_used"]
    else:
        position[rng.choice(["shuffles", "chest_shuffles"])] = rng.choice([-1, 0, 1, 99])


def mutate_sloop(rng: Rng, position: Json) -> None:
    position["sloop"] = rng.choice([None, "cartagena", "tortuga", "jamaica"])


def mutate_tokens(rng: Rng, position: Json) -> None:
    chests, aside = position["chests"], position["chests_aside"]
    change = rng.randrange(5)
    if change == 0:
        chests[str(rng.randrange(0, len(position["board"]) + 2))] = rng.choice([*TOKENS, "4"])
    elif change == 1 and chests:
        chests[rng.choice(list(chests))] = rng.choice([*TOKENS, "4", None])
    elif change == 2 and chests:
        del chests[rng.choice(list(chests))]
    elif change == 3:
        aside.append(rng.choice(TOKENS))
    elif aside:
        aside[-1] = rng.choice(TOKENS)


def mutate_resigned(rng: Rng, position: Json) -> None:
    player = rng.choice(position["players"])
    player["resigned"] = not player["resigned"]
    if rng.random() < 0.6:
        position["discard"].extend(player["hand"])
        player["hand"] = []


def mutate_winner(rng: Rng, position: Json) -> None:
    seat = rng.randrange(-1, len(position["players"]) + 1)
    position["winner"] = rng.choice([None, seat, seat])
    if rng.random() < 0.6 and 0 <= seat < len(position["players"]):
        position["players"][seat]["pirates"] = ["goal"] * position["options"]["pirates"]
    if rng.random() < 0.5:
        position["pending"] = None


def mutate_pending(rng: Rng, position: Json) -> None:
    players = len(position["players"])
    seat = rng.choice([position["turn"]["seat"], rng.randrange(-1, players + 1)])
    kind = rng.choice(["steal", "share", "stack", "discard", "discard"])
    dark = rng.random() < 0.5
    if kind == "discard":
        number = rng.choice([0, 1, 2, 3])
        if 0 <= seat < players and rng.random() < 0.7:
            number = len(position["players"][seat]["hand"]) - 7
        position["pending"] = {"kind": kind, "owed": rng.choice([{}, {str(seat): number}])}
    elif kind == "steal":
        victim = rng.randrange(-1, players + 1)
        position["pending"] = {"kind": kind, "seat": seat, "from": victim, "dark": dark}
    else:
        number = rng.randrange(0, 7)
        cards = position["deck"][:number]
        del position["deck"][:number]
        if rng.random() < 0.9:
            cards.sort()
        position["pending"] = {"kind": kind, "seat": seat, "cards": cards, "dark": dark}


def mutate_options(rng: Rng, position: Json) -> None:
    options = position["options"]
    name = rng.choice(list(options))
    value = options[name]
    if isinstance(value, bool):
        options[name] = not value
    elif isinstance(value, int):
        options[name] = value + rng.choice([-1, 1])
    else:
        words = ["deck", "row", "none", "rest", "start", "open", "hidden", "split", "both", "morgan"]
        options[name] = rng.choice(
            [*words, "retreat", "passage", "jungle", "complete", "classic", "random", 0]
        )


MUTATORS = (
    mutate_hand,
    mutate_cards,
    mutate_board,
    mutate_pirates,
    mutate_pirates,
    mutate_counts,
    mutate_sloop,
    mutate_tokens,
    mutate_resigned,
    mutate_winner,
    mutate_pending,
    mutate_pending,
    mutate_options,
)
