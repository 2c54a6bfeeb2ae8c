"""Hints that appear by themselves in the first games: one for each position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Each hint is noted in the log: a frame without events repeats the choices under a new number.
ASK = """async ({FirstHints}) => {
  const {Store, emptyState} = await import("/static/js/table/store.js");
  const choices = () => [{action: {type: "end"}}, {action: {type: "draw"}}];
  const store = Store({
    ...emptyState(), table: {hints: true}, view: {turn: 1}, choices: choices(), selection: {}, isWaiting: false, seq: 5,
  });
  const asked = [];
  FirstHints(store, async ({version}) => { asked.push(version); return null; });
  store.set({seq: 6, choices: choices()});
  store.set({seq: 7, choices: choices()});
  store.set({seq: 8, choices: choices(), view: {turn: 2}});
  return asked;
}"""

# The server refuses the first question; meanwhile the player may act, or ask with the button.
ASK_AGAIN = """async ({FirstHints}, {meanwhile}) => {
  const {Store, emptyState} = await import("/static/js/table/store.js");
  const choices = [{action: {type: "end"}}, {action: {type: "draw"}}];
  const store = Store({
    ...emptyState(), table: {hints: true}, view: {turn: 1}, choices, selection: {}, isWaiting: false, seq: 5,
  });
  const asked = [];
  const send = async ({version}) => {
    asked.push(version);
    return asked.length === 1 ? "hint_too_fast" : null;
  };
  FirstHints(store, send, 20);
  store.set(meanwhile);
  await new Promise((done) => setTimeout(done, 200));
  return asked;
}"""


def test_a_position_gets_one_hint_although_each_is_noted_in_the_log(run: Callable[..., Any]) -> None:
    assert run("table/first_hints.js", ASK) == [5, 8]


def test_a_hint_that_came_too_fast_is_asked_for_again(run: Callable[..., Any]) -> None:
    assert run("table/first_hints.js", ASK_AGAIN, {"meanwhile": {"seq": 7}}) == [5, 7]
    assert run("table/first_hints.js", ASK_AGAIN, {"meanwhile": {"view": {"turn": 2}}}) == [5]
    assert run("table/first_hints.js", ASK_AGAIN, {"meanwhile": {"hint": {"type": "end"}}}) == [5]
