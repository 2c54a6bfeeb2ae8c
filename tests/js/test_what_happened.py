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
    assert run("table/story.js", "({stopsOf}, steps) => stopsOf(steps)", steps) == [0, 1, 3]


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


BEGINNING = """({beginningOf}, {steps, turns, mark}) =>
  beginningOf(steps, turns.map((seat) => ({turn: {seat}})), 0, mark)"""


def played(*steps: tuple[int, str, str]) -> tuple[list[dict[str, Any]], list[int]]:
    """Steps (seat, by, what) numbered from 10 on, and whose turn it was before each and after all."""
    found: list[dict[str, Any]] = []
    turns = [steps[0][0]]
    for at, (seat, by, what) in enumerate(steps):
        events = passed(seat)["events"] if what == "end" else went(seat, 1, 2)["events"]
        found.append({"seq": 10 + at, "seat": seat, "by": by, "events": events})
        following = steps[at + 1][0] if at + 1 < len(steps) else 0
        turns.append(following if what == "end" else seat)
    return found, turns


MINE = [(0, "person", "go"), (0, "person", "end")]
BO = [(1, "person", "go"), (1, "person", "end")]
CY = [(2, "bot", "go"), (2, "bot", "end")]
FOR_ME = [(0, "bot", "go"), (0, "bot", "end")]


@pytest.mark.parametrize(
    ("steps", "mark", "begins"),
    [
        (MINE + BO + CY, -1, 2),
        (MINE + BO, -1, None),  # one turn is not worth a story
        (MINE + BO + CY[:1], -1, 2),  # nor must the second be over
        (BO + CY, -1, None),  # joining for the first time
        (MINE + BO + CY, 13, None),  # all but one turn was on this screen
        (MINE + BO + CY, 10, 2),  # what one did oneself is no part of it
        (MINE + BO + CY + BO, 12, 3),  # from where this screen stopped
        (MINE + BO + CY + MINE[:1], -1, None),  # whoever acts has seen it
        (MINE + BO + FOR_ME, -1, 2),
        (FOR_ME + BO, -1, 0),
        (MINE + FOR_ME + BO, 13, None),
        ([*MINE, (1, "person", "end"), (2, "person", "end")], -1, None),  # nothing to be seen
    ],
)
def test_a_story_begins_after_ones_last_action_if_more_than_a_turn_was_missed(
    run: Run, steps: list[tuple[int, str, str]], mark: int, begins: int | None
) -> None:
    given, turns = played(*steps)
    assert run("table/story.js", BEGINNING, {"steps": given, "turns": turns, "mark": mark}) == begins


def test_a_story_stops_where_it_begins_too(run: Run) -> None:
    given, _ = played(*MINE, *BO, *CY)
    assert run("table/story.js", "({stopsOf}, steps) => stopsOf(steps, 2)", given) == [0, 1, 2, 3, 5]


def test_a_line_stands_as_long_as_it_takes_to_read_and_shorter_in_a_long_story(run: Run) -> None:
    ask = "({timeFor}, [text, pace, actions]) => timeFor(text, pace, actions)"
    plain = run("table/story.js", ask, ["x" * 50, "normal", 6])
    assert 1500 < plain < 3000
    assert run("table/story.js", ask, ["x" * 80, "normal", 6]) > plain
    assert (
        run("table/story.js", ask, ["x" * 50, "slow", 6])
        > plain
        > run("table/story.js", ask, ["x" * 50, "fast", 6])
    )
    assert run("table/story.js", ask, ["x" * 50, "normal", 60]) == plain / 2
    assert run("table/story.js", ask, ["x" * 50, "normal", 6000]) > 500
