"""Delays between attempts to reconnect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# Closes a fake socket with the given codes and returns the delays before the next attempts.
PAUSES = """({connect}, given) => {
  const real = {WebSocket, setTimeout, setInterval, now: Date.now};
  const pauses = [];
  let socket = null, due = null, time = 1e12;
  window.WebSocket = class { constructor() { socket = this; } send() {} close() {} };
  window.setTimeout = (work, pause) => { pauses.push(pause); due = work; return 1; };
  window.setInterval = () => 1;
  Date.now = () => time;
  try {
    connect("/ws/game/x", {hello: () => ({}), onFrame() {}, onStatus() {}});
    for (const step of given) {
      if (step === "welcome") socket.onmessage({data: JSON.stringify({t: "welcome", now: time})});
      else {
        socket.onclose({code: step});
        time += pauses.at(-1);
        due();
      }
    }
  } finally {
    window.WebSocket = real.WebSocket;
    window.setTimeout = real.setTimeout;
    window.setInterval = real.setInterval;
    Date.now = real.now;
  }
  return pauses;
}"""


def test_first_retry_is_nearly_immediate_and_the_next_ones_follow_quickly(run: Run) -> None:
    for _ in range(20):
        first, *others = run("core/socket.js", PAUSES, ["welcome", *[1006] * 40])
        assert 0 <= first < 100
        soon: list[float] = []
        while sum(soon) + first < 3000:
            soon.append(others[len(soon)])
        assert all(pause <= 350 for pause in soon[:-1])
        assert others[-1] > 10_000


def test_back_off_restarts_after_every_welcome(run: Run) -> None:
    pauses = run("core/socket.js", PAUSES, ["welcome", 1006, 1006, "welcome", 4000, 1006, "welcome", 1006])
    assert all(pauses[n] < 100 for n in (0, 2, 4))


def test_retries_have_jitter(run: Run) -> None:
    firsts = {run("core/socket.js", PAUSES, ["welcome", 1006])[0] for _ in range(10)}
    assert len(firsts) > 5


def test_busy_or_broken_server_gets_no_fast_retries(run: Run) -> None:
    assert run("core/socket.js", PAUSES, ["welcome", 4009])[0] > 10_000
    first, second, third = run("core/socket.js", PAUSES, ["welcome", 1011, 1011, 1011])
    assert 300 <= first < second < third
