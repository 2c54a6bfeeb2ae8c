"""The store of the table page: subscribers, and changes by frames and clicks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

from tests.js.test_room_state import a_state

Run = Callable[..., Any]

# Applies steps in order (a frame if it has "t", else a change) and records the calls of subscribers.
FEED = """({Store, applyFrame, displayedState}, steps) => {
  const store = Store();
  const calls = [];
  store.subscribe(["view"], (state, before, {events = []}) => calls.push(["view", events.length]));
  store.subscribe(["selection", "candidates"], () => calls.push(["selection"]));
  for (const step of steps) {
    if (!step.t) store.set(step);
    else {
      const {change, cause} = applyFrame(store.state, step);
      store.set(change, cause);
    }
  }
  const {selection, candidates, isWaiting, choices, seq, hint, hintWhy} = store.state;
  const shown = displayedState(store.state).choices;
  return {calls, selection, candidates, isWaiting, choices, seq, hint, hintWhy, shown};
}"""

KEY = {"action": {"type": "advance", "card": "key", "from": "start"}, "to": 3}
HAT = {"action": {"type": "advance", "card": "hat", "from": 3}, "to": 5}


def test_store_works_without_a_document(blank: Page) -> None:
    """A worker has no document, so the store and its imports must not use one."""
    script = """async () => {
      const source = `import {Store, applyFrame} from "${location.origin}/static/js/table/store.js";
        const store = Store();
        store.subscribe(["connection"], ({connection}) => postMessage([typeof document, connection]));
        store.set({...applyFrame(store.state, {t: "pong"}).change, connection: "open"});`;
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


def test_only_subscribers_of_changed_fields_are_called(run: Run) -> None:
    got = run(
        "table/store.js",
        FEED,
        [a_state({"board": []}), {"connection": "lost"}, {"selection": {"card": "key"}}],
    )
    assert got["calls"] == [["view", 0], ["selection"], ["selection"]]


def test_change_by_a_subscriber_is_applied_after_the_current_one(run: Run) -> None:
    script = """({Store}) => {
      const store = Store();
      const seen = [];
      store.subscribe(["connection"], ({connection}) => connection === "lost" && store.set({connection: "open"}));
      store.subscribe(["connection"], ({connection}, before) => seen.push([before.connection, connection]));
      store.set({connection: "lost"});
      return [seen, store.state.connection];
    }"""
    assert run("table/store.js", script) == [[["connecting", "lost"], ["lost", "open"]], "open"]


def test_failing_subscriber_does_not_block_later_changes(run: Run) -> None:
    script = """({Store}) => {
      const store = Store();
      let calls = 0;
      store.subscribe(["connection"], () => { calls += 1; throw new Error("of a part"); });
      const failed = ["lost", "open"].map((connection) => {
        try { store.set({connection}); return ""; } catch (problem) { return problem.message; }
      });
      return [failed, calls, store.state.connection];
    }"""
    assert run("table/store.js", script) == [["of a part", "of a part"], 2, "open"]


def test_selection_stays_while_it_fits(run: Run) -> None:
    begun = [
        a_state(None, choices=[KEY]),
        {"selection": {"card": "key", "from": "start"}, "candidates": [KEY]},
    ]
    fits = run(
        "table/store.js", FEED, [*begun, {"t": "events", "seq": 6, "events": [], "choices": [KEY, HAT]}]
    )
    assert (fits["selection"], fits["candidates"]) == ({"card": "key", "from": "start"}, None)
    gone = run("table/store.js", FEED, [*begun, {"t": "events", "seq": 6, "events": [], "choices": [HAT]}])
    assert gone["selection"] == {}


def test_chat_line_does_not_change_the_selection(run: Run) -> None:
    line = {"t": "chat", "n": 1, "person": "p1", "text": "Ahoy"}
    got = run(
        "table/store.js",
        FEED,
        [a_state(None, choices=[KEY]), {"selection": {"card": "key"}, "candidates": [KEY]}, line],
    )
    assert (got["selection"], got["candidates"]) == ({"card": "key"}, [KEY])


def test_no_choices_are_shown_while_an_action_is_unanswered(run: Run) -> None:
    begun = [a_state(None, choices=[KEY]), {"isWaiting": True}]
    waiting = run("table/store.js", FEED, begun)
    assert (waiting["choices"], waiting["shown"]) == ([KEY], [])
    again = {"t": "refused", "id": "a", "code": "try_again"}
    assert run("table/store.js", FEED, [*begun, again])["isWaiting"] is True
    for answer in ({"t": "refused", "id": "a", "code": "illegal"}, {"t": "ack", "ack": "a"}):
        done = run("table/store.js", FEED, [*begun, answer])
        assert (done["isWaiting"], done["shown"]) == (False, [KEY])


def test_hint_offers_its_choice_until_the_next_entry(run: Run) -> None:
    begun = [
        a_state(None, choices=[KEY, HAT]),
        {"t": "hint", "seq": 6, "action": HAT["action"], "why": "home", "params": {}},
    ]
    hinted = run("table/store.js", FEED, begun)
    assert (hinted["candidates"], hinted["hint"], hinted["seq"]) == ([HAT], HAT["action"], 6)
    assert hinted["hintWhy"] == {"why": "home", "params": {}}
    moved = run("table/store.js", FEED, [*begun, {"t": "events", "seq": 7, "events": [], "choices": []}])
    assert (moved["candidates"], moved["hint"]) == (None, None)


def test_late_hint_does_not_replace_what_the_player_is_choosing(run: Run) -> None:
    hint = {"t": "hint", "seq": 6, "action": HAT["action"], "why": "home", "params": {}}
    for chosen in ({"selection": {"card": "key"}}, {"candidates": [KEY]}, {"isWaiting": True}):
        got = run("table/store.js", FEED, [a_state(None, choices=[KEY, HAT]), chosen, hint])
        assert {name: got[name] for name in chosen} == chosen
        assert (got["hint"], got["hintWhy"], got["seq"]) == (None, None, 6)
        assert got["candidates"] == chosen.get("candidates")
