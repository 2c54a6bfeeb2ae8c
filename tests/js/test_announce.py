"""Announcements for screen readers: actions of people and bots, and clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

ANNOUNCE = """({TurnNarrator}, lines) => {
  const announced = [];
  const turns = TurnNarrator((text) => announced.push(text));
  for (const [seat, texts, types] of lines)
    turns.add({seat, texts, text: texts.join(" ")}, types.map((type) => ({type})), [{bot: null}, {bot: "sailor"}]);
  return announced;
}"""


def test_actions_of_a_bot_are_announced_together_at_the_end_of_its_turn(run: Run) -> None:
    turn = [
        [1, ["Brita plays a key and moves from the prison to space 4."], ["advanced"]],
        [
            1,
            ["Brita retreats from space 4 to space 2.", "Brita draws 2 cards."],
            ["retreated", "cards_drawn"],
        ],
        [1, ["Brita ends their turn; Ann is next."], ["turn_passed"]],
    ]
    assert run("table/announce.js", ANNOUNCE, turn[:2]) == []
    sentence = (
        "Brita plays a key and moves from the prison to space 4; Brita retreats from space 4 to space 2; "
        "Brita draws 2 cards; Brita ends their turn; Ann is next."
    )
    assert run("table/announce.js", ANNOUNCE, turn) == [sentence]


def test_action_of_a_person_is_announced_at_once_after_earlier_actions_of_a_bot(run: Run) -> None:
    lines = [
        [1, ["Brita lights a lantern."], ["lantern_lit"]],
        [0, ["Ann discards key."], ["cards_discarded"]],
    ]
    assert run("table/announce.js", ANNOUNCE, lines) == ["Brita lights a lantern.", "Ann discards key."]


def test_clock_is_announced_at_thirty_and_ten_seconds(run: Run) -> None:
    pairs = [[31000, 30000], [30000, 29750], [10100, 9900], [40000, 5000], [None, 9000], [60000, 45000]]
    spoken = run(
        "table/clock.js", "({shouldSpeak}, pairs) => pairs.map(([a, b]) => shouldSpeak(a, b))", pairs
    )
    assert spoken == [True, False, True, True, False, False]


def test_player_is_told_what_happened_when_the_time_ran_out(run: Run) -> None:
    causes = [
        [0, 0, {"by": "clock", "events": [{"type": "retreated", "seat": 0}]}],
        [0, 0, {"by": "clock", "events": [{"type": "retreated", "seat": 1}]}],
        [0, 0, {"kind": "takeover", "seat": 0}],
        [0, 20_000, {"kind": "takeover", "seat": 0}],  # after a vote of the others
        [0, None, {"kind": "takeover", "seat": 0}],
        [None, None, {"by": "clock", "events": [{"type": "retreated", "seat": 0}]}],
    ]
    sentences = run(
        "table/own_clock.js",
        "({timeUpSentence}, causes) => causes.map((cause) => timeUpSentence(...cause))",
        causes,
    )
    moved, bot = (
        "Your time ran out, and a move was made for you.",
        "Your time ran out. A bot is playing for you.",
    )
    assert sentences == [moved, None, bot, None, None, None]


def test_the_alert_says_nothing_about_the_turn_after_the_game(run: Run) -> None:
    script = """({announceChanges}) => {
      document.body.innerHTML = '<p id="live-alert"><span>It is your turn.</span></p>';
      let listener;
      announceChanges({ subscribe: (names, call) => { if (names.includes("table")) listener = call; } });
      const state = (status) => ({ table: { status, title: "A", seats: [], options: {} }, choices: [], you: {} });
      const texts = [["running", "running"], ["finished", "running"]].map(([now, before]) => {
        listener(state(now), state(before));
        return document.getElementById("live-alert").textContent;
      });
      document.body.replaceChildren();
      return texts;
    }"""
    assert run("table/announce.js", script) == ["It is your turn.", ""]
