"""The history of a running game: moves since the last turn, stops of the history player, scrolling of the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def advanced(seat: int, start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"events": [{"type": "advanced", "seat": seat, "card": "key", "from": start, "to": end, **more}]}


def turn_passed(seat: int) -> dict[str, Any]:
    return {"events": [{"type": "turn_passed", "seat": seat, "next": 1 - seat}]}


def test_moves_since_a_turn_exclude_undone_ones(run: Run) -> None:
    morgan = {"events": [{"type": "morgan_moved", "seat": 1, "player": 0, "from": 9, "to": 4}]}
    entries = [
        {"kind": "started"},
        advanced(1, "start", 2),
        turn_passed(1),
        advanced(0, "start", 3),
        turn_passed(0),
        advanced(1, 2, 5),
        advanced(1, 5, 6),
        {"kind": "undo", "seat": 1},
        morgan,
        {"events": [{"type": "cards_drawn", "seat": 1, "count": 1, "source": "deck"}]},
        turn_passed(1),
    ]
    found = run("table/log.js", "({movesSince}, entries) => movesSince(entries, 0)", entries)
    assert found == [{"from": 2, "to": 5, "seat": 1}, {"from": 9, "to": 4, "seat": 0}]
    first = run("table/log.js", "({movesSince}, entries) => movesSince(entries, 0)", entries[:3])
    assert first == [{"from": "start", "to": 2, "seat": 1}], "before the first own turn, all moves"


def test_history_stops_after_every_step_with_an_action(run: Run) -> None:
    steps = [advanced(0, "start", 3), turn_passed(0), advanced(1, "start", 4), {"events": []}, turn_passed(1)]
    assert run("table/history_stops.js", "({findStops}, steps) => findStops(steps)", steps) == [0, 1, 3]


@pytest.mark.parametrize(
    ("turns", "began"),
    [
        ([0, 0, 1, 1], 0),
        ([0, 1, 0, 0, 1, 1], 2),
        ([0, 0, 1, 1, 0, 0], 0),  # the current turn does not count
        ([1, 1, 0, 0], 0),
        ([1], 0),
    ],
)
def test_replay_of_a_running_game_starts_at_the_last_completed_turn(
    run: Run, turns: list[int], began: int
) -> None:
    views = [{"turn": {"seat": seat}} for seat in turns]
    assert run("core/fold.js", "({lastTurnStart}, views) => lastTurnStart(views, 0)", views) == began


LINES = """async ({LogAndChat}, {steps}) => {
  document.body.replaceChildren();
  const style = document.createElement("style");
  style.textContent = ".log-lines { height: 200px; overflow: auto; margin: 0 } .log-line { height: 30px }";
  const root = document.createElement("section");
  document.body.append(style, root);
  const talk = LogAndChat(root, {onTrace() {}, onChat() {}, onMute() {}});
  const box = root.querySelector(".log-lines");
  const state = {you: {seat: 0, muted: []}, table: {seats: []}, chatPresets: [], chatLines: []};
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


def test_log_stays_at_its_end_when_it_is_resized_or_rewrapped(run: Run) -> None:
    steps: list[Any] = [
        # Lines rewrap (new font, narrower column) before the scroll event.
        ["add", 20], ["wrap", 44], ["frame", 0], ["add", 1], ["frame", 0],
        ["grow", 320], ["frame", 0], ["grow", 90], ["frame", 0], ["grow", 200], ["add", 3], ["frame", 0],
    ]  # fmt: skip
    assert [left <= 1 for left in run("table/log_and_chat.js", LINES, {"steps": steps})[1:]] == [True] * 4


def test_log_keeps_the_readers_position_until_they_scroll_to_the_end(run: Run) -> None:
    steps: list[Any] = [
        ["add", 30], ["frame", 0], ["scroll", -300], ["frame", 0], ["add", 2], ["frame", 0], ["grow", 150],
        ["frame", 0], ["scroll", 2000], ["frame", 0], ["add", 2], ["frame", 0],
    ]  # fmt: skip
    seen = run("table/log_and_chat.js", LINES, {"steps": steps})
    assert seen[1] == 300
    assert seen[2] == 360
    assert seen[3] == 410
    assert seen[-1] <= 1


START = """({missedStart}, {steps, turns, mark}) =>
  missedStart(steps, turns.map((seat) => ({turn: {seat}})), 0, mark)"""


def make_steps(*steps: tuple[int, str, str]) -> tuple[list[dict[str, Any]], list[int]]:
    """Return steps from (seat, by, what), with seq from 10 on, and the seat in turn before each and after all."""
    found: list[dict[str, Any]] = []
    turns = [steps[0][0]]
    for at, (seat, by, what) in enumerate(steps):
        events = turn_passed(seat)["events"] if what == "end" else advanced(seat, 1, 2)["events"]
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
        (MINE + BO, -1, None),  # one missed turn is too little
        (MINE + BO + CY[:1], -1, 2),  # the second turn need not be over
        (BO + CY, -1, None),  # joining for the first time
        (MINE + BO + CY, 13, None),  # this browser has shown all but one turn
        (MINE + BO + CY, 10, 2),  # own actions are not part of it
        (MINE + BO + CY + BO, 12, 3),  # from where this browser stopped
        (MINE + BO + CY + MINE[:1], -1, None),  # the player has acted since
        (MINE + BO + FOR_ME, -1, 2),
        (FOR_ME + BO, -1, 0),
        (MINE + FOR_ME + BO, 13, None),
        ([*MINE, (1, "person", "end"), (2, "person", "end")], -1, None),  # no visible action
    ],
)
def test_playback_starts_after_the_last_own_action_if_more_than_one_turn_was_missed(
    run: Run, steps: list[tuple[int, str, str]], mark: int, begins: int | None
) -> None:
    given, turns = make_steps(*steps)
    assert run("table/history_stops.js", START, {"steps": given, "turns": turns, "mark": mark}) == begins


def test_playback_stops_at_its_start(run: Run) -> None:
    given, _ = make_steps(*MINE, *BO, *CY)
    assert run("table/history_stops.js", "({findStops}, steps) => findStops(steps, 2)", given) == [
        0,
        1,
        2,
        3,
        5,
    ]


def test_sentence_is_shown_long_enough_to_read_and_shorter_in_a_long_playback(run: Run) -> None:
    script = "({stopDuration}, [text, pace, actions]) => stopDuration(text, pace, actions)"
    plain = run("table/history_stops.js", script, ["x" * 50, "normal", 6])
    assert 1500 < plain < 3000
    assert run("table/history_stops.js", script, ["x" * 80, "normal", 6]) > plain
    assert (
        run("table/history_stops.js", script, ["x" * 50, "slow", 6])
        > plain
        > run("table/history_stops.js", script, ["x" * 50, "fast", 6])
    )
    assert run("table/history_stops.js", script, ["x" * 50, "normal", 60]) == plain / 2
    assert run("table/history_stops.js", script, ["x" * 50, "normal", 6000]) > 500
