"""The delay of a stream overlay: items are delivered in order and never early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# Runs a script of steps with a fake clock: ["add", item], ["clear", 0], ["wait", ms].
PLAY_STEPS = """
(m, [delay, script]) => {
  let now = 0;
  const timers = [];
  const delivered = [];
  const schedule = (act, ms) => timers.push({ at: now + ms, act });
  const queue = m.DelayQueue(delay, (item) => delivered.push([now, item]), { clock: () => now, schedule });
  for (const [step, value] of script) {
    if (step === "add") queue.add(value);
    if (step === "clear") queue.clear();
    if (step !== "wait") continue;
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
  return delivered;
}
"""


def deliveries(run: Run, delay: int, *script: tuple[str, Any]) -> Any:
    return run("core/delay_queue.js", PLAY_STEPS, [delay, list(script)])


def test_items_are_delivered_after_the_delay_in_order(run: Run) -> None:
    delivered = deliveries(
        run, 5000, ("add", "a"), ("wait", 1000), ("add", "b"), ("wait", 10), ("add", "c"), ("wait", 9000)
    )
    assert delivered == [[5000, "a"], [6000, "b"], [6010, "c"]]


def test_nothing_is_delivered_early(run: Run) -> None:
    assert deliveries(run, 5000, ("add", "a"), ("wait", 4999)) == []
    assert (
        deliveries(run, 5000, ("add", "a"), ("wait", 3000), ("clear", 0), ("add", "b"), ("wait", 4999)) == []
    )


def test_without_a_delay_items_are_delivered_at_once(run: Run) -> None:
    assert deliveries(run, 0, ("add", "a"), ("add", "b")) == [[0, "a"], [0, "b"]]
