"""All distinct ends of a turn as found by the search in bench/turn_ends.py, compared with brute force."""

from __future__ import annotations

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from app import rules
from app.rules.modules.scoundrels import PendingDiscards
from bench.turn_ends import turn_ends
from tests.rules.layout import lay_out
from tests.rules.random_games import random_position, tables
from tests.rules.test_properties import run_examples


def find_turn_ends(position: rules.Position) -> set[str]:
    """Return all positions in which the turn can end, found by brute force."""
    seat, found, seen = position.turn_seat, set(), set()
    waiting = [position]
    while waiting:
        at = waiting.pop()
        text = to_text(at)
        if text in seen:
            continue
        seen.add(text)
        if at.winner is not None or at.turn_seat != seat or isinstance(at.pending, PendingDiscards):
            found.add(text)
            continue
        for action in rules.legal(at, seat):
            if isinstance(action, rules.End):
                found.add(text)
            else:
                waiting.append(rules.apply(at, seat, action)[0])
    return found


def to_text(position: rules.Position) -> str:
    return json.dumps(rules.position_to_json(position))


def without_order(texts: set[str]) -> set[str]:
    """Remove what a search may ignore: the order of the discards and the number of actions taken."""
    alike = set()
    for text in texts:
        position = json.loads(text)
        position["discard"].sort()
        position["turn"]["taken"] = None
        alike.add(json.dumps(position))
    return alike


@run_examples(25)
@given(tables(), st.integers(0, 2**32 - 1))
def test_exactly_the_ends_of_a_turn_are_found(options, number):
    position = random_position(options, random.Random(number))
    # Two actions reach every kind of end and are few enough for brute force.
    position.actions_taken = max(position.actions_taken, options.actions - 2)
    if len(rules.legal(position, position.turn_seat)) > 14:
        return
    expected = find_turn_ends(position)
    if len(expected) > 1500:
        return
    ends = turn_ends(position)
    assert without_order({to_text(end) for end, _ in ends}) == without_order(expected)


@run_examples(25)
@given(tables(), st.integers(0, 2**32 - 1))
def test_the_way_to_an_end_leads_there(options, number):
    start = random_position(options, random.Random(number))
    for end, way in turn_ends(start, most=300)[:40]:
        position = start
        for action in way:
            position, _ = rules.apply(position, start.turn_seat, action)
        assert position == end


def test_one_turn_written_out():
    before = lay_out("start:rb hat key goal", red="hat key", options={"actions": 1, "min_actions": 0})
    ways = {tuple(rules.action_to_text(action) for action in way) for _, way in turn_ends(before)}
    assert ways == {(), ("hat start",), ("key start",)}
