"""What the reasons of hints claim, computed a second time from positions as JSON, without app/bots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app import rules

Json = dict[str, Any]

JUMPS = ("advance", "parrot", "hook")
GAINS = ("retreat", "morgan", "draw")


@dataclass(frozen=True)
class Line:
    """A turn as JSON: the actions and the position before and after each; cards of unknown kind are in `cards`."""

    seat: int
    actions: list[Json]
    states: list[Json]

    @property
    def first(self) -> Json:
        return self.states[0]

    @property
    def last(self) -> Json:
        return self.states[-1]

    def pairs(self) -> list[tuple[Json, Json, Json]]:
        return list(zip(self.actions, self.states, self.states[1:], strict=False))


def state_of(position: rules.Position) -> Json:
    """Return what a seat sees on the table, with the kinds of the cards that are known in each hand."""
    route = position.ruleset.route
    return {
        "options": rules.options_to_json(position.options),
        "board": list(route.symbols),
        "pirates": [[route.names[place] for place in places] for places in position.pirates],
        "hands": [list(position.hand_names(seat)) for seat in range(len(position.pirates))],
        "cards": list(position.hand_sizes),
        "resigned": list(position.resigned),
        "sloop": position.sloop,
        "winner": position.winner,
    }


def line_of(turn: Any) -> Line:
    return Line(
        turn.seat, [rules.action_to_json(a) for a in turn.actions], [state_of(p) for p in turn.positions]
    )


def spaces(state: Json) -> tuple[int, int]:
    """Return the number of spaces of the first side and of both; the first is 0 without a sloop."""
    is_complete = state["options"]["scenario"] == "complete"
    return (state["options"]["passage_boards"] * 6 if is_complete else 0), len(state["board"])


def distance(state: Json, place: Any) -> int:
    passage, every = spaces(state)
    if place == "start":
        return 0
    if place == "sloop":
        return passage + 1
    if place == "goal":
        return every + (2 if passage else 1)
    return int(place) + (1 if passage and place > passage else 0)


def distances(state: Json, seat: int) -> list[int]:
    return sorted(distance(state, place) for place in state["pirates"][seat])


def standing(state: Json, place: Any) -> int:
    return sum(places.count(place) for places in state["pirates"])


def side_of(state: Json, place: Any) -> range:
    """Return the spaces of the side that a pirate at the place can advance on or retreat on."""
    passage, every = spaces(state)
    if not passage:
        return range(1, every + 1)
    if place == "start" or (place == "sloop" and state["sloop"] == "cartagena"):
        return range(1, passage + 1)
    if place in ("sloop", "goal"):
        return range(passage + 1, every + 1)
    return range(1, passage + 1) if place <= passage else range(passage + 1, every + 1)


def jump_of(state: Json, seat: int, symbol: str, place: Any) -> int:
    """Return how far a card with the symbol takes a pirate; 0 if it cannot be played."""
    passage, _ = spaces(state)
    if place == "goal" or (place == "sloop" and state["sloop"] == "cartagena"):
        return 0
    here = distance(state, place)
    side = side_of(state, place)
    for space in side:
        if (
            distance(state, space) > here
            and state["board"][space - 1] == symbol
            and not standing(state, space)
        ):
            return distance(state, space) - here
    if passage and side.start == 1:
        has_room = state["sloop"] == "cartagena" and state["pirates"][seat].count("sloop") < 3
        return passage + 1 - here if has_room else 0
    return distance(state, "goal") - here


def held(state: Json, seat: int) -> list[str]:
    return [card.rstrip("*") for card in state["hands"][seat]]


def furthest(state: Json, seat: int, symbols: Any) -> int:
    return max((jump_of(state, seat, s, p) for s in symbols for p in state["pirates"][seat]), default=0)


def draw_of(state: Json, place: Any) -> int:
    """Return how many cards a retreat from the place draws; 0 if it is impossible."""
    if place in ("start", None) or (place == "sloop" and state["sloop"] != "cartagena"):
        return 0
    behind = [s for s in side_of(state, place) if distance(state, s) < distance(state, place)]
    company = [s for s in behind if standing(state, s) in (1, 2)]
    return standing(state, company[-1]) if company else 0


def draws(state: Json, seat: int) -> list[int]:
    if state["options"]["card_gain"] == "morgan":
        return [0]
    return [draw_of(state, place) for place in state["pirates"][seat]]


def others(line: Line) -> list[int]:
    return [n for n in range(len(line.first["pirates"])) if n != line.seat and not line.last["resigned"][n]]


def progress(line: Line, seat: int) -> int:
    return sum(distances(line.last, seat)) - sum(distances(line.first, seat))


def gained(line: Line, place: str) -> int:
    before: int = line.first["pirates"][line.seat].count(place)
    after: int = line.last["pirates"][line.seat].count(place)
    return after - before


def jump_lengths(line: Line) -> list[int]:
    found = [0]
    for action, before, after in line.pairs():
        if action["type"] in JUMPS:
            length = sum(distances(after, line.seat)) - sum(distances(before, line.seat))
            found.append(length // 2 if action["type"] == "hook" else length)
    return found


def leader_gain(line: Line) -> int:
    most = max(sum(distances(line.first, other)) for other in others(line))
    return max(progress(line, other) for other in others(line) if sum(distances(line.first, other)) == most)


def reach(line: Line) -> int:
    return sum(furthest(line.last, line.seat, [symbol]) for symbol in held(line.last, line.seat))


def last_jump(line: Line) -> int:
    last = min(line.last["pirates"][line.seat], key=lambda place: distance(line.last, place))
    return max((jump_of(line.last, line.seat, s, last) for s in held(line.last, line.seat)), default=0)


def rear(line: Line) -> int:
    half = (len(line.last["pirates"][line.seat]) + 1) // 2
    return sum(distances(line.last, line.seat)[:half]) - sum(distances(line.first, line.seat)[:half])


def copies(line: Line) -> int:
    card = line.actions[0].get("card") or line.actions[0]["cards"][0]
    return held(line.first, line.seat).count(card.rstrip("*"))


def cards_drawn(line: Line) -> int:
    return sum(
        after["cards"][line.seat] - before["cards"][line.seat]
        for action, before, after in line.pairs()
        if action["type"] in GAINS
    )


def forced_discards(line: Line) -> int:
    return sum(
        max(0, before["cards"][other] - after["cards"][other])
        for action, before, after in line.pairs()
        if action["type"] != "pistol" and "*" in str(action)
        for other in others(line)
    )


def plays(kind: str) -> Callable[[Line], int]:
    return lambda line: int(any(action["type"] == kind for action in line.actions))


MORE_IS_BETTER: dict[str, Callable[[Line], int]] = {
    "home": lambda line: gained(line, "goal"),
    "out": lambda line: -gained(line, "start"),
    "draws": cards_drawn,
    "jump": lambda line: max(jump_lengths(line)),
    "spaces": lambda line: progress(line, line.seat),
    "last": lambda line: distances(line.last, line.seat)[0] - distances(line.first, line.seat)[0],
    "rear": rear,
    "saves": lambda line: line.last["cards"][line.seat],
    "company": lambda line: max(draws(line.last, line.seat)),
    "retreats_left": lambda line: sum(n > 0 for n in draws(line.last, line.seat)),
    "jump_left": lambda line: furthest(line.last, line.seat, held(line.last, line.seat)),
    "last_jump_left": last_jump,
    "reach": reach,
    "copies": copies,
    "variety": lambda line: len(set(held(line.last, line.seat))),
    "aboard": lambda line: line.last["pirates"][line.seat].count("sloop"),
    "ferries": lambda line: sum(
        before["pirates"][line.seat].count("sloop")
        for action, before, after in line.pairs()
        if action["type"] == "sail" and after["sloop"] == "tortuga"
    ),
    "fetches": lambda line: int((line.first["sloop"], line.last["sloop"]) == ("tortuga", "cartagena")),
    "dark": forced_discards,
    "aims": plays("pistol"),
    "rum": plays("rum"),
    "lantern": plays("lantern"),
    "chest": plays("chest"),
}
LESS_IS_BETTER: dict[str, Callable[[Line], int]] = {
    "loses_little": lambda line: -progress(line, line.seat),
    "gives_little": lambda line: sum(progress(line, other) for other in others(line)),
    "spares_leader": leader_gain,
    "denies_jump": lambda line: max(
        furthest(line.last, other, set(line.last["board"])) for other in others(line)
    ),
    "denies_retreat": lambda line: max(max(draws(line.last, other)) for other in others(line)),
}


def holds(why: str, n: int, line: Line) -> bool:
    """Return whether the turn reaches what the reason claims."""
    why = why.removesuffix("_turn")
    if why in LESS_IS_BETTER:
        return LESS_IS_BETTER[why](line) <= n
    if why == "copies" and not ("card" in line.actions[0] or "cards" in line.actions[0]):
        return False
    return MORE_IS_BETTER[why](line) >= n
