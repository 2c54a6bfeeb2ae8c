"""The table's state: one headless object, changed by `set` alone, and what frames and clicks make of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.js.test_room_and_clock import a_state

Run = Callable[..., Any]

# Frames and changes in order; a step with "t" is a frame, any other a change. Every subscriber's calls are noted.
FEED = """({Store, received, shown}, steps) => {
  const store = Store();
  const calls = [];
  store.subscribe(["view"], (state, before, {events = []}) => calls.push(["view", events.length]));
  store.subscribe(["selection", "ask"], () => calls.push(["selection"]));
  for (const step of steps) {
    if (!step.t) store.set(step);
    else {
      const {change, happened} = received(store.state, step);
      store.set(change, happened);
    }
  }
  const {selection, ask, isWaiting, choices, seq, hint, hintWhy} = store.state;
  return {calls, selection, ask, isWaiting, choices, seq, hint, hintWhy, shown: shown(store.state).choices};
}"""

KEY = {"action": {"type": "advance", "card": "key", "from": "start"}, "to": 3}
HAT = {"action": {"type": "advance", "card": "hat", "from": 3}, "to": 5}


def test_it_needs_no_page(blank: Page) -> None:
    """In a worker there is no document: what the store imports must do without."""
    script = """async () => {
      const source = `import {Store, received} from "${location.origin}/static/js/table/store.js";
        const store = Store();
        store.subscribe(["connection"], ({connection}) => postMessage([typeof document, connection]));
        store.set({...received(store.state, {t: "pong"}).change, connection: "open"});`;
      const worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})), {type: "module"});
      try {
        return await new Promise((resolve, reject) => {
          worker.onmessage = ({data}) => resolve(data);
          worker.onerror = ({message}) => reject(new Error(message));
        });
      } finally {
        worker.terminate();
      }
    }"""
    assert blank.evaluate(script) == ["undefined", "open"]


def test_only_those_who_read_what_changed_are_called(run: Run) -> None:
    got = run(
        "table/store.js",
        FEED,
        [a_state({"board": []}), {"connection": "lost"}, {"selection": {"card": "key"}}],
    )
    assert got["calls"] == [["view", 0], ["selection"], ["selection"]]


def test_a_change_made_by_a_subscriber_comes_after_the_one_it_was_told_of(run: Run) -> None:
    ask = """({Store}) => {
      const store = Store();
      const seen = [];
      store.subscribe(["connection"], ({connection}) => connection === "lost" && store.set({connection: "open"}));
      store.subscribe(["connection"], ({connection}, before) => seen.push([before.connection, connection]));
      store.set({connection: "lost"});
      return [seen, store.state.connection];
    }"""
    assert run("table/store.js", ask) == [[["connecting", "lost"], ["lost", "open"]], "open"]


def test_a_subscriber_that_fails_does_not_stop_later_changes(run: Run) -> None:
    ask = """({Store}) => {
      const store = Store();
      let calls = 0;
      store.subscribe(["connection"], () => { calls += 1; throw new Error("of a part"); });
      const failed = ["lost", "open"].map((connection) => {
        try { store.set({connection}); return ""; } catch (problem) { return problem.message; }
      });
      return [failed, calls, store.state.connection];
    }"""
    assert run("table/store.js", ask) == [["of a part", "of a part"], 2, "open"]


def test_what_was_selected_stays_while_it_still_fits(run: Run) -> None:
    begun = [a_state(None, choices=[KEY]), {"selection": {"card": "key", "from": "start"}, "ask": [KEY]}]
    fits = run(
        "table/store.js", FEED, [*begun, {"t": "events", "seq": 6, "events": [], "choices": [KEY, HAT]}]
    )
    assert (fits["selection"], fits["ask"]) == ({"card": "key", "from": "start"}, None)
    gone = run("table/store.js", FEED, [*begun, {"t": "events", "seq": 6, "events": [], "choices": [HAT]}])
    assert gone["selection"] == {}


def test_a_chat_line_leaves_the_selection_alone(run: Run) -> None:
    line = {"t": "chat", "n": 1, "person": "p1", "text": "Ahoy"}
    got = run(
        "table/store.js",
        FEED,
        [a_state(None, choices=[KEY]), {"selection": {"card": "key"}, "ask": [KEY]}, line],
    )
    assert (got["selection"], got["ask"]) == ({"card": "key"}, [KEY])


def test_nothing_can_be_chosen_until_the_answer_to_an_action_comes(run: Run) -> None:
    begun = [a_state(None, choices=[KEY]), {"isWaiting": True}]
    waiting = run("table/store.js", FEED, begun)
    assert (waiting["choices"], waiting["shown"]) == ([KEY], [])
    again = {"t": "refused", "id": "a", "code": "try_again"}
    assert run("table/store.js", FEED, [*begun, again])["isWaiting"] is True
    for answer in ({"t": "refused", "id": "a", "code": "illegal"}, {"t": "ack", "ack": "a"}):
        done = run("table/store.js", FEED, [*begun, answer])
        assert (done["isWaiting"], done["shown"]) == (False, [KEY])


def test_a_hint_offers_its_choice_until_the_table_moves_on(run: Run) -> None:
    begun = [
        a_state(None, choices=[KEY, HAT]),
        {"t": "hint", "seq": 6, "action": HAT["action"], "why": "home", "params": {}},
    ]
    hinted = run("table/store.js", FEED, begun)
    assert (hinted["ask"], hinted["hint"], hinted["seq"]) == ([HAT], HAT["action"], 6)
    assert hinted["hintWhy"] == {"why": "home", "params": {}}
    moved = run("table/store.js", FEED, [*begun, {"t": "events", "seq": 7, "events": [], "choices": []}])
    assert (moved["ask"], moved["hint"]) == (None, None)
