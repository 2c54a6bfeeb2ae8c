"""Turns as arrows: numbered by action, the better turn beside the one played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.js.random_games import play_at_random

Run = Callable[..., Any]

TURN = [
    {"type": "retreated", "seat": 0, "from": 8, "to": 6},
    {"type": "cards_drawn", "seat": 0, "source": "deck", "cards": ["key"], "count": 1},
    {"type": "sailed", "seat": 0, "to": "tortuga", "free": False},
    {"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 9},
    {"type": "turn_passed", "seat": 0, "next": 1},
]


def test_arrow_has_the_number_of_its_action(run: Run) -> None:
    script = "({groupByAction, turnArrows}, events) => [groupByAction(events), turnArrows(events, 'played')]"
    actions, arrows = run("board/arrows.js", script, TURN)
    assert [len(action) for action in actions] == [2, 1, 1]
    assert arrows == [
        {"from": 8, "to": 6, "kind": "played", "n": 1},
        {"from": "start", "to": 9, "kind": "played", "n": 3},
    ]


SHOW = """async ({Board}, {view, arrows}) => {
  document.body.replaceChildren();
  const box = document.createElement("div");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  const {drawArrows} = await import("/static/js/board/arrows.js");
  const board = Board(svg, {interactive: false, drawArrows});
  await board.set(view);
  board.mark({arrows});
  const drawn = [...svg.querySelectorAll(".arrow")].map((arrow) => ({
    kind: arrow.getAttribute("class"),
    n: arrow.querySelector("text").textContent,
    d: arrow.querySelector(".arrow-way").getAttribute("d"),
    colours: [
      getComputedStyle(arrow.querySelector(".arrow-way")).stroke,
      getComputedStyle(arrow.querySelector("text")).fill,
    ],
  }));
  board.mark({});
  const probe = document.createElement("i");
  document.body.append(probe);
  const seats = [0, 1, 2, 3, 4].map((n) => {
    probe.style.color = `var(--seat-${n})`;
    return getComputedStyle(probe).color;
  });
  return {drawn, seats, left: svg.querySelectorAll(".arrow").length};
}"""


def test_played_and_better_arrow_of_one_move_differ_and_use_no_player_colour(run: Run) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    same = {"from": 3, "to": 9, "n": 1}
    nowhere = {"from": 4, "to": 4, "kind": "played", "n": 2}
    given = {"view": view, "arrows": [{**same, "kind": "played"}, {**same, "kind": "better"}, nowhere]}
    shown = run("board/board.js", SHOW, given)
    played, better = shown["drawn"]
    assert (played["kind"], better["kind"]) == ("arrow played", "arrow better")
    assert played["d"] != better["d"]
    assert not {*played["colours"], *better["colours"]} & set(shown["seats"])
    assert shown["left"] == 0
