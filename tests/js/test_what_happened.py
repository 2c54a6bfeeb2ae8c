"""What happened since one's last turn: the moves to show, the stops on the way back, a log that stays at its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def went(seat: int, start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"events": [{"type": "advanced", "seat": seat, "card": "key", "from": start, "to": end, **more}]}


def passed(seat: int) -> dict[str, Any]:
    return {"events": [{"type": "turn_passed", "seat": seat, "next": 1 - seat}]}


def test_the_moves_since_a_turn_are_those_of_the_others_and_not_what_was_taken_back(run: Run) -> None:
    morgan = {"events": [{"type": "morgan_moved", "seat": 1, "player": 0, "from": 9, "to": 4}]}
    entries = [
        {"kind": "started"},
        went(1, "start", 2),
        passed(1),
        went(0, "start", 3),
        passed(0),
        went(1, 2, 5),
        went(1, 5, 6),
        {"kind": "undo", "seat": 1},
        morgan,
        {"events": [{"type": "cards_drawn", "seat": 1, "count": 1, "source": "deck"}]},
        passed(1),
    ]
    found = run("table/log.js", "({movesSince}, entries) => movesSince(entries, 0)", entries)
    assert found == [{"from": 2, "to": 5, "seat": 1}, {"from": 9, "to": 4, "seat": 0}]
    first = run("table/log.js", "({movesSince}, entries) => movesSince(entries, 0)", entries[:3])
    assert first == [{"from": "start", "to": 2, "seat": 1}], "before one's first turn, all of it"


def test_on_the_way_back_one_stops_after_every_step_that_did_something(run: Run) -> None:
    steps = [went(0, "start", 3), passed(0), went(1, "start", 4), {"events": []}, passed(1)]
    assert run("table/look_back.js", "({stopsOf}, steps) => stopsOf(steps)", steps) == [0, 1, 3]


@pytest.mark.parametrize(
    ("turns", "began"),
    [
        ([0, 0, 1, 1], 0),
        ([0, 1, 0, 0, 1, 1], 2),
        ([0, 0, 1, 1, 0, 0], 0),  # the turn under way is not the last one
        ([1, 1, 0, 0], 0),
        ([1], 0),
    ],
)
def test_a_replay_of_a_running_game_begins_at_the_last_turn_that_is_over(
    run: Run, turns: list[int], began: int
) -> None:
    views = [{"turn": {"seat": seat}} for seat in turns]
    assert run("core/fold.js", "({lastTurnOf}, views) => lastTurnOf(views, 0)", views) == began


LINES = """async ({LogAndChat}, {steps}) => {
  document.body.replaceChildren();
  const style = document.createElement("style");
  style.textContent = ".log-lines { height: 200px; overflow: auto; margin: 0 } .log-line { height: 30px }";
  const root = document.createElement("section");
  document.body.append(style, root);
  const talk = LogAndChat(root, {onTrace() {}, onChat() {}, onMute() {}});
  const box = root.querySelector(".log-lines");
  const state = {you: {seat: 0, muted: []}, table: {seats: []}, presets: [], lines: []};
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  let log = [];
  const add = (count) => {
    for (let n = 0; n < count; n += 1)
      log = [...log, {seq: log.length, text: `line ${log.length}`, seat: null, traces: []}];
    talk.update({...state, log});
  };
  const does = {
    add: (count) => add(count),
    grow: (height) => { style.textContent += `.log-lines { height: ${height}px }`; },
    wrap: (height) => { style.textContent += `.log-line { height: ${height}px }`; },
    scroll: (by) => { box.scrollTop += by; },
    frame: () => frame(),
  };
  const seen = [];
  for (const [what, value] of steps) {
    await does[what](value);
    if (what === "frame") seen.push(Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
  }
  return seen;
}"""


def test_the_log_stays_at_its_newest_line_whatever_becomes_of_its_box(run: Run) -> None:
    steps: list[Any] = [
        # Words wrap anew (a font has come, the column has become narrower) before the browser tells of the scrolling.
        ["add", 20], ["wrap", 44], ["frame", 0], ["add", 1], ["frame", 0],
        ["grow", 320], ["frame", 0], ["grow", 90], ["frame", 0], ["grow", 200], ["add", 3], ["frame", 0],
    ]  # fmt: skip
    assert [left <= 1 for left in run("table/log_and_chat.js", LINES, {"steps": steps})[1:]] == [True] * 4


def test_whoever_reads_further_up_is_left_there_and_followed_again_at_the_end(run: Run) -> None:
    steps: list[Any] = [
        ["add", 30], ["frame", 0], ["scroll", -300], ["frame", 0], ["add", 2], ["frame", 0], ["grow", 150],
        ["frame", 0], ["scroll", 2000], ["frame", 0], ["add", 2], ["frame", 0],
    ]  # fmt: skip
    seen = run("table/log_and_chat.js", LINES, {"steps": steps})
    assert seen[1] == 300
    assert seen[2] == 360
    assert seen[3] == 410
    assert seen[-1] <= 1
