"""The seat of a player who waits for strangers: held at once, and announced on every open page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# What happens on one of several open pages. `stored`: what another page has stored after the same change.
FOLLOW = """async ({keepSeat, followKeptSeat}, {id, stored}) => {
  const opened = [];
  const really = window.WebSocket;
  window.WebSocket = class extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    readyState = 0;
    constructor(address) { super(); opened.push(new URL(address).pathname); }
    close() { opened.push("closed"); }
  };
  document.body.innerHTML = '<div id="toasts"></div>';
  const rooms = (taken) => new Map([[id, {id, status: "open", taken, bots: 0}]]);
  const follow = (taken) => followKeptSeat(rooms(taken), () => {});
  try {
    keepSeat(id);
    const held = [...opened];
    const alone = follow(1);
    if (stored) localStorage.setItem("cartagena.keptSeat", JSON.stringify({id, ...stored}));
    const called = follow(2);
    return {held, alone, called, again: follow(2), toasts: document.querySelectorAll(".toast-call").length};
  } finally { window.WebSocket = really; localStorage.clear(); }
}"""


@pytest.mark.parametrize("stored", [None, {"people": 2, "isCalled": True}])
def test_the_seat_is_held_at_once_and_every_page_announces_a_player(
    run: Callable[..., Any], stored: dict[str, Any] | None
) -> None:
    result = run("core/kept_seat.js", FOLLOW, {"id": f"g{stored is None}", "stored": stored})
    assert result.pop("held")[-1] == f"/ws/game/g{stored is None}"
    assert result == {"alone": 0, "called": 1, "again": 1, "toasts": 1}


def test_a_player_who_sees_the_table_on_another_page_is_not_called(run: Callable[..., Any]) -> None:
    result = run("core/kept_seat.js", FOLLOW, {"id": "seen", "stored": {"people": 2, "isCalled": False}})
    assert (result["called"], result["toasts"]) == (0, 0)
