"""Log and chat use event delegation: the number of listeners does not grow with the lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

COUNT = """async ({LogAndChat}, many) => {
  const root = document.createElement("div");
  document.body.append(root);
  let listeners = 0;
  const own = EventTarget.prototype.addEventListener;
  const traces = [];
  const muted = [];
  const onTrace = (trace) => traces.push(trace);
  const talk = LogAndChat(root, {onTrace, onChat() {}, onMute: (...who) => muted.push(who)});
  EventTarget.prototype.addEventListener = function (...given) { listeners += 1; return own.apply(this, given); };
  try {
    const move = (n) => ({seq: n, text: `line ${n}`, seat: 0, traces: [{from: n, to: n + 1}]});
    const log = Array.from({length: many}, (_, n) => move(n));
    log.push({seq: many, text: "The game is paused.", seat: null, traces: []});
    const lines = Array.from({length: many}, (_, n) => ({n, person: `p${n}`, name: `Bo ${n}`, seat: 1, text: "ahoy"}));
    const seats = [{name: "Ann", colour: "red"}, {name: "Bo", colour: "blue"}];
    talk.update({you: {person: "me", seat: 0, muted: []}, table: {seats}, chatPresets: [], log, chatLines: lines});
  } finally { EventTarget.prototype.addEventListener = own; }
  const items = root.querySelectorAll(".log-line");
  const to = (item, type, more = {}) => item.firstChild.dispatchEvent(new MouseEvent(type, {bubbles: true, ...more}));
  to(items[3], "mouseover");
  to(items[3], "mouseout", {relatedTarget: items[3]});  // still on the same line
  to(items[3], "mouseout", {relatedTarget: items[4]});
  items[5].focus();
  items[5].blur();
  to(items[many], "mouseover");
  root.querySelectorAll(".mute")[2].click();
  const nobodys = root.querySelectorAll(".mute")[3];
  delete nobodys.closest("li").dataset.person;
  nobodys.click();
  root.remove();
  return {listeners, traces, muted, drawn: items.length};
}"""


def test_listeners_do_not_grow_with_log_and_chat(run: Callable[..., Any]) -> None:
    few, many = (run("table/log_and_chat.js", COUNT, n) for n in (20, 200))
    assert (few["drawn"], many["drawn"]) == (21, 201)
    assert few["listeners"] == many["listeners"] == 0
    assert many["traces"] == [{"from": 3, "to": 4}, None, {"from": 5, "to": 6}, None]
    assert many["muted"] == [["p2", True]]
