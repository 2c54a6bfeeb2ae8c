"""Inference of hidden hands: which cards another seat probably holds, given the jumps it did not make.

A seat that could have made a long jump with a symbol and did not is less likely to hold it. The history is read
backwards. At the start of each of a seat's last turns, the longest jump of each symbol gives a factor for the cards
that the seat held then and still holds. `python -m app.research.hands` measures the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.rules import Json
from app.rules.core.route import Route

__all__ = ["FACTORS", "NEUTRAL_FACTOR", "Layer", "declined_layers", "factor_row", "likelihoods"]

NEUTRAL_FACTOR = 100
"""Factor, in percent, that leaves a weight unchanged."""
_MAX_TURNS = 3
"""Number of each seat's last turns that are used."""
_JUMP_LIMITS = (3, 6, 9, 12, 16, 21, 27)
_JUMP_BUCKET = [sum(jump > limit for limit in _JUMP_LIMITS) for jump in range(64)]
_OCCUPIED = bytes([0] + [255] * 255)

FACTORS: tuple[tuple[int, ...], ...] = (
    (172, 142, 131, 81, 60, 18, 13, 13),
    (141, 130, 102, 52, 27, 17, 8, 7),
    (128, 117, 108, 82, 60, 30, 13, 9),
)
"""Factors in percent, by cards held (up to 2, up to 5, more) and by bucket of the longest jump declined."""

_EVENTS_WITHOUT_MOVES = frozenset(
    "sailed rested cards_drawn row_laid deck_shuffled turn_passed stalemate_broken discard_owed"
    " cards_discarded".split()
)
"""Types of events that move no pirate."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What one of a seat's turns tells about its hand."""

    count: int
    """Cards that the seat already held at the start of the turn and still holds now."""
    held: int
    """All cards that the seat held at the start of the turn."""
    jumps: tuple[int, ...]
    """Bucket of the longest jump that each symbol allowed."""


def declined_layers(
    view: Json, history: Sequence[Json], route: Route, seats: Sequence[int]
) -> dict[int, list[Layer]]:
    """Return a layer for each of the last turns of each seat, latest first, as far back as pirates can be tracked."""
    places = route.places
    pirates = [[places[place] for place in player["pirates"]] for player in view["players"]]
    occupancy = bytearray(len(route.names))
    for seat_places in pirates:
        for place in seat_places:
            occupancy[place] += 1
    unknown = {seat: int(view["players"][seat]["cards"]) for seat in seats}
    held = dict(unknown)
    found: dict[int, list[Layer]] = {seat: [] for seat in seats}
    open_seats = set(seats)
    for event in reversed(history):
        kind = event["type"]
        if kind in ("advanced", "retreated", "morgan_moved"):
            mover = event["player"] if kind == "morgan_moved" else event["seat"]
            origin, to = places[event["from"]], places[event["to"]]
            if to not in pirates[mover]:
                break
            pirates[mover].remove(to)
            pirates[mover].append(origin)
            occupancy[to] -= 1
            occupancy[origin] += 1
            if kind == "advanced" and mover in held:
                held[mover] += 1
        elif kind not in _EVENTS_WITHOUT_MOVES:
            break
        elif kind == "cards_drawn" and event["seat"] in held:
            held[event["seat"]] -= event["count"]
            unknown[event["seat"]] -= event["count"]
        elif kind == "cards_discarded" and event["seat"] in held:
            held[event["seat"]] += len(event["cards"])
        elif kind == "turn_passed" and event["next"] in open_seats:
            seat = event["next"]
            if unknown[seat] <= 0 or held[seat] < 0:
                open_seats.discard(seat)
            else:
                found[seat].append(
                    Layer(unknown[seat], held[seat], _longest_jumps(route, pirates[seat], occupancy))
                )
                if len(found[seat]) == _MAX_TURNS:
                    open_seats.discard(seat)
            if not open_seats:
                break
    return found


def _longest_jumps(route: Route, pirates: Sequence[int], occupancy: bytearray) -> tuple[int, ...]:
    occupied = int.from_bytes(occupancy.translate(_OCCUPIED), "big")
    free = (occupied | route.symbol_bits).to_bytes(len(occupancy), "big")
    spots = sorted({place for place in pirates if place != route.goal})
    longest = []
    for symbol in range(6):
        best = 0
        for place in spots:
            end = route.side_end[place]
            to = free.find(symbol, place + 1, end)
            best = max(best, (end if to < 0 else to) - place)
        longest.append(_JUMP_BUCKET[best])
    return tuple(longest)


def factor_row(held: int) -> int:
    """Return the row of FACTORS for a seat that held this many cards."""
    return 0 if held < 3 else 1 if held < 6 else 2


def likelihoods(layers: Sequence[Layer]) -> list[tuple[int, list[int]]]:
    """Return (number of cards, weight of each symbol) for groups of cards in a hand, those held longest first.

    Cards not counted in any group were drawn later; nothing is known about them.
    """
    groups: list[tuple[int, list[int]]] = []
    weights = [NEUTRAL_FACTOR * NEUTRAL_FACTOR] * 6
    counts = [*(layer.count for layer in layers), 0]
    for layer, earlier in zip(layers, counts[1:], strict=True):
        row = FACTORS[factor_row(layer.held)]
        weights = [
            weight * row[jump] // NEUTRAL_FACTOR for weight, jump in zip(weights, layer.jumps, strict=True)
        ]
        if layer.count > earlier:
            groups.append((layer.count - earlier, [max(1, weight) for weight in weights]))
    groups.reverse()
    return groups
