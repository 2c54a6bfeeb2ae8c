"""Luck: without bias by construction, and nothing where no card was drawn."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from app import rules
from app.bots.evaluation import CERTAINTY, Evaluator, next_seat
from app.bots.luck import luck_of_action
from app.bots.review import review
from app.research.luck import measure
from app.rules.core.event import CardsDrawn
from tests.bots.test_review import record_of


@pytest.fixture(scope="module")
def record() -> rules.Record:
    return record_of({"preset": "jamaica", "passage_boards": 4, "board": "random"}, ("mate", "sailor"))


def test_the_mean_luck_over_all_orders_of_the_deck_is_zero(record: rules.Record) -> None:
    judge = None
    checked = 0
    for (before, _), (_, events), move in zip(
        rules.replay(record), list(rules.replay(record))[1:], record.moves, strict=False
    ):
        drawn = [event for event in events if event.type == "cards_drawn"]
        if not drawn or len(drawn[0].cards) > 2:  # type: ignore[attr-defined]
            continue
        judge = judge or Evaluator(before.ruleset)
        count = len(drawn[0].cards)  # type: ignore[attr-defined]
        if len(before.deck) < count + 1:
            continue
        means = [0.0, 0.0]
        total = 0.0
        pool = Counter(before.deck)
        for first in pool:
            for second in pool - Counter([first]) if count == 2 else [None]:
                rest = pool - Counter([first]) - Counter([] if second is None else [second])
                weight = float(pool[first])
                if second is not None:
                    weight *= (pool - Counter([first]))[second]
                world = before.copy()
                top = [first] if second is None else [second, first]
                world.deck = bytes([*rest.elements(), *top])
                after, seen = rules.apply(world, move.seat, move.action)
                luck = luck_of_action(judge, world, after, seen)
                means = [mean + weight * part for mean, part in zip(means, luck, strict=True)]
                total += weight
        assert means == pytest.approx([0.0, 0.0], abs=1e-6 * total)
        checked += 1
        if checked == 4:
            break
    assert checked == 4


def test_a_reshuffle_within_a_draw_is_read_correctly(record: rules.Record) -> None:
    line = list(rules.replay(record))
    for ((before, _), (after, events)), move in zip(pairwise(line), record.moves, strict=True):
        if not any(event.type == "cards_drawn" for event in events) or after.winner is not None:
            continue
        world = before.copy()
        world.discard += world.deck
        world.deck = b""
        again, seen = rules.apply(world, move.seat, move.action)
        assert any(event.type == "deck_shuffled" for event in seen)
        luck = luck_of_action(Evaluator(before.ruleset), world, again, seen)
        assert any(luck)
        assert sum(luck) == pytest.approx(0, abs=1e-6)
        return
    raise AssertionError("no card was drawn in this game")


def test_only_cards_from_the_deck_are_luck(record: rules.Record) -> None:
    judge = Evaluator(next(rules.replay(record))[0].ruleset)
    for (before, _), (after, events) in pairwise(rules.replay(record)):
        luck = luck_of_action(judge, before, after, events)
        has_drawn = any(event.type == "cards_drawn" for event in events)
        assert any(luck) <= has_drawn
        assert sum(luck) == pytest.approx(0, abs=1e-6)


def test_a_draw_counts_in_full_and_the_deal_does_not(record: rules.Record) -> None:
    line = list(rules.replay(record))
    judge = Evaluator(line[0][0].ruleset)
    total = [0.0, 0.0]
    checked = 0
    for (before, _), (after, events) in pairwise(line):
        drawn = [event for event in events if isinstance(event, CardsDrawn)]
        luck = luck_of_action(judge, before, after, events)
        total = [sum_ + part for sum_, part in zip(total, luck, strict=True)]
        if not drawn or len(drawn[0].cards) > 1 or len(events) > 2 or after.turn_seat != before.turn_seat:
            continue
        # The chance with the card that came, minus the mean over the cards of the deck.
        seat, deck = drawn[0].seat, before.deck
        chances = []
        for kind in [deck[-1], *deck]:
            other = after.copy()
            hand = other.hands[seat] = after.hands[seat][:]
            hand[deck[-1]] -= 1
            hand[kind] += 1
            chances.append(judge.chances(other, next_seat(after, after.turn_seat))[seat] / CERTAINTY)
        assert luck[seat] == pytest.approx(chances[0] - sum(chances[1:]) / len(deck), abs=1e-9)
        checked += 1
    assert checked
    assert review(record)["result_luck"] == pytest.approx(total, abs=1e-4)


def test_the_tool_measures_games() -> None:
    options = rules.parse_options(
        {"preset": "jamaica", "players": 2, "passage_boards": 4, "board": "random", "pirates": 4}
    )
    (found,) = measure(options, 12, "test")
    assert 0 < found.games <= 12
    assert abs(found.mean_luck) < 6 * found.luck_error
    assert found.result_variance > 0
