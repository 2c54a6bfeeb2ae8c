"""What a screen reader hears: a person's action at once, a bot's turn as one sentence, a clock at 30 and 10 seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

HEARD = """({Turns}, told) => {
  const heard = [];
  const turns = Turns((text) => heard.push(text));
  for (const [seat, texts, types] of told)
    turns.hear({seat, texts, text: texts.join(" ")}, types.map((type) => ({type})), [{bot: null}, {bot: "sailor"}]);
  return heard;
}"""


def test_a_bots_turn_is_one_sentence_at_its_end(run: Run) -> None:
    turn = [
        [1, ["Brita plays key and goes from the prison to space 4."], ["advanced"]],
        [
            1,
            ["Brita falls back from space 4 to space 2.", "Brita draws 2 cards."],
            ["retreated", "cards_drawn"],
        ],
        [1, ["Brita ends the turn; Ann is next."], ["turn_passed"]],
    ]
    assert run("table/announce.js", HEARD, turn[:2]) == []
    sentence = (
        "Brita plays key and goes from the prison to space 4; Brita falls back from space 4 to space 2; "
        "Brita draws 2 cards; Brita ends the turn; Ann is next."
    )
    assert run("table/announce.js", HEARD, turn) == [sentence]


def test_what_a_person_does_is_heard_at_once_and_after_what_a_bot_has_begun(run: Run) -> None:
    told = [
        [1, ["Brita lights a lantern."], ["lantern_lit"]],
        [0, ["Ann discards key."], ["cards_discarded"]],
    ]
    assert run("table/announce.js", HEARD, told) == ["Brita lights a lantern.", "Ann discards key."]


def test_a_clock_is_spoken_when_it_comes_down_to_thirty_and_to_ten_seconds(run: Run) -> None:
    asked = [[31000, 30000], [30000, 29750], [10100, 9900], [40000, 5000], [None, 9000], [60000, 45000]]
    spoken = run("table/clock.js", "({isSpoken}, pairs) => pairs.map(([a, b]) => isSpoken(a, b))", asked)
    assert spoken == [True, False, True, True, False, False]
