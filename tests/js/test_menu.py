"""The menu of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.js.test_subscriptions import states

ITEMS = """async ({Menu}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const [box, body] = [document.createElement("details"), document.createElement("div")];
  box.append(body);
  const nothing = () => {};
  const on = {send: nothing, currentSeats: () => [], refuse: nothing, onResign: nothing, onLeave: nothing};
  Menu(box, body, {...on, onHint: nothing, onDevice: nothing, onPace: nothing}).update({...emptyState(), ...state});
  return [...body.querySelectorAll("button:not([hidden])")].map((button) => button.textContent);
}"""


def test_pause_beside_bots_needs_no_consent(run: Callable[..., Any]) -> None:
    state = states()[1]
    assert "Ask for a pause" in run("table/menu.js", ITEMS, state)
    bots = [{**seat, "person": None, "bot": "sailor"} for seat in state["table"]["seats"][1:]]
    table = {**state["table"], "seats": [state["table"]["seats"][0], *bots]}
    items = run("table/menu.js", ITEMS, {**state, "table": table})
    assert "Pause the game" in items
    assert "Ask for a pause" not in items
