"""Random options, positions and games for property tests, over all subsets of the modules and several play styles."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from app import rules
from app.rules.core.cards import SYMBOL_SETS
from app.rules.modules.black_magic.chest import OpenChest
from app.rules.modules.black_magic.chest_tokens import CHEST_TOKENS
from app.rules.modules.black_magic.lantern import LightLantern
from app.rules.modules.black_magic.pistol import AimPistol, Steal
from app.rules.modules.black_magic.rum import PourRum
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import MoveWithMorgan
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder

Audience = int | None


@dataclass(frozen=True)
class Step:
    """One action of a game, with the positions before and after it and its events."""

    before: rules.Position
    seat: int
    action: rules.Action
    after: rules.Position
    events: tuple[rules.Event, ...]


def audiences(position: rules.Position) -> list[Audience]:
    return [None, *range(position.options.players)]


@st.composite
def tables(draw: st.DrawFn, /, **fixed: Any) -> rules.Options:
    """Generate valid options over all subsets of the modules."""
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


def random_position(options: rules.Options, chance: random.Random) -> rules.Position:
    """Return a random valid position, mostly one that games reach rarely: late, crowded or short of cards."""
    json = rules.position_to_json(rules.new_game(options, f"{chance.getrandbits(256):064x}"))
    spaces: Counter[Any] = Counter()
    seats = list(range(options.players))
    # No cards and no company, which leads to a stalemate.
    is_stuck = chance.random() < 0.8 and (options.relief, options.card_gain) == ("none", "retreat")
    gone = chance.sample(seats, chance.randrange(options.players - 1)) if chance.random() < 0.3 else []
    for seat, player in enumerate(json["players"]):
        places: list[Any] = []
        while len(places) < options.pirates:
            # Often share a space with the previous pirate, for company, hooks and full spaces.
            is_beside = places and chance.random() < 0.3
            place = places[-1] if is_beside else _random_place(options, json["board"], chance)
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


def _random_place(options: rules.Options, board: list[str], chance: random.Random) -> Any:
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
        # Put nearly all cards into a hand, so that the supply runs out.
        left = chance.randint(0, 5)
        json["players"][chance.choice(holding)]["hand"] += cards[left:]
        cards = cards[:left]
        for player in json["players"]:
            player["hand"].sort()
    cut = chance.choice([0, 1, len(cards), chance.randint(0, len(cards))])
    json["deck"], json["discard"] = cards[: len(cards) - cut], cards[len(cards) - cut :]


def _open_some_chests(json: Any, chance: random.Random) -> None:
    tokens = list(CHEST_TOKENS)
    chance.shuffle(tokens)
    spaces = list(json["chests"])
    under = [
        at for at, space in enumerate(spaces) if any(int(space) in p["pirates"] for p in json["players"])
    ]
    if under:
        # Put the snake under a pirate; otherwise it would hardly ever occur.
        at, snake = chance.choice(under), tokens.index("snake")
        tokens[at], tokens[snake] = tokens[snake], tokens[at]
    json["chests"] = {
        space: token
        for space, token in zip(spaces, tokens, strict=False)
        if token == "snake" or chance.random() < 0.6
    }
    json["chests_aside"] = tokens[len(spaces) :]


PLAY_STYLES: dict[str, dict[str, float]] = {
    "anything": {},
    "hoarder": {"retreat": 20, "morgan": 20, "chest": 5},
    "runner": {"advance": 20, "parrot": 20, "hook": 20, "end": 0.2},
    "wizard": {"pistol": 30, "rum": 30, "lantern": 30, "chest": 60, "parrot": 5, "hook": 40},
    "sailor": {"sail": 30, "advance": 5},
    "idler": {"end": 30, "draw": 30},
}


def choose(position: rules.Position, seat: int, style: str, chance: random.Random) -> rules.Action:
    listed = rules.legal(position, seat)
    weights = [PLAY_STYLES[style].get(rules.action_to_json(action)["type"], 1) for action in listed]
    action = chance.choices(listed, weights)[0]
    if isinstance(action, DiscardPlaceholder):
        return Discard(tuple(chance.sample(position.hand_names(seat), action.count)))
    return action


def play_randomly(
    position: rules.Position, chance: random.Random, steps: int, style: str, resigning: float = 0.01
) -> list[Step]:
    """Play up to `steps` random actions and return them; fewer if the game is won."""
    is_accepted: list[Step] = []
    action: rules.Action
    while len(is_accepted) < steps and position.winner is None:
        # Resign more often while a choice is pending.
        if chance.random() < resigning * (5 if position.pending else 1):
            seat, action = chance.choice(position.active_seats), rules.Resign()
        else:
            seat = chance.choice(rules.seats_to_act(position))
            action = choose(position, seat, style, chance)
        after, events = rules.apply(position, seat, action)
        is_accepted.append(Step(position, seat, action, after, events))
        position = after
    return is_accepted


@st.composite
def games(draw: st.DrawFn, /, steps: int = 40, **fixed: Any) -> list[Step]:
    """Generate a part of a game, from its start or from a random position."""
    options = draw(tables(**fixed))
    chance = random.Random(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        start = rules.new_game(options, f"{chance.getrandbits(256):064x}")
    else:
        start = random_position(options, chance)
    style = draw(st.sampled_from(sorted(PLAY_STYLES)))
    return play_randomly(start, chance, steps, style, draw(st.sampled_from([0, 0, 0.02, 0.1])))


def all_actions(options: rules.Options, position: rules.Position) -> list[rules.Action]:
    """Return all actions with at most one card that a seat could send, legal or not."""
    cards = [name + mark for name in SYMBOL_SETS[options.symbols] for mark in ("", "*")]
    places = [*position.ruleset.route.names, "sloop", len(position.ruleset.route.symbols) + 1]
    seats = range(options.players + 1)
    actions: list[rules.Action] = [Sail(), rules.Draw(), rules.End()]
    actions += [rules.Advance(card, place) for card in cards for place in places]
    actions += [rules.Retreat(place) for place in places]
    actions += [MoveWithMorgan(seat, place) for seat in seats for place in places]
    actions += [AimPistol(card, seat) for card in cards for seat in seats]
    for kind in (Steal, PourRum, LightLantern):
        actions += [kind(card) for card in cards]
    actions += [OpenChest(card, place) for card in cards for place in places]
    return actions
