"""Whole turns: every different end of a turn, as a search sees it, against plain enumeration."""

from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from app import rules
from app.rules.modules.scoundrels import OwedDiscards
from bench.turn_ends import turn_ends
from tests.rules.table import picture
from tests.rules.test_properties import tried
from tests.rules.worlds import scattered, tables


def reached(position: rules.Position) -> set[str]:
    """All positions in which the turn can end, by trying everything (no memory, no cleverness)."""
    seat, found, seen = position.seat, set(), set()
    waiting = [position]
    while waiting:
        at = waiting.pop()
        text = text_of(at)
        if text in seen:
            continue
        seen.add(text)
        if at.winner is not None or at.seat != seat or isinstance(at.pending, OwedDiscards):
            found.add(text)
            continue
        for action in rules.legal(at, seat):
            if isinstance(action, rules.End):
                found.add(text)
            else:
                waiting.append(rules.apply(at, seat, action)[0])
    return found


def text_of(position: rules.Position) -> str:
    return json.dumps(rules.position_to_json(position))


def without_order(texts: set[str]) -> set[str]:
    """What a search may take for the same: the order of the discards, the number of actions taken."""
    alike = set()
    for text in texts:
        position = json.loads(text)
        position["discard"].sort()
        position["turn"]["taken"] = None
        alike.add(json.dumps(position))
    return alike


@tried(25)
@given(tables(), st.integers(0, 2**32 - 1))
def test_every_end_of_a_turn_is_found_and_none_that_is_not_one(options, number):
    position = scattered(options, random.Random(number))
    # Two actions are enough to meet every kind of end, and few enough to try everything.
    position.taken = max(position.taken, options.actions - 2)
    if len(rules.legal(position, position.seat)) > 14:
        return
    expected = reached(position)
    if len(expected) > 1500:
        return
    ends = turn_ends(position)
    assert without_order({text_of(end) for end, _ in ends}) == without_order(expected)


@tried(25)
@given(tables(), st.integers(0, 2**32 - 1))
def test_the_way_to_an_end_leads_there(options, number):
    start = scattered(options, random.Random(number))
    for end, way in turn_ends(start, most=300)[:40]:
        position = start
        for action in way:
            position, _ = rules.apply(position, start.seat, action)
        assert position == end


def test_one_turn_written_out():
    before = picture("start:rb hat key goal", red="hat key", options={"actions": 1, "min_actions": 0})
    ways = {tuple(rules.action_to_text(action) for action in way) for _, way in turn_ends(before)}
    assert ways == {(), ("hat start",), ("key start",)}
