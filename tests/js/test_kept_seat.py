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
  } finally { followKeptSeat(new Map(), () => {}); window.WebSocket = really; localStorage.clear(); }
}"""

# The sockets that are opened and closed, and the stored seat, after each list of [id, status] rows.
SOCKETS = """async ({keepSeat, followKeptSeat}, {id, stored, lists}) => {
  let open = [];
  const really = window.WebSocket;
  window.WebSocket = class extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    readyState = 0;
    constructor(address) { super(); this.path = new URL(address).pathname; open.push(this.path); }
    close() { open = open.filter((path) => path !== this.path); }
  };
  try {
    followKeptSeat(new Map(), () => {});
    if (stored) localStorage.setItem("cartagena.keptSeat", JSON.stringify({id, people: 1, isCalled: false}));
    else keepSeat(id);
    return lists.map((rows) => {
      followKeptSeat(new Map(rows.map(([id, status]) => [id, {id, status, taken: 1, bots: 0}])), () => {});
      return [open.length, localStorage.getItem("cartagena.keptSeat") !== null];
    });
  } finally { followKeptSeat(new Map(), () => {}); window.WebSocket = really; localStorage.clear(); }
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


@pytest.mark.parametrize("end", [[], [["over0", "running"]]], ids=["closed or left", "started"])
def test_socket_is_closed_with_the_seat(run: Callable[..., Any], end: list[Any]) -> None:
    lists = [[["over0", "open"]], end]
    assert run("core/kept_seat.js", SOCKETS, {"id": "over0", "lists": lists}) == [[1, True], [0, False]]


@pytest.mark.parametrize("stored", [True, False], ids=["by another page", "by this page"])
def test_seat_is_kept_until_the_row_of_its_new_table_arrives(run: Callable[..., Any], stored: bool) -> None:
    other, table = ["other", "running"], [f"new{stored}", "open"]
    given = {"id": table[0], "stored": stored, "lists": [[other], [other, table], [other]]}
    states = run("core/kept_seat.js", SOCKETS, given)
    assert states == [[int(not stored), True], [1, True], [0, False]]
