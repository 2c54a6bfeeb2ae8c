"""The toast that calls a waiting player back to the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

COUNT_TOASTS = """async ({followKeptSeat}, counts) => {
  const really = window.WebSocket;
  window.WebSocket = class extends EventTarget { static CONNECTING = 0; static OPEN = 1; readyState = 0; close() {} };
  document.body.innerHTML = '<div id="toasts"></div>';
  localStorage.setItem("cartagena.keptSeat", JSON.stringify({id: "gone", people: 1, isCalled: false}));
  try {
    return counts.map((taken) => {
      followKeptSeat(new Map(taken ? [["gone", {id: "gone", status: "open", taken, bots: 0}]] : []), () => {});
      return document.querySelectorAll(".toast-call").length;
    });
  } finally { window.WebSocket = really; localStorage.clear(); document.body.replaceChildren(); }
}"""


def test_the_toast_goes_with_the_player_who_left(run: Callable[..., Any]) -> None:
    assert run("core/kept_seat.js", COUNT_TOASTS, [1, 2, 1, 2, 3, 0]) == [0, 1, 0, 1, 1, 0]
