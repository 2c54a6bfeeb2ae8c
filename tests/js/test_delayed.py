"""The delay of an overlay: everything is handed on as late as it says, in order, and nothing earlier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# A clock that is turned by hand: `turn(ms)` runs what is due by then.
SCENE = """
(m, [delay, script]) => {
  let now = 0;
  const timers = [];
  const told = [];
  const later = (act, ms) => timers.push({ at: now + ms, act });
  const queue = m.Delayed(delay, (thing) => told.push([now, thing]), { clock: () => now, later });
  for (const [step, value] of script) {
    if (step === "add") queue.add(value);
    if (step === "clear") queue.clear();
    if (step !== "turn") continue;
    const until = now + value;
    for (;;) {
      const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers.splice(timers.indexOf(next), 1);
      now = Math.max(now, next.at);
      next.act();
    }
    now = until;
  }
  return told;
}
"""


def told(run: Run, delay: int, *script: tuple[str, Any]) -> Any:
    return run("core/delayed.js", SCENE, [delay, list(script)])


def test_each_thing_is_shown_so_much_later_and_in_order(run: Run) -> None:
    shown = told(
        run, 5000, ("add", "a"), ("turn", 1000), ("add", "b"), ("turn", 10), ("add", "c"), ("turn", 9000)
    )
    assert shown == [[5000, "a"], [6000, "b"], [6010, "c"]]


def test_nothing_is_shown_before_its_time(run: Run) -> None:
    assert told(run, 5000, ("add", "a"), ("turn", 4999)) == []
    assert told(run, 5000, ("add", "a"), ("turn", 3000), ("clear", 0), ("add", "b"), ("turn", 4999)) == []


def test_without_a_delay_it_is_shown_at_once(run: Run) -> None:
    assert told(run, 0, ("add", "a"), ("add", "b")) == [[0, "a"], [0, "b"]]
