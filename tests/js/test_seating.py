"""The seating before the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.js.test_subscriptions import states

DRAW = """async ({Seating}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  document.body.append(root);
  const nothing = () => {};
  const on = {game: "g", send: nothing, sit: nothing, voidRound: nothing, now: () => 0, onPerson: nothing};
  Seating(root, on).update({...emptyState(), ...state});
  const text = root.textContent;
  root.remove();
  return text;
}"""


def test_deleted_player_gets_a_placeholder_while_the_start_waits(run: Callable[..., Any]) -> None:
    state = states()[0]
    seats = [{**seat} for seat in state["table"]["seats"]]
    seats[1]["name"] = None
    opening = {"order": [0, 1], "seals": ["a", "b"], "nonces": [None, None], "asked": False, "until": 0}
    text = run(
        "table/seating.js", DRAW, {**state, "table": {**state["table"], "seats": seats, "opening": opening}}
    )
    assert "Waiting for confirmation from: someone." in text
