"""Random options of a family, and random positions that contain rare situations often."""

from __future__ import annotations

import random
from typing import Any

from tests.reference import naive
from tests.reference.naive.options import PRESETS
from tests.reference.naive.route import order_on_route, passage_end, route_end
from tests.reference.naive.setup import TOKENS, all_cards, chest_spaces

Json = dict[str, Any]
Rng = random.Random

FAMILIES = ("presets", "plain", "rows", "complete", "morgan", "scoundrels", "magic", "everything", "instants")

POWER_HANDS: tuple[list[str], ...] = (
    [],
    ["hook", "hook*", "hook"],
    ["hook", "rum", "lantern"],
    ["hook", "chest", "parrot", "pistol"],
    ["chest*"],
    ["chest"],
    ["parrot", "parrot*", "parrot*"],
    ["pistol*"],
    ["rum*"],
    ["lantern*"],
)


def random_seed(rng: Rng) -> str:
    return f"{rng.getrandbits(256):064x}"


def random_options(rng: Rng, family: str) -> Json:
    """Return valid options that make the rare situations of the family likely."""
    while True:
        options = random_unchecked_options(rng) if family != "presets" else random_preset(rng)
        if family != "presets":
            adapt_to_family(rng, family, options)
            remove_conflicts(rng, options)
        try:
            naive.full_options(options)
        except naive.Refusal:
            continue
        return options


def random_preset(rng: Rng) -> Json:
    return {"preset": rng.choice(list(PRESETS)), "players": rng.randint(2, 5)}


def random_unchecked_options(rng: Rng) -> Json:
    """Return random options, some of them left to the preset, which may conflict with each other."""
    scenario = rng.choice(["passage", "jungle", "complete"])
    low = 3 if scenario == "complete" else 4
    actions = rng.randint(1, 5)
    options: Json = {
        **random_preset(rng),
        "symbols": rng.choice(["classic", "escape"]),
        "hands": rng.choice(["hidden", "open"]),
        "supply": rng.choice(["deck", "row"]),
        "row_size": rng.choice([1, 2, 3, 5, 12, 20]),
        "copies": rng.choice([10, 10, 10, 11, 17, 30]),
        "scenario": scenario,
        "passage_boards": 0 if scenario == "jungle" else rng.randint(low, 8),
        "jungle_boards": 0 if scenario == "passage" else rng.randint(low, 8),
        "board": rng.choice(["printed", "random", "random"]),
        "pirates": rng.randint(4, 8),
        "actions": actions,
        "min_actions": rng.randint(0, actions),
        "relief": rng.choice(["none", "start", "rest"]),
        "card_gain": rng.choice(["retreat", "morgan", "both", "split"]),
        "scoundrels": rng.random() < 0.5,
        "black_magic": rng.random() < 0.5,
    }
    if rng.random() < 0.5:
        options["first"] = rng.choice(["random", *range(options["players"])])
    for name in list(options):
        if name not in ("preset", "players") and rng.random() < 0.05:
            del options[name]
    return options


def adapt_to_family(rng: Rng, family: str, options: Json) -> None:
    if family == "plain":
        options.update(scoundrels=False, black_magic=False, card_gain="retreat")
        if rng.random() < 0.7:
            # A stalemate is possible only without relief.
            options.update(relief="none", scenario="passage", passage_boards=6, jungle_boards=0)
    if family == "rows":
        options.update(supply="row", black_magic=False)
    if family == "complete":
        options.update(scenario="complete")
    if family == "morgan":
        options.update(card_gain=rng.choice(["morgan", "both", "split"]), black_magic=False)
    if family == "scoundrels":
        options.update(scoundrels=True)
    if family == "magic":
        options.update(black_magic=True)
        options.update(scoundrels=rng.random() < 0.7, actions=rng.randint(2, 5))
    if family == "instants":
        options.update(scoundrels=rng.random() < 0.8, black_magic=rng.random() < 0.7)
        options.update(scenario=rng.choice(["passage", "jungle", "complete", "complete"]))
        options.update(passage_boards=rng.randint(4, 8), jungle_boards=0, actions=rng.randint(2, 5))
        if options["scenario"] == "jungle":
            options.update(passage_boards=0, jungle_boards=rng.randint(4, 8))


