"""Reasons of hints hold for the suggested action and not for the runner-up, and reveal nothing."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from app import rules
from app.bots import Budget, Evaluator
from app.bots.answer_reasons import find_rival_hand, hand_after
from app.bots.evaluation import CERTAINTY
from app.bots.hint import Hint, give_hint
from app.bots.reasons import GENERAL_REASONS, REASONS
from app.bots.turn_search import foresee
from app.bots.worker import answer_line
from tests.bots.reference_reasons import LESS_IS_BETTER, MORE_IS_BETTER, Line, holds, line_of, state_of
from tests.bots.tables import seed
from tests.docs.protocol_page import PAGE
from tests.js.random_games import PRESETS

Json = dict[str, Any]

NODES = 1500
ACTIONS_PER_GAME = 110
TOLERANCE = CERTAINTY // 100
"""The search drops turns by a rough score, and so may miss one that is slightly better."""
PLAIN = ("advance", "retreat", "sail", "end")
WHOLE_POSITION = ("wins", "wins_turn", "nothing_better")
ABOUT_THE_TURN = {
    *("spaces", "loses_little", "last", "rear", "saves", "variety", "gives_little", "spares_leader"),
    *("ferries", "fetches"),
}
"""Reasons without `_turn` whose sentences speak of the whole turn. All others hold right after the action."""


@dataclass(frozen=True)
class Asked:
    """A hint, and the position and the events that it was asked in."""

    position: rules.Position
    seat: int
    history: list[Json]
    hint: Hint


def ask(
    position: rules.Position, seat: int, history: list[Json], chance: str = "", nodes: int = NODES
) -> Hint:
    view = rules.view(position, seat)
    actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
    return give_hint(view, actions, history, Budget(nodes=nodes), random.Random(chance), seat=seat)


def play_hints(options: Json, number: int) -> Iterator[Asked]:
    """Play a game in which every seat does what its hint says."""
    position = rules.new_game(rules.parse_options(options), seed(number))
    histories: list[list[Json]] = [[] for _ in range(position.options.players)]
    for step in range(ACTIONS_PER_GAME):
        if position.winner is not None:
            return
        seat = rules.seats_to_act(position)[0]
        hint = ask(position, seat, histories[seat], f"{number}|{step}")
        yield Asked(position, seat, list(histories[seat]), hint)
        position, events = rules.apply(position, seat, hint.action)
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, position.options)


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    """Return hints from a game of every preset."""
    return [each for number, options in enumerate(PRESETS) for each in play_hints(options, number)]


def test_a_reason_holds_for_the_suggestion_and_not_for_the_runner_up(asked: list[Asked]):
    checked = Counter[str]()
    for each in asked:
        why, params = each.hint.reason.why, each.hint.reason.params
        if each.hint.rivals is None or why in GENERAL_REASONS or why in WHOLE_POSITION:
            continue
        turn, rival = line_of(each.hint.rivals.turn), line_of(each.hint.rivals.rival)
        assert turn.actions[:1] == [rules.action_to_json(each.hint.action)][: len(turn.actions)]
        assert holds(why, params["n"], turn), (why, params, turn)
        assert not holds(why, params["n"], rival), (why, params, rival)
        assert holds(why, params["other"], rival), (why, params, rival)
        if not why.endswith("_turn") and why not in ABOUT_THE_TURN:
            at_once = Line(turn.seat, turn.actions[:1], turn.states[:2])
            assert holds(why, params["n"], at_once), (why, "the action alone reaches it")
        checked[why] += 1
    assert checked.total() >= 200
    assert len(checked) >= 15, checked


def test_nothing_jumps_further_than_the_longest_jump(asked: list[Asked]):
    """Of 40 hints that people asked for, 14 praised a jump although another card jumped further."""
    jumps = [each for each in asked if each.hint.reason.why in ("jump", "jump_turn")]
    assert jumps
    for each in jumps:
        before = sum(each.position.pirates[each.seat])
        lengths = [
            sum(rules.apply(each.position, each.seat, action)[0].pirates[each.seat]) - before
            for action in rules.legal(each.position, each.seat)
            if isinstance(action, rules.Advance)
        ]
        n = each.hint.reason.params["n"]
        assert n >= max(lengths) if each.hint.reason.why == "jump" else n > max(lengths)


def test_a_winning_reason_is_given_only_for_a_win(asked: list[Asked]):
    met = set()
    for each in asked:
        why = each.hint.reason.why
        if why not in ("wins", "wins_turn"):
            continue
        met.add(why)
        position = each.position
        assert each.hint.rivals is not None
        for action in each.hint.rivals.turn.actions:
            position = foresee(position, each.seat, action)
        assert position.winner == each.seat
        after, _ = rules.apply(each.position, each.seat, each.hint.action)
        assert (after.winner == each.seat) == (why == "wins")
    assert met == {"wins", "wins_turn"}


def test_the_turn_of_a_reason_can_be_played(asked: list[Asked]):
    played = 0
    for each in asked:
        if each.hint.rivals is None or any(a.type not in PLAIN for a in each.hint.rivals.turn.actions):
            continue
        position = each.position
        for action, foreseen in zip(
            each.hint.rivals.turn.actions, each.hint.rivals.turn.positions[1:], strict=True
        ):
            position, _ = rules.apply(position, each.seat, action)
            assert position.pirates == foreseen.pirates
            assert position.hand_sizes[each.seat] == foreseen.hand_sizes[each.seat]
            if position.pending is not None:
                break
        played += 1
    assert played > 150


def test_the_runner_up_is_better_than_every_other_single_action(asked: list[Asked]):
    """A seat may end its turn after one action, so the runner-up is at least as good as every such turn."""
    compared = 0
    for each in asked[::7]:
        position, hint = each.position, each.hint
        least = position.options.min_actions
        if hint.rivals is None or hint.rivals.turn.end.winner is not None or least > 1:
            continue
        evaluator = Evaluator(position.ruleset, each.seat)
        best = evaluator.value(hint.rivals.rival.end, each.seat)
        chosen = hint.action.to_text().replace("*", "")
        for action in rules.legal(hint.rivals.turn.before, each.seat):
            if action.to_text().replace("*", "") == chosen or isinstance(action, rules.End):
                continue
            after = foresee(hint.rivals.turn.before, each.seat, action)
            if after.turn_seat == each.seat:
                assert evaluator.value(after, each.seat) <= best + TOLERANCE, (each.hint, action)
                compared += 1
    assert compared > 200


def test_few_hints_have_only_a_general_reason(asked: list[Asked]):
    choices = [each.hint.reason.why for each in asked if each.hint.reason.why != "nothing_better"]
    general = [why for why in choices if why in GENERAL_REASONS]
    assert len(choices) >= 400
    assert len(general) < 0.05 * len(choices), Counter(general)
    assert "unexplained" not in choices


def test_general_reasons_give_true_chances(asked: list[Asked]):
    for each in asked:
        reason = each.hint.reason
        if reason.why == "best_chance":
            assert 100 >= reason.params["n"] > reason.params["other"] >= 0
        if reason.why == "nothing_better":
            assert len(rules.legal(each.position, each.seat)) == 1


def test_a_search_that_found_one_turn_compares_it_with_none(
    asked: list[Asked], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.bots.hint.explain_turn", lambda *_: None)
    whys = Counter[str]()
    for each in asked[:300]:
        reason = ask(each.position, each.seat, each.history, nodes=1).reason
        whys[reason.why] += 1
        assert reason.why != "best_chance" or reason.params["other"] > 0 or reason.params["n"] < 3
    assert whys["unexplained"] > 3


def test_the_reason_of_an_answer_holds_for_it_and_not_for_the_runner_up(asked: list[Asked]):
    answers = [each for each in asked if each.position.pending is not None and each.hint.reason.params]
    assert len(answers) >= 10
    for each in answers:
        listed = rules.legal(each.position, each.seat)
        rival = find_rival_hand(each.position, each.seat, listed, each.hint.action)
        assert rival is not None
        names = each.position.ruleset.kinds.names
        hands = [
            [names[kind] for kind, count in enumerate(hand) for _ in range(count)]
            for hand in (hand_after(each.position, each.seat, each.hint.action), rival)
        ]
        why, params = each.hint.reason.why, each.hint.reason.params
        own, other = (answer_number(each, why, hand) for hand in hands)
        assert (own, other) == (params["n"], params["other"])
        assert own > other


def answer_number(each: Asked, why: str, hand: list[str]) -> int:
    if why == "dark_left":
        return sum(card.endswith("*") for card in hand)
    line = line_of_hand(each, hand)
    return MORE_IS_BETTER[why](line)


def line_of_hand(each: Asked, hand: list[str]) -> Line:
    state = state_of(each.position)
    state["hands"][each.seat] = hand
    return Line(each.seat, [], [state])


def test_a_hint_does_not_depend_on_hidden_cards(asked: list[Asked]):
    """Each random generator deals the hidden cards anew. Captains plan with the sampled deck where a row is laid."""
    compared = 0
    for each in asked[::5]:
        if each.position.ruleset.has_row:
            continue
        others = [ask(each.position, each.seat, each.history, chance) for chance in ("one", "two")]
        for other in others:
            assert (other.action, other.reason) == (each.hint.action, each.hint.reason)
        compared += 1
    assert compared > 50


def test_a_worker_takes_only_a_view_for_a_hint():
    position = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2}), seed(1))
    seat = rules.seats_to_act(position)[0]
    request = {
        "actions": [rules.action_to_json(action) for action in rules.legal(position, seat)],
        "history": [],
        "hint": True,
        "seat": seat,
        "nodes": 300,
    }

    found = answer_line(json.dumps({**request, "view": rules.view(position, seat)}), lambda best: None)[
        "result"
    ]
    assert found.keys() == {"action", "why", "params"}
    whole = answer_line(json.dumps({**request, "view": rules.position_to_json(position)}), lambda best: None)
    assert whole.keys() == {"error"}


def test_the_protocol_names_every_reason():
    table = PAGE.split("| why | because it |")[1].split("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if "`" in row]
    documented = {code for codes in rows for code in re.findall(r"`(\w+)`", codes)}
    assert documented == set(REASONS)


def test_every_reason_is_reachable_or_checked(asked: list[Asked]):
    """The reference knows every reason that is a number."""
    by_number = {why.removesuffix("_turn") for why in REASONS} - {*GENERAL_REASONS, *WHOLE_POSITION, "wins"}
    assert by_number - {"dark_left"} == {*MORE_IS_BETTER, *LESS_IS_BETTER}
