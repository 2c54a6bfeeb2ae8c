"""Puzzles from mistakes: found where a turn cost much, judged from what the seat knew."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from app import rules
from app.bots.evaluation import CERTAINTY
from app.bots.mistakes import (
    MIN_LOSS,
    BadTurn,
    TurnStart,
    find_mistakes,
    find_start,
    foresee_turn,
    judge_turn,
    turn_starts,
)
from app.bots.reasons import REASONS, Reason
from app.rules.core.position import Position
from tests.bots.test_review import record_of

SHORT = {"preset": "tortuga", "board": "random", "passage_boards": 4, "pirates": 4}
MAGIC = {"preset": "dungeon", "black_magic": True, "passage_boards": 4, "pirates": 4}


def by_people(record: rules.Record) -> rules.Record:
    """Return the record as if people had played it."""
    return replace(record, moves=tuple(replace(move, by="person") for move in record.moves))


@pytest.fixture(scope="module")
def record() -> rules.Record:
    return by_people(record_of(SHORT, ("mate", "sailor")))


def test_starts_of_turns_have_what_the_seat_knew(record: rules.Record) -> None:
    starts = list(turn_starts(record, 1))
    line = list(rules.replay(record))
    assert len(starts) > 3
    for start in starts:
        assert start.position == line[start.step][0]
        assert (start.position.turn_seat, start.position.actions_taken) == (1, 0)
        assert start.played == tuple(
            move.action for move in record.moves[start.step : start.step + len(start.played)]
        )
        told = (rules.events_for(events, 1, record.options) for _, events in line[1 : start.step + 1])
        seen = [event for events in told for event in events]
        assert list(start.history) == seen
        assert start.is_own
        assert start.events is starts[0].events, "a copy for each turn would grow with the square of the game"
        found = find_start(record, 1, start.step)
        assert found is not None
        assert (found.position, found.history, found.played) == (start.position, start.history, start.played)
    assert find_start(record, 1, starts[0].step + 1) is None
    assert find_start(record, 1, starts[-1].step + 1) is None


def test_only_the_first_turns_of_an_endless_game_are_looked_at(
    record: rules.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Position] = []

    def note(position: Position, _: object) -> int:
        looked_at.append(position)
        return 0

    monkeypatch.setattr("app.bots.mistakes._MAX_TURNS", 3)
    monkeypatch.setattr("app.bots.mistakes._rough_loss", note)
    assert find_mistakes(record, 1) == []
    assert 0 < len(looked_at) <= 3


def test_a_mistake_is_found_and_its_answer_holds(record: rules.Record) -> None:
    found = [(seat, puzzle) for seat in (0, 1) for puzzle in find_mistakes(record, seat)]
    assert found, "choose another game"
    seat, puzzle = found[0]
    assert puzzle["best"] - puzzle["played"] >= 10_000 * MIN_LOSS // CERTAINTY
    (start,) = (start for start in turn_starts(record, seat) if start.step == puzzle["step"])
    played = [rules.action_to_json(action) for action in start.played]
    verdict = judge_turn(record, seat, start.step, played)
    assert not verdict["is_right"]
    assert verdict["why"]["why"] in REASONS
    assert verdict["tried"] == verdict["played"]
    assert verdict["best"]["chance"] > verdict["played"]["chance"] + 0.05
    assert judge_turn(record, seat, start.step, played) == verdict, "the same turn has the same verdict"
    assert all(event["type"] != "row_laid" for event in verdict["best"]["events"])


def test_a_verdict_does_not_depend_on_hidden_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = by_people(record_of({**SHORT, "preset": "jamaica"}, ("mate", "cabin-boy")))
    # With one descent a turn, the evaluation of its end counts for half.
    monkeypatch.setattr("app.bots.ranking._ROUNDS", ((12, 1),))
    monkeypatch.setattr("app.bots.ranking._DESCENTS", 1)
    starts = [start for start in turn_starts(hidden, 1) if is_whole_turn(start)]
    assert len(starts) > 3
    for start in starts:
        monkeypatch.setattr("app.bots.mistakes.turn_starts", lambda *_, start=start: [start])
        actions = [rules.action_to_json(action) for action in start.played]
        verdict = judge_turn(hidden, 1, start.step, actions)
        twin = replace(start, position=with_other_hidden_cards(start.position, 1))
        monkeypatch.setattr("app.bots.mistakes.turn_starts", lambda *_, twin=twin: [twin])
        assert judge_turn(hidden, 1, start.step, actions) == verdict


def is_whole_turn(start: TurnStart) -> bool:
    try:
        foresee_turn(start.position, start.played)
    except BadTurn:
        return False
    return True


def with_other_hidden_cards(position: Position, seat: int) -> Position:
    """Return a position that looks the same to the seat."""
    other = position.copy()
    rival = 1 - seat
    pool = [*position.deck, *(kind for kind, count in enumerate(position.hands[rival]) for _ in range(count))]
    Random(2).shuffle(pool)
    held = position.hand_sizes[rival]
    other.hands[rival] = bytearray(pool[:held].count(kind) for kind in range(len(position.hands[rival])))
    other.deck = bytes(pool[held:])
    assert rules.view(other, seat) == rules.view(position, seat)
    assert other.hands != position.hands
    return other


def test_no_puzzle_gives_up_more_ground_than_its_reason_is_worth(
    record: rules.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert any(find_mistakes(record, seat) for seat in (0, 1))
    monkeypatch.setattr("app.bots.mistakes.explain_turn", lambda *_, **__: Reason("saves", worth=-1000))
    assert not any(find_mistakes(record, seat) for seat in (0, 1))


def test_turns_of_bots_and_games_with_pending_choices_are_no_puzzles(record: rules.Record) -> None:
    bots = replace(record, moves=tuple(replace(move, by="bot") for move in record.moves))
    assert find_mistakes(bots, 1) == []
    magic = by_people(record_of(MAGIC, ("sailor", "mate")))
    assert find_mistakes(magic, 0) == []


def test_what_is_not_a_whole_turn_is_refused(record: rules.Record) -> None:
    start = next(turn_starts(record, 0))
    end = rules.action_from_json({"type": "end"})
    first = start.played[0]
    for actions in ((), (first,), (first, end, end), (rules.action_from_json({"type": "sail"}), end)):
        with pytest.raises(BadTurn):
            foresee_turn(start.position, actions)
    with pytest.raises(BadTurn):
        judge_turn(record, 0, start.step + 1, [])
