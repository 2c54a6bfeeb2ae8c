"""Random tables and random play for the property tests: every subset of the modules, every kind of player."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from app import rules
from app.rules.core.cards import SYMBOLS
from app.rules.modules.black_magic.chest import Chest
from app.rules.modules.black_magic.chest_tokens import TOKENS
from app.rules.modules.black_magic.lantern import Lantern
from app.rules.modules.black_magic.pistol import Pistol, Steal
from app.rules.modules.black_magic.rum import Rum
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import Morgan
from app.rules.modules.scoundrels import Discard, OwedDiscard

Audience = int | None


@dataclass(frozen=True)
class Step:
    """One action of a game: what it was before and after, and what happened."""

    before: rules.Position
    seat: int
    action: rules.Action
    after: rules.Position
    events: tuple[rules.Event, ...]


def audiences(position: rules.Position) -> list[Audience]:
    return [None, *range(position.options.players)]


@st.composite
def tables(draw: st.DrawFn, /, **fixed: Any) -> rules.Options:
    """Options over all subsets of the modules; nothing that is forbidden."""
    chosen: dict[str, Any] = {"players": draw(st.integers(2, 5))}
    scenario = fixed.get("scenario") or draw(st.sampled_from(["passage", "jungle", "complete"]))
    magic = draw(st.booleans())
    symbols = "escape" if magic else draw(st.sampled_from(["escape", "classic"]))
    sides = {
        "passage": (draw(st.integers(4, 8)), 0),
        "jungle": (0, draw(st.integers(4, 8))),
        "complete": draw(st.sampled_from([(p, j) for p in (3, 4, 5) for j in (3, 4, 5) if p + j <= 8])),
    }
    chosen["passage_boards"], chosen["jungle_boards"] = sides[scenario]
    is_six = sum(sides[scenario]) == 6
    chosen |= {
        "preset": draw(st.sampled_from(sorted(rules.PRESETS))),
        "scenario": scenario,
        "symbols": symbols,
        "board": "printed" if is_six and symbols == "classic" and draw(st.booleans()) else "random",
        "hands": draw(st.sampled_from(["hidden", "open"])),
        "supply": "deck" if magic else draw(st.sampled_from(["deck", "row"])),
        "row_size": draw(st.sampled_from([1, 2, 3, 10, 12, 20])),
        "copies": draw(st.sampled_from([10, 10, 11, 17, 30])),
        "pirates": draw(st.sampled_from([4, 4, 5, 6, 8])),
        "actions": draw(st.integers(1, 5)),
        "relief": draw(st.sampled_from(["rest", "start"] + ["none"] * (scenario != "complete"))),
        "card_gain": draw(
            st.sampled_from(["retreat", "morgan", "both"] + ["split"] * (scenario == "complete"))
        ),
        "scoundrels": draw(st.booleans()),
        "black_magic": magic,
    }
    chosen["min_actions"] = draw(st.integers(0, chosen["actions"]))
    chosen["first"] = draw(st.sampled_from(["random", *range(chosen["players"])]))
    return rules.parse_options(chosen | fixed)


def scattered(options: rules.Options, chance: random.Random) -> rules.Position:
    """Any valid position, mostly one that no game would reach soon: late, crowded, short of cards."""
    json = rules.position_to_json(rules.new_game(options, f"{chance.getrandbits(256):064x}"))
    spaces: Counter[Any] = Counter()
    seats = list(range(options.players))
    # Nobody has a card and nobody company: the guard against getting stuck has to help.
    is_stuck = chance.random() < 0.8 and (options.relief, options.card_gain) == ("none", "retreat")
    gone = chance.sample(seats, chance.randrange(options.players - 1)) if chance.random() < 0.3 else []
    for seat, player in enumerate(json["players"]):
        places: list[Any] = []
        while len(places) < options.pirates:
            # Often beside the one before: company, hooks and full spaces need it.
            is_beside = places and chance.random() < 0.3
            place = places[-1] if is_beside else _somewhere(options, json["board"], chance)
            place = "start" if is_stuck else place
            aboard = place == "sloop" and places.count("sloop") == 3
            if not aboard and (isinstance(place, str) or spaces[place] < 3):
                places.append(place)
                spaces[place] += 1
        if set(places) == {"goal"}:
            places[0] = "start"
        order = ["start", *range(1, 6 * options.passage_boards + 1), "sloop"]
        order += [*range(6 * options.passage_boards + 1, len(json["board"]) + 1), "goal"]
        player["pirates"] = sorted(places, key=order.index)
        player["resigned"] = seat in gone
    _deal(json, options, seats if is_stuck else gone, chance)
    if options.scenario == "complete":
        json["sloop"] = chance.choice(["cartagena", "tortuga"])
        json["turn"]["captain_used"] = chance.random() < 0.2
    json["turn"]["seat"] = chance.choice([seat for seat in seats if seat not in gone])
    json["turn"]["taken"] = chance.choice([0, 0, chance.randint(0, options.actions)])
    json["forced_passes"] = chance.randrange(options.players - len(gone))
    json["shuffles"] = chance.randrange(3)
    if options.black_magic:
        _open_some_chests(json, chance)
    return rules.position_from_json(json)


def _somewhere(options: rules.Options, board: list[str], chance: random.Random) -> Any:
    if chance.random() < 0.3:
        return chance.choice(["start", "goal"] + ["sloop"] * (options.scenario == "complete"))
    if options.black_magic and chance.random() < 0.4:
        return chance.choice([space for space, symbol in enumerate(board, 1) if symbol == "chest"])
    return chance.randint(1, chance.choice([len(board), 8]))


def _deal(json: Any, options: rules.Options, gone: list[int], chance: random.Random) -> None:
    cards = [card for player in json["players"] for card in player["hand"]] + json["deck"] + json["row"]
    chance.shuffle(cards)
    for seat, player in enumerate(json["players"]):
        count = 0 if seat in gone else chance.choice([0, 1, 2, 6, 8, chance.randint(0, 12)])
        player["hand"] = sorted(cards[:count])
        del cards[:count]
    row = chance.randint(0, options.row_size) if options.supply == "row" else 0
    json["row"], cards = cards[:row], cards[row:]
    holding = [seat for seat in range(options.players) if seat not in gone]
    if holding and chance.random() < 0.3:
        # Nearly all cards are in hands: supplies that run dry.
        left = chance.randint(0, 5)
        json["players"][chance.choice(holding)]["hand"] += cards[left:]
        cards = cards[:left]
        for player in json["players"]:
            player["hand"].sort()
    cut = chance.choice([0, 1, len(cards), chance.randint(0, len(cards))])
    json["deck"], json["discard"] = cards[: len(cards) - cut], cards[len(cards) - cut :]


def _open_some_chests(json: Any, chance: random.Random) -> None:
    tokens = list(TOKENS)
    chance.shuffle(tokens)
    spaces = list(json["chests"])
    under = [
        at for at, space in enumerate(spaces) if any(int(space) in p["pirates"] for p in json["players"])
    ]
    if under:
        # The snake under somebody: else hardly any of these games would meet it.
        at, snake = chance.choice(under), tokens.index("snake")
        tokens[at], tokens[snake] = tokens[snake], tokens[at]
    json["chests"] = {
        space: token
        for space, token in zip(spaces, tokens, strict=False)
        if token == "snake" or chance.random() < 0.6
    }
    json["chests_aside"] = tokens[len(spaces) :]


MOODS: dict[str, dict[str, float]] = {
    "anything": {},
    "hoarder": {"retreat": 20, "morgan": 20, "chest": 5},
    "runner": {"advance": 20, "parrot": 20, "hook": 20, "end": 0.2},
    "wizard": {"pistol": 30, "rum": 30, "lantern": 30, "chest": 60, "parrot": 5, "hook": 40},
    "sailor": {"sail": 30, "advance": 5},
    "idler": {"end": 30, "draw": 30},
}


def choose(position: rules.Position, seat: int, mood: str, chance: random.Random) -> rules.Action:
    listed = rules.legal(position, seat)
    weights = [MOODS[mood].get(rules.action_to_json(action)["type"], 1) for action in listed]
    action = chance.choices(listed, weights)[0]
    if isinstance(action, OwedDiscard):
        return Discard(tuple(chance.sample(position.hand_names(seat), action.count)))
    return action


def walk(
    position: rules.Position, chance: random.Random, steps: int, mood: str, resigning: float = 0.01
) -> list[Step]:
    """So many steps of play, fewer if the game is won."""
    taken: list[Step] = []
    action: rules.Action
    while len(taken) < steps and position.winner is None:
        # Debts make resigning interesting.
        if chance.random() < resigning * (5 if position.pending else 1):
            seat, action = chance.choice(position.seats_in), rules.Resign()
        else:
            seat = chance.choice(rules.seats_to_act(position))
            action = choose(position, seat, mood, chance)
        after, events = rules.apply(position, seat, action)
        taken.append(Step(position, seat, action, after, events))
        position = after
    return taken


@st.composite
def games(draw: st.DrawFn, /, steps: int = 40, **fixed: Any) -> list[Step]:
    """A stretch of a game from its deal, or from anywhere."""
    options = draw(tables(**fixed))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        start = rules.new_game(options, f"{chance.getrandbits(256):064x}")
    else:
        start = scattered(options, chance)
    mood = draw(st.sampled_from(sorted(MOODS)))
    return walk(start, chance, steps, mood, draw(st.sampled_from([0, 0, 0.02, 0.1])))


def every_action(options: rules.Options, position: rules.Position) -> list[rules.Action]:
    """Everything a seat could say at this table with one card or none, legal or not."""
    cards = [name + mark for name in SYMBOLS[options.symbols] for mark in ("", "*")]
    places = [*position.ruleset.route.names, "sloop", len(position.ruleset.route.symbols) + 1]
    seats = range(options.players + 1)
    said: list[rules.Action] = [Sail(), rules.Draw(), rules.End()]
    said += [rules.Advance(card, place) for card in cards for place in places]
    said += [rules.Retreat(place) for place in places]
    said += [Morgan(seat, place) for seat in seats for place in places]
    said += [Pistol(card, seat) for card in cards for seat in seats]
    for kind in (Steal, Rum, Lantern):
        said += [kind(card) for card in cards]
    said += [Chest(card, place) for card in cards for place in places]
    return said
