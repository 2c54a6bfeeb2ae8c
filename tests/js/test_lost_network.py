"""The page notices a lost network within seconds and tells it from a server that cannot store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# Runs steps with a fake clock, socket and HTTP probe.
# Steps: "welcome", "send", "pongs" (from now on), "silence", "healthy", ["wait", ms], ["fire", event], ["line", up]
TABLE = """async ({connect}, steps) => {
  const real = {WebSocket, setTimeout, clearTimeout, setInterval, fetch, now: Date.now};
  const statuses = [], sent = [], timers = new Map(), listeners = [];
  let socket = null, time = 1e12, ids = 0, isAnswering = false, isHealthy = false, isUp = true, opened = 0;
  const start = time;
  const say = (frame) => socket.onmessage({data: JSON.stringify(frame)});
  window.WebSocket = class {
    static OPEN = 1;
    constructor(address) {
      // Another module that was loaded into this page may still retry a connection of its own.
      if (!address.endsWith("/ws/game/x")) return;
      socket = this;
      this.readyState = 1;
      opened += 1;
    }
    send(text) {
      const message = JSON.parse(text);
      sent.push(message.do);
      if (message.do === "ping" && isAnswering) say({t: "pong", n: message.n, now: time});
    }
    close() {}
  };
  const schedule = (work, pause, every) => (timers.set(++ids, {work, due: time + pause, every}), ids);
  window.setTimeout = (work, pause) => schedule(work, pause, 0);
  window.setInterval = (work, pause) => schedule(work, pause, pause);
  window.clearTimeout = (id) => timers.delete(id);
  window.fetch = async () => { if (isHealthy) return {ok: true}; throw new TypeError("no network"); };
  Date.now = () => time;
  Object.defineProperty(navigator, "onLine", {configurable: true, get: () => isUp});
  const listen = window.addEventListener, listenThere = document.addEventListener;
  window.addEventListener = (...all) => { listeners.push([window, all]); listen.apply(window, all); };
  document.addEventListener = (...all) => { listeners.push([document, all]); listenThere.apply(document, all); };
  async function wait(span) {
    for (const end = time + span; time < end; ) {
      time += 100;
      for (const [id, timer] of [...timers]) {
        if (timer.due > time || !timers.has(id)) continue;
        if (timer.every) timer.due += timer.every; else timers.delete(id);
        timer.work();
      }
      await new Promise((done) => real.setTimeout.call(window, done));
    }
  }
  try {
    const onStatus = (status) => statuses.push([status, time - start]);
    const {send} = connect("/ws/game/x", {hello: () => ({}), onFrame() {}, onStatus});
    for (const step of steps) {
      if (step === "welcome") say({t: "welcome", now: time});
      else if (step === "send") send({do: "act"}).catch(() => {});
      else if (step === "pongs") isAnswering = true;
      else if (step === "silence") isAnswering = false;
      else if (step === "healthy") isHealthy = true;
      else if (step[0] === "wait") await wait(step[1]);
      else if (step[0] === "line") isUp = step[1];
      else window.dispatchEvent(new Event(step[1]));
    }
  } finally {
    for (const name of ["WebSocket", "setTimeout", "clearTimeout", "setInterval", "fetch"]) window[name] = real[name];
    window.addEventListener = listen;
    document.addEventListener = listenThere;
    for (const [where, [name, call]] of listeners) where.removeEventListener(name, call);
    delete navigator.onLine;
    Date.now = real.now;
  }
  return {statuses, sent, opened};
}"""


def play(run: Run, *steps: Any) -> dict[str, Any]:
    answer: dict[str, Any] = run("core/socket.js", TABLE, list(steps))
    return answer


def test_offline_event_is_reported_at_once(run: Run) -> None:
    statuses = play(run, "welcome", "pongs", ["line", False], ["fire", "offline"])["statuses"]
    assert statuses == [["open", 0], ["offline", 0]]


def test_returning_network_is_used_at_once(run: Run) -> None:
    seen = play(
        run, "welcome", ["line", False], ["fire", "offline"], ["line", True], ["fire", "online"], "welcome"
    )
    assert [status for status, _ in seen["statuses"]] == ["open", "offline", "open"]
    assert seen["opened"] == 2


def test_unanswered_command_on_a_dead_connection_is_reported_as_lost_within_seconds(run: Run) -> None:
    seen = play(run, "welcome", "send", ["wait", 7000])
    statuses = dict(seen["statuses"][:2])
    assert list(statuses) == ["open", "lost"]
    assert 4000 <= statuses["lost"] <= 6000
    assert "unstored" not in dict(seen["statuses"])
    assert seen["sent"].count("ping") == 1
    assert seen["opened"] > 1, "and it tries again"


def test_server_that_answers_pings_but_not_the_command_is_reported_as_unstored(run: Run) -> None:
    seen = play(run, "welcome", "pongs", "send", ["wait", 9000])
    assert [status for status, _ in seen["statuses"]] == ["open", "unstored"]
    assert seen["opened"] == 1


def test_server_that_answers_only_over_http_is_reported_as_unstored(run: Run) -> None:
    """The socket reads the ping only after the command is done; an HTTP request is answered."""
    seen = play(run, "welcome", "healthy", "send", ["wait", 9000])
    assert [status for status, _ in seen["statuses"]] == ["open", "unstored"]
    seen = play(run, "welcome", "healthy", "send", ["wait", 16000])
    assert [status for status, _ in seen["statuses"]][:3] == ["open", "unstored", "lost"], "but not forever"


def test_dead_connection_is_noticed_without_input(run: Run) -> None:
    seen = play(run, "welcome", ["wait", 20000])
    assert seen["statuses"][1][0] == "lost"
    assert seen["statuses"][1][1] <= 15000


def test_idle_table_with_a_good_connection_reports_nothing(run: Run) -> None:
    seen = play(run, "welcome", "pongs", ["wait", 60000])
    assert [status for status, _ in seen["statuses"]] == ["open"]
    assert 3 <= seen["sent"].count("ping") <= 6


def test_lost_command_is_resent_and_probed_again(run: Run) -> None:
    seen = play(run, "welcome", "send", ["wait", 6000], "welcome", "pongs", ["wait", 7000])
    assert [status for status, _ in seen["statuses"]][-2:] == ["open", "unstored"]
    assert seen["sent"].count("act") == 2