def remove_conflicts(rng: Rng, options: Json) -> None:
    """Resolve the most frequent conflicts between options, so that no combination is rare."""
    if options.get("black_magic"):
        options.update(symbols="escape", supply="deck")
    if options.get("scenario") == "complete":
        boards = rng.choice([(3, 3), (3, 4), (3, 5), (4, 3), (4, 4), (5, 3)])
        options.update(passage_boards=boards[0], jungle_boards=boards[1])
        options["relief"] = rng.choice(["start", "rest"])
    elif options.get("card_gain") == "split":
        options["card_gain"] = "both"
    boards_in_all = options.get("passage_boards", 6) + options.get("jungle_boards", 0)
    if options.get("symbols") == "escape" or boards_in_all != 6:
        options["board"] = "random"


def random_position(rng: Rng, given: Json) -> Json:
    """Return a valid position, perhaps unreachable, with random cards, pirates, tokens and turn."""
    while True:
        position = naive.new(given, random_seed(rng))
        if rng.random() < 0.3:
            put_chest_first(position)
        place_pirates(rng, position)
        place_other_state(rng, position)
        place_cards(rng, position)
        try:
            naive.check_position(position)
        except naive.Refusal:
            continue
        return position


def put_chest_first(position: Json) -> None:
    """Put a chest on the first space of each side, where the snake finds no space behind."""
    board = position["board"]
    for first in {0, 6 * position["options"]["passage_boards"]} & set(range(len(board))):
        if "chest" in board:
            chest = board.index("chest", first)
            board[first], board[chest] = board[chest], board[first]


def place_pirates(rng: Rng, position: Json) -> None:
    """Place the pirates: crowded, in pairs, on a part of the route, nearly all at the goal, or all at the start."""
    options = position["options"]
    last = route_end(options)
    standing = dict.fromkeys(range(1, last + 1), 0)
    pirates_by_seat: list[list[int | str]] = [[] for _ in position["players"]]
    crowd = rng.choice([1, 3, 3])
    corner = rng.choice([0, last - 12, max(passage_end(options) - 12, 0)])
    pairs = rng.random() < 0.4
    chests = chest_spaces(position) if options["black_magic"] else []
    where = rng.choice(
        [["space"], ["start", "space"], ["goal"] * 2 + ["space"], ["start", "goal"], ["start"], ["goal"]]
    )
    if where == ["goal"]:
        pairs, corner = True, last - 12
    elif options["scenario"] == "complete":
        where = [*where, "sloop", *rng.choice([[], ["start"], ["space", "space"]])]
    if rng.random() < (0.5 if options["scenario"] == "complete" else 0.3):
        # Occupy all spaces of one symbol, so that its cards move pirates to the end of the side.
        full = rng.choice(position["board"])
        for space in standing:
            pirates = rng.choice(pirates_by_seat)
            if position["board"][space - 1] == full and len(pirates) < options["pirates"] - 1:
                pirates.append(space)
                standing[space] = 1
    for player, pirates in zip(position["players"], pirates_by_seat, strict=True):
        while len(pirates) < options["pirates"]:
            place: int | str = rng.choice(where)
            if pirates and pairs and rng.random() < 0.6:
                place = pirates[-1]
            if place == "sloop" and pirates.count("sloop") == 3:
                place = "start"
            if place == "goal" and set(pirates) <= {"goal"} and len(pirates) >= options["pirates"] - 2:
                place = "space"
            if place == "space":
                some = rng.sample(chests, min(len(chests), rng.randint(0, 2))) or chests[:1]
                wanted = [*some, rng.randint(corner + 1, corner + 12), rng.randint(1, last)]
                place = next((space for space in wanted if standing[space] < crowd), "start")
            if isinstance(place, int):
                if standing[place] == 3:
                    place = "start"
                else:
                    standing[place] += 1
            pirates.append(place)
        player["pirates"] = sorted(pirates, key=lambda place: order_on_route(options, place))


