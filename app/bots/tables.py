"""Lookup tables of the evaluation: the features of a seat in a position, as table entries.

An entry is a number below `SIZE`. A seat's score is the sum of the weights of its entries, so a list of integers
describes a seat completely, for playing (app/bots/evaluation.py) and for training (app/research).

Games with other numbers of boards or pirates are scaled to six boards and six pirates.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.rules.core.movement import company_flags
from app.rules.core.position import TORTUGA, Position, Ruleset

__all__ = ["MAX_ENTRIES", "SIZE", "TABLES", "TableIndex"]

_PLACES = 39
_RANKS = 6
_LEFT_LIMITS = (6, 12, 20, 30, 42, 58, 78, 100, 125, 150, 180)
_LEFT_BUCKETS = len(_LEFT_LIMITS) + 1
_MAX_HELD = 19
_STRANDED, _RELIEVED = _MAX_HELD + 1, _MAX_HELD + 2
"""Rows of `held_left` for a seat without cards that cannot retreat: without and with relief."""
_HELD_ROWS = _MAX_HELD + 3
_UNKNOWN_COUNT = 4
_BEST_LIMITS = (3, 6, 9, 12, 16, 21, 27)
_REAR_LIMITS = (0, 4, 8, 13, 20)
_BEST_BUCKETS, _REAR_BUCKETS = len(_BEST_LIMITS) + 1, len(_REAR_LIMITS) + 1
_DISTANCE_LIMITS = (2, 5, 9, 15)
_LEADS = 25
_HELD_LEADS = 13
_PHASE_LIMITS = (8, 20, 40, 65, 95, 130, 170)

_LAYOUT: tuple[tuple[str, int], ...] = (
    ("rank_place", _RANKS * _PLACES),
    ("held_left", _HELD_ROWS * _LEFT_BUCKETS),
    ("variety", 7 * 4),
    ("road", (_UNKNOWN_COUNT + 1) * _BEST_BUCKETS * _REAR_BUCKETS),
    ("retreat", 4 * 11),
    ("home_rear", 7 * 13),
    ("lead_held", _LEADS * _HELD_LEADS),
    ("phase_lead", (len(_PHASE_LIMITS) + 1) * _LEADS),
    ("sloop", 8 * 7),
    ("power", 6 * 4),
)
TABLES: dict[str, range] = {}
"""Range of entries of each table."""
for _name, _length in _LAYOUT:
    _first = max((entries.stop for entries in TABLES.values()), default=0)
    TABLES[_name] = range(_first, _first + _length)
SIZE = TABLES["power"].stop
MAX_ENTRIES = 48
"""Upper bound of the entries of a seat: eight ranks, eight retreats, six roads, six powers and single ones."""

_RANK_PLACE, _HELD_LEFT, _VARIETY, _ROAD, _RETREAT, _HOME_REAR, _LEAD_HELD, _PHASE_LEAD, _SLOOP, _POWER = (
    entries.start for entries in TABLES.values()
)


def _buckets(limits: Sequence[int], size: int) -> list[int]:
    """Return the bucket of each number below `size`: how many of the limits it exceeds."""
    return [sum(number > limit for limit in limits) for number in range(size)]


_LEFT_BUCKET = _buckets(_LEFT_LIMITS, 240)
_PHASE_BUCKET = [_PHASE_LEAD + _LEADS * bucket for bucket in _buckets(_PHASE_LIMITS, 240)]
_BEST_ENTRY = [_ROAD + bucket * _REAR_BUCKETS for bucket in _buckets(_BEST_LIMITS, 64)]
_REAR_BUCKET = _buckets(_REAR_LIMITS, 64)
_COUNT_STEP = _BEST_BUCKETS * _REAR_BUCKETS
_DISTANCE_BUCKET = [1 + 2 * bucket for bucket in _buckets(_DISTANCE_LIMITS, 64)]
_HAND_BUCKET = [0, 1, 1, 2, 2, 2] + [3] * 250
_OCCUPIED = bytes([0] + [255] * 255)
_STANDARD_LEFT = 222
_STANDARD_GOAL = 37
_SYMBOLS = range(6)


class TableIndex:
    """Computes the table entries of seats, for positions of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        route, options = ruleset.route, ruleset.options
        pirates, goal, sloop = options.pirates, route.goal, route.sloop
        scaled = [_scale_place(place, goal, sloop) for place in range(goal + 1)]
        ranks = [rank if pirates == _RANKS else rank * _RANKS // pirates for rank in range(pirates)]
        self._rank_rows = [[_RANK_PLACE + rank * _PLACES + place for place in scaled] for rank in ranks]
        longest = goal * pirates
        standard = _STANDARD_LEFT if sloop < 0 else _STANDARD_LEFT + _RANKS
        self._left = [left * standard // longest for left in range(longest + 1)]
        self._home_rows = [_HOME_REAR + 13 * (home * _RANKS // pirates) for home in range(pirates + 1)]
        self._rear_bucket = [min(12, place // 3) for place in scaled]
        self._longest = longest
        self._goal, self._sloop = goal, sloop
        self._ends, self._behind = route.side_end, route.range_behind
        self._symbol_bits, self._length = route.symbol_bits, goal + 1
        self._has_relief = options.relief != "none"
        self._has_dark = len(ruleset.kinds.names) > len(_SYMBOLS)
        self._has_powers = options.black_magic
        self._can_retreat = options.card_gain != "morgan"
        self._is_open = options.hands == "open"

    def entries(self, position: Position, viewer: int | None = None) -> list[list[int]]:
        """Return the entries of each seat, none for a seat that has resigned.

        Hands hidden from the viewer count as unknown; without a viewer all hands are used. Cards that `hand_sizes`
        counts but `hands` does not contain are unknown in either case.
        """
        occupancy = position.occupancy
        occupied = int.from_bytes(occupancy.translate(_OCCUPIED), "big")
        free = (occupied | self._symbol_bits).to_bytes(self._length, "big")
        company = company_flags(position)
        goal, pirates, held, resigned = self._goal, position.pirates, position.hand_sizes, position.resigned
        is_all_known = viewer is None or self._is_open
        left_of, longest = self._left, self._longest
        lefts = [left_of[longest - sum(places)] for places in pirates]
        seats = range(len(pirates))
        found: list[list[int]] = []
        if len(pirates) == 2:
            phase = min(lefts)
        else:
            phase = min([left for left, is_out in zip(lefts, resigned, strict=True) if not is_out])
        for seat in seats:
            if resigned[seat]:
                found.append([])
                continue
            out = self._seat_entries(
                position, seat, is_all_known or seat == viewer, free, company, lefts[seat]
            )
            if len(pirates) == 2:
                rival = 1 - seat
            else:
                rival = min(
                    (lefts[other], other) for other in seats if other != seat and not resigned[other]
                )[1]
            lead = (lefts[rival] - lefts[seat] + 75) // 6
            lead = 0 if lead < 0 else lead if lead < _LEADS else _LEADS - 1
            more = held[seat] - held[rival] + 6
            more = 0 if more < 0 else more if more < _HELD_LEADS else _HELD_LEADS - 1
            out.append(_LEAD_HELD + lead * _HELD_LEADS + more)
            out.append(_PHASE_BUCKET[phase] + lead)
            places = pirates[seat]
            out.append(self._home_rows[places.count(goal)] + self._rear_bucket[places[0]])
            found.append(out)
        return found

    def _seat_entries(
        self,
        position: Position,
        seat: int,
        is_known: bool,
        free: bytes,
        company: bytes | bytearray,
        left: int,
    ) -> list[int]:
        places, held, goal = position.pirates[seat], position.hand_sizes[seat], self._goal
        out = [row[place] for row, place in zip(self._rank_rows, places, strict=True)]
        hand: Sequence[int] = position.hands[seat]
        if self._has_dark:
            hand = [hand[2 * symbol] + hand[2 * symbol + 1] for symbol in _SYMBOLS]
        if is_known:
            unknown = held - sum(hand)
            out.append(_VARIETY + 4 * (6 - hand.count(0)) + (unknown if unknown < 3 else 3))
            if self._has_powers:
                out += [_POWER + 4 * n + (count if count < 3 else 3) for n, count in enumerate(hand)]
        ends, find = self._ends, free.find
        spots: list[int] = []
        last = -1
        for place in places:
            if place == goal:
                break
            if place != last:
                spots.append(place)
                last = place
        for symbol in _SYMBOLS:
            best = rear = reached = 0
            for place in spots:
                # Before the landing just found, the same card would make a shorter jump.
                if place >= reached:
                    end = ends[place]
                    reached = find(symbol, place + 1, end)
                    if reached < 0:
                        reached = end
                    if reached - place > best:
                        best = reached - place
                    if not rear:
                        rear = reached - place
            if is_known:
                count = hand[symbol]
                if count > 3:
                    count = 3
            else:
                count = _UNKNOWN_COUNT
            out.append(_BEST_ENTRY[best] + count * _COUNT_STEP + _REAR_BUCKET[rear])
        row = held if held < _MAX_HELD else _MAX_HELD
        can_retreat = False
        if self._can_retreat:
            behind, find_back, occupancy = self._behind, company.rfind, position.occupancy
            base = _RETREAT + 11 * _HAND_BUCKET[held]
            for place in spots:
                if place:
                    low, high = behind[place]
                    target = find_back(1, low, high)
                    if target > 0:
                        can_retreat = True
                        out.append(base + _DISTANCE_BUCKET[place - target] + occupancy[target] - 1)
                    else:
                        out.append(base)
        if not held and not can_retreat:
            row = _RELIEVED if self._has_relief else _STRANDED
        out.append(_HELD_LEFT + row * _LEFT_BUCKETS + _LEFT_BUCKET[left])
        sloop = self._sloop
        if sloop >= 0:
            out.append(self._sloop_entry(places, sloop, position.sloop == TORTUGA))
        return out

    @staticmethod
    def _sloop_entry(places: Sequence[int], sloop: int, is_at_tortuga: bool) -> int:
        aboard = places.count(sloop)
        behind = sum(place < sloop for place in places)
        return _SLOOP + 14 * min(aboard, 3) + 7 * is_at_tortuga + min(behind, 6)

    def rough_entries(self, position: Position, seat: int) -> list[int]:
        """Return the entries of a seat that are cheap to compute, for sorting in a search."""
        places, held = position.pirates[seat], position.hand_sizes[seat]
        out = [row[place] for row, place in zip(self._rank_rows, places, strict=True)]
        left = self._left[self._longest - sum(places)]
        row = held if held < _MAX_HELD else _MAX_HELD
        if not held and not self._has_relief:
            company = company_flags(position)
            behind = self._behind
            if not self._can_retreat or all(company.rfind(1, *behind[place]) <= 0 for place in places):
                row = _STRANDED
        out.append(_HELD_LEFT + row * _LEFT_BUCKETS + _LEFT_BUCKET[left])
        out.append(self._home_rows[places.count(self._goal)] + self._rear_bucket[places[0]])
        if self._sloop >= 0:
            out.append(self._sloop_entry(places, self._sloop, position.sloop == TORTUGA))
        return out


def _scale_place(place: int, goal: int, sloop: int) -> int:
    """Return the matching place on a standard route of six boards, or three and three with a sloop."""
    if sloop < 0:
        return place * _STANDARD_GOAL // goal
    if place <= sloop:
        return place * 19 // sloop
    return 19 + (place - sloop) * 19 // (goal - sloop)
