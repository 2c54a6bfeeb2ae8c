"""A lost network is noticed within seconds and called by its name; a server that cannot save is another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

# A clock turned by hand, a socket that answers as told, and a server that can be asked by plain request or not.
# Steps: "welcome", "send", "pongs" (from now on), "silence", "healthy", ["wait", ms], ["fire", event], ["line", up]
TABLE = """async ({connect}, steps) => {
  const real = {WebSocket, setTimeout, clearTimeout, setInterval, fetch, now: Date.now};
  const told = [], sent = [], timers = new Map(), listeners = [];
  let socket = null, time = 1e12, ids = 0, isAnswering = false, isHealthy = false, isUp = true, opened = 0;
  const start = time;
  const say = (frame) => socket.onmessage({data: JSON.stringify(frame)});
  window.WebSocket = class {
    static OPEN = 1;
    constructor() { socket = this; this.readyState = 1; opened += 1; }
    send(text) {
      const message = JSON.parse(text);
      sent.push(message.do);
      if (message.do === "ping" && isAnswering) say({t: "pong", n: message.n, now: time});
    }
    close() {}
  };
  const later = (work, pause, every) => (timers.set(++ids, {work, due: time + pause, every}), ids);
  window.setTimeout = (work, pause) => later(work, pause, 0);
  window.setInterval = (work, pause) => later(work, pause, pause);
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
    const onStatus = (status) => told.push([status, time - start]);
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
  return {told, sent, opened};
}"""


def play(run: Run, *steps: Any) -> dict[str, Any]:
    answer: dict[str, Any] = run("core/socket.js", TABLE, list(steps))
    return answer


def test_the_browser_says_that_the_network_is_gone_and_so_does_the_page_at_once(run: Run) -> None:
    told = play(run, "welcome", "pongs", ["line", False], ["fire", "offline"])["told"]
    assert told == [["open", 0], ["offline", 0]]


def test_a_network_that_comes_back_is_used_at_once(run: Run) -> None:
    seen = play(
        run, "welcome", ["line", False], ["fire", "offline"], ["line", True], ["fire", "online"], "welcome"
    )
    assert [status for status, _ in seen["told"]] == ["open", "offline", "open"]
    assert seen["opened"] == 2


def test_a_command_into_nothing_is_called_a_lost_connection_within_seconds(run: Run) -> None:
    seen = play(run, "welcome", "send", ["wait", 7000])
    statuses = dict(seen["told"][:2])
    assert list(statuses) == ["open", "lost"]
    assert 4000 <= statuses["lost"] <= 6000
    assert "unstored" not in dict(seen["told"])
    assert seen["sent"].count("ping") == 1
    assert seen["opened"] > 1, "and it tries again"


def test_a_server_that_answers_but_not_the_command_cannot_save(run: Run) -> None:
    seen = play(run, "welcome", "pongs", "send", ["wait", 9000])
    assert [status for status, _ in seen["told"]] == ["open", "unstored"]
    assert seen["opened"] == 1


def test_a_server_whose_socket_waits_for_the_store_cannot_save_either(run: Run) -> None:
    """It reads the ping only after the command before it is done; a plain request it answers."""
    seen = play(run, "welcome", "healthy", "send", ["wait", 9000])
    assert [status for status, _ in seen["told"]] == ["open", "unstored"]
    seen = play(run, "welcome", "healthy", "send", ["wait", 16000])
    assert [status for status, _ in seen["told"]][:3] == ["open", "unstored", "lost"], "but not for ever"


def test_nobody_has_to_do_anything_for_a_dead_connection_to_be_noticed(run: Run) -> None:
    seen = play(run, "welcome", ["wait", 20000])
    assert seen["told"][1][0] == "lost"
    assert seen["told"][1][1] <= 15000


def test_an_idle_table_with_a_good_connection_is_left_alone(run: Run) -> None:
    seen = play(run, "welcome", "pongs", ["wait", 60000])
    assert [status for status, _ in seen["told"]] == ["open"]
    assert 3 <= seen["sent"].count("ping") <= 6


def test_a_command_that_was_lost_goes_again_and_is_watched_again(run: Run) -> None:
    seen = play(run, "welcome", "send", ["wait", 6000], "welcome", "pongs", ["wait", 7000])
    assert [status for status, _ in seen["told"]][-2:] == ["open", "unstored"]
    assert seen["sent"].count("act") == 2