def place_other_state(rng: Rng, position: Json) -> None:
    options = position["options"]
    seats = list(range(options["players"]))
    for seat in rng.sample(seats, rng.choice([0, 0, 0, options["players"] - 2])):
        position["players"][seat]["resigned"] = True
    left = [seat for seat in seats if not position["players"][seat]["resigned"]]
    position["turn"] = {
        "seat": rng.choice(left),
        "taken": rng.choice([0, 0, rng.randint(0, options["actions"])]),
        "captain_used": options["scenario"] == "complete" and rng.random() < 0.2,
    }
    position["forced_passes"] = rng.randrange(len(left))
    position["shuffles"] = rng.choice([0, 1, 12])
    if options["scenario"] == "complete":
        position["sloop"] = rng.choice(["cartagena", "tortuga"])
    if options["black_magic"]:
        position["chest_shuffles"] = rng.randrange(3)
        spaces = chest_spaces(position)
        tokens = rng.sample(TOKENS, len(TOKENS))
        mine = [
            place for place in position["players"][position["turn"]["seat"]]["pirates"] if place in spaces
        ]
        if mine and rng.random() < 0.4:
            # Put the snake under a pirate that may open it now.
            here, snake = spaces.index(rng.choice(mine)), tokens.index("snake")
            tokens[here], tokens[snake] = tokens[snake], tokens[here]
        down = {str(space): token for space, token in zip(spaces, tokens, strict=False)}
        position["chests_aside"] = tokens[len(spaces) :]
        position["chests"] = {s: t for s, t in down.items() if t == "snake" or rng.random() < 0.7}


def place_cards(rng: Rng, position: Json) -> None:
    """Deal all cards: empty, usual or large hands, an exhausted supply, sometimes a pending choice."""
    options = position["options"]
    cards = all_cards(options)
    rng.shuffle(cards)
    left = [seat for seat, player in enumerate(position["players"]) if not player["resigned"]]
    seat = position["turn"]["seat"]
    sizes = rng.choice([[0], [0], [0, 0, 0, 1], [0, 1, 3, 6], [5, 7, 8, 9], [7, 8, 12], [0, 9]])
    for player in position["players"]:
        size = 0 if player["resigned"] else rng.choice(sizes)
        player["hand"] = sorted(cards[:size])
        del cards[:size]

    if options["black_magic"]:
        taken = {place for player in position["players"] for place in player["pirates"]}
        free = {symbol for space, symbol in enumerate(position["board"], 1) if space not in taken}
        full = sorted(set(position["board"]) - free)
        # If all spaces of a symbol are occupied, try a hook with that symbol.
        hands = (*([["hook", symbol] for symbol in full]), ["parrot", "parrot*"])
        outside = {place for place in position["players"][seat]["pirates"] if place != "goal"}
        last_pair = len(outside) == 1 and position["players"][seat]["pirates"].count("goal") > 1
        if last_pair:
            hands = (["hook", *sorted(set(position["board"]))], ["parrot", "parrot*"])
        for card in rng.choice(hands if last_pair or (full and rng.random() < 0.4) else POWER_HANDS):
            # A random deal would rarely give the seat the right power.
            if card in cards:
                cards.remove(card)
                position["players"][seat]["hand"] = sorted([*position["players"][seat]["hand"], card])

    position["pending"] = None
    if options["black_magic"] and rng.random() < 0.35:
        kind = rng.choice(["share", "stack", "steal", "steal"])
        dark = options["scoundrels"] and rng.random() < 0.7
        position["pending"] = {"kind": kind, "seat": seat, "dark": dark}
        if kind == "steal":
            position["pending"]["from"] = rng.choice([other for other in left if other != seat])
        else:
            most = (1, 4) if kind == "stack" else (len(left) + 1, options["players"] + 1)
            number = rng.randint(*most)
            position["pending"]["cards"] = sorted(cards[:number])
            del cards[:number]
    elif options["scoundrels"] and rng.random() < 0.25:
        above = {str(s): len(position["players"][s]["hand"]) - 7 for s in left if rng.random() < 0.8}
        owed = {s: number for s, number in above.items() if number > 0}
        position["pending"] = {"kind": "discard", "owed": owed} if owed else None

    if options["supply"] == "row":
        size = rng.choice([0, 1, 1, 2, options["row_size"]])
        position["row"] = cards[:size]
        del cards[:size]
    drained = rng.random() < 0.4
    if drained:
        # Put nearly all cards into one hand, so that decks run out, rows are short and rum is refused.
        rich = rng.choice([s for s in left if not has_pending_discard(position, s)] or [None])
        if rich is not None:
            stay = rng.choice([0, 0, 1, 2, 4, 7])
            hand = position["players"][rich]["hand"] + cards[stay:]
            position["players"][rich]["hand"] = sorted(hand)
            del cards[stay:]
    cut = rng.choice([0, 0, 1, 2, len(cards) // 2, len(cards)])
    position["deck"], position["discard"] = cards[:cut], cards[cut:]


def has_pending_discard(position: Json, seat: int) -> bool:
    pending = position["pending"]
    return pending is not None and str(seat) in pending.get("owed", {})
