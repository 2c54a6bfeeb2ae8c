"""A client's copy of a room: frames in order, gaps, duplicates; and its clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.js.random_games import play_at_random

Run = Callable[..., Any]

FEED = """({emptyRoom, receive}, frames) => {
  let room = emptyRoom();
  const causes = [];
  for (const frame of frames) {
    const {room: next, ...cause} = receive(room, frame);
    room = next;
    causes.push(Object.keys(cause).filter((key) => cause[key] !== undefined && cause[key] !== false));
  }
  return {room, causes};
}"""


def seats(count: int) -> list[dict[str, Any]]:
    return [
        {"person": f"p{n}", "name": f"P{n}", "colour": None, "absent": n == 1, "bot": None}
        for n in range(count)
    ]


def a_state(view: Any, seq: int = 5, **more: Any) -> dict[str, Any]:
    table = {"seats": seats(2), "status": "running", "votes": {"1": {"0": "bot"}}}
    return {"t": "state", "seq": seq, "you": {"seat": 0}, "table": table, "view": view, **more}


def test_frames_in_order_lead_to_the_servers_view(run: Run) -> None:
    frames = play_at_random({"preset": "jamaica", "players": 2}, "ab" * 32, 30)
    given = [a_state(frames[0]["views"]["0"])]
    for at, frame in enumerate(frames[1:], 6):
        given.append(
            {"t": "events", "seq": at, "events": frame["events"]["0"], "choices": frame["choices"]["0"]}
        )
    room = run("table/room_state.js", FEED, given)["room"]
    assert room["view"] == frames[-1]["views"]["0"]
    assert room["choices"] == frames[-1]["choices"]["0"]
    assert room["seq"] == 35


def test_gap_requests_a_resync_and_changes_nothing(run: Run) -> None:
    got = run("table/room_state.js", FEED, [a_state(None), {"t": "events", "seq": 7, "events": []}])
    assert got["causes"][1] == ["resync"]
    assert got["room"]["seq"] == 5


def test_duplicate_frame_is_ignored(run: Run) -> None:
    again = {"t": "events", "seq": 6, "events": []}
    got = run("table/room_state.js", FEED, [a_state(None), again, again])
    assert got["causes"][2] == []
    assert got["room"]["seq"] == 6


def test_choices_and_undo_are_cleared_by_a_frame_without_them(run: Run) -> None:
    first = a_state(None, choices=[{"action": {"type": "end"}}], undo=True)
    room = run("table/room_state.js", FEED, [first, {"t": "events", "seq": 6, "events": []}])["room"]
    assert room["choices"] == []
    assert room["undo"] is False


def test_refusal_with_a_state_replaces_the_room(run: Run) -> None:
    refused = {"t": "refused", "id": "x", "code": "stale", "message": "…", "state": a_state(None, seq=9)}
    got = run("table/room_state.js", FEED, [a_state(None), refused])
    assert got["room"]["seq"] == 9
    assert set(got["causes"][1]) == {"reset", "refused"}


def test_last_frame_of_a_game_contains_the_table(run: Run) -> None:
    last = {"t": "events", "seq": 6, "events": [], "table": {"seats": seats(2), "status": "finished"}}
    assert run("table/room_state.js", FEED, [a_state(None), last])["room"]["table"]["status"] == "finished"


def test_acting_player_is_no_longer_absent(run: Run) -> None:
    frames = play_at_random({"preset": "jamaica", "players": 2}, "ab" * 32, 60)
    at = next(n for n, frame in enumerate(frames) if frame["seat"] == 1)
    frames = [
        a_state(frames[at - 1]["views"]["0"]),
        {"t": "events", "seq": 6, "events": frames[at]["events"]["0"]},
    ]
    table = run("table/room_state.js", FEED, frames)["room"]["table"]
    assert table["seats"][1]["absent"] is False
    assert table["votes"] == {}


def test_chat_line_for_others_only_advances_the_counter(run: Run) -> None:
    lines = [
        {"t": "chat", "n": 1, "channel": "spectators"},
        {"t": "chat", "n": 2, "channel": "players", "person": "p1", "name": "Bo", "text": "Ahoy"},
        {"t": "chat", "n": 2, "channel": "players", "person": "p1", "name": "Bo", "text": "Ahoy"},
    ]
    room = run("table/room_state.js", FEED, lines)["room"]
    assert room["chat"] == 2
    assert [line["text"] for line in room["chatLines"]] == ["Ahoy"]


def test_running_clock_counts_down_from_the_servers_value(run: Run) -> None:
    clock = {"left": [60000, 41200], "running": [1], "at": 1000}
    left = "(m, [clock, seat, now]) => m.remainingMs(clock, seat, now)"
    assert run("table/clock.js", left, [clock, 0, 9000]) == 60000
    assert run("table/clock.js", left, [clock, 1, 9000]) == 33200
    assert run("table/clock.js", left, [clock, 1, 99000]) == 0
    assert run("table/clock.js", left, [None, 1, 99000]) is None


def test_remaining_time_is_formatted(run: Run) -> None:
    spelt = run(
        "table/clock.js", "(m, times) => times.map(m.formatRemaining)", [0, 41200, 725000, 7800000, 273600000]
    )
    assert spelt == ["0:00", "0:42", "12:05", "2 h 10", "3 d 4 h"]
