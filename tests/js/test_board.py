"""The board: pirates, labels of places, the sloop, animations and the celebration of a win."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.js.random_games import PRESETS, play_at_random

Run = Callable[..., Any]

SHOW = """async ({Board}, {views, events}) => {
  document.body.replaceChildren();
  const box = document.createElement("div");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  const pressed = [];
  const board = Board(svg, {onSpace: (place) => pressed.push(place)});
  for (const [at, view] of views.entries()) await board.set(view, at ? events : []);
  board.mark({selected: "start", sources: ["start", 1], targets: [{place: 2, cards: ["key"], draws: 2}]});
  svg.querySelector('[data-place="2"]').dispatchEvent(new MouseEvent("click", {bubbles: true}));
  const boat = svg.querySelector(".landmark.sloop");
  return {
    figures: svg.querySelectorAll(".figure").length,
    places: [...svg.querySelectorAll(".place")].map((place) => place.getAttribute("aria-label")),
    rings: [...svg.querySelectorAll(".ring")].map((ring) => ring.getAttribute("class")),
    chips: svg.querySelectorAll(".chip").length,
    boat: boat ? boat.getBoundingClientRect().x : null,
    pressed,
  };
}"""


@pytest.mark.parametrize("options", PRESETS, ids=lambda options: options["preset"])
def test_every_pirate_is_drawn_and_every_place_has_a_label(run: Run, options: dict[str, Any]) -> None:
    frames = play_at_random(options, "1d" * 32, 60, chance=3)
    views = [frame["views"]["None"] for frame in frames[-3:]]
    shown = run("board/board.js", SHOW, {"views": views, "events": frames[-1]["events"]["None"]})
    view = views[-1]
    assert shown["figures"] == sum(len(player["pirates"]) for player in view["players"])
    assert len(shown["places"]) == len(view["board"]) + (3 if view["sloop"] else 2)
    assert shown["places"][1].startswith(f"space 1, {view['board'][0]}, ")
    assert shown["places"][2].endswith("can be reached with: key; draws 2 cards and cannot be undone")
    assert sorted(shown["rings"]) == ["ring selected", "ring source", "ring source", "ring target"]
    assert shown["chips"] == 1
    assert shown["pressed"] == [2]


def test_sloop_is_drawn_at_its_place_with_and_without_animation(run: Run) -> None:
    first = play_at_random({"preset": "complete", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    other = {**first, "sloop": "tortuga"}
    sailed = [{"type": "sailed", "seat": 0, "to": "tortuga", "free": False}]
    back = [{"type": "sailed", "seat": 0, "to": "cartagena", "free": False}]

    def lies(views: list[Any], events: list[Any]) -> float:
        return float(run("board/board.js", SHOW, {"views": views, "events": events})["boat"])

    here, there = lies([first], []), lies([other], [])
    assert abs(here - there) > 100
    assert lies([first, other], sailed) == pytest.approx(there, abs=1)
    assert lies([other, first], back) == pytest.approx(here, abs=1)


CHEER = """async ({Board}, {views, events}) => {
  document.body.replaceChildren();
  const box = document.createElement("div");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  const board = Board(svg, {});
  const seen = () => ({
    flags: [...svg.querySelectorAll(".victory-flag text")].map((each) => each.textContent),
    boat: svg.querySelector(".landmark.sloop")?.getBoundingClientRect().x ?? null,
    beneath: svg.querySelectorAll(".figure.look-1.beneath").length,
    moves: svg.getAnimations({subtree: true}).length,
    numbers: [...svg.querySelectorAll(".count text")].map((each) => each.textContent),
  });
  const found = [];
  for (const [at, view] of views.entries()) {
    const done = board.set(view, at ? events[at - 1] : []);
    await done;
    found.push(seen());
  }
  return found;
}"""


@pytest.mark.parametrize("preset", ["jamaica", "jungle", "complete"])
def test_won_game_shows_the_sloop_with_the_winners_flag(run: Run, preset: str) -> None:
    before = play_at_random({"preset": preset, "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    home = ["goal"] * len(before["players"][1]["pirates"])
    won = {
        **before,
        "winner": 1,
        "players": [
            {**before["players"][0], "pirates": [*before["players"][0]["pirates"][2:], "goal", "goal"]},
            {**before["players"][1], "pirates": home},
        ],
    }
    given_up = {**before, "winner": 1}  # a winner by resignation has no crew on deck
    win = [{"type": "game_won", "seat": 1}]
    first, cheered, back, still, empty = run(
        "board/board.js", CHEER, {"views": [before, won, before, won, given_up], "events": [win, [], [], win]}
    )
    assert (first["flags"], back["flags"], empty["flags"]) == ([], [], [])
    for shown in (cheered, still):  # with and without motion the same picture in the end
        assert shown["flags"] == ["B"]
        assert shown["beneath"] == 0, "the whole crew stands on deck"
        assert shown["moves"] == 0
        assert shown["numbers"] == [str(len(home) - 2)], "of those at the start, none over the crew's heads"
    assert cheered["boat"] == still["boat"]
    if preset == "jamaica":
        assert abs(still["boat"] - first["boat"]) > 5, "it has cast off"
    assert back["boat"] == first["boat"], "a replay that goes back finds it at the quay"


WALK = """async ({Board}, {views, events, speed}) => {
  const {setDurationFactor} = await import("/static/js/board/animate.js");
  document.body.replaceChildren();
  const box = document.createElement("div");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  setDurationFactor(speed);
  const board = Board(svg);
  board.set(views[0]);
  board.set(views[1], events[0]);
  const walks = () => document.getAnimations().filter(({effect}) => effect.target.matches(".figure"));
  const walking = walks().map(({effect}) => effect.getTiming().duration);
  board.set(views[2], events[1]);
  const after = walks().length;
  setDurationFactor(1);
  return {walking, after};
}"""


def test_end_of_turn_does_not_interrupt_the_last_walk_and_pace_scales_it(run: Run) -> None:
    """A bot's last action and the end of its turn arrive together."""
    first = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    there = json.loads(json.dumps(first))
    there["players"][0]["pirates"][0] = 4
    then = {**there, "turn": {**there["turn"], "seat": 1}}
    events = [
        [{"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 4}],
        [{"type": "turn_passed", "seat": 0, "next": 1, "forced": False}],
    ]

    def walked(speed: float) -> Any:
        return run("board/board.js", WALK, {"views": [first, there, then], "events": events, "speed": speed})

    usual = walked(1)
    assert len(usual["walking"]) == usual["after"] == 1
    assert walked(0.5)["walking"] == [usual["walking"][0] / 2]
    assert walked(0)["walking"] == [], "who skips to the next turn sees no motion"


TOUCHING = """async ({Board}, view) => {
  document.body.replaceChildren();
  const box = document.createElement("div");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  const board = Board(svg, {});
  await board.set(view);
  const cards = ["key", "key*", "hat", "hat*"];
  board.mark({targets: [2, 3, 4].map((place) => ({place, cards, draws: 2}))});
  const boxes = [...svg.querySelectorAll(".chip")].map((chip) => chip.getBoundingClientRect());
  return boxes.slice(1).filter((each, at) => each.left < boxes[at].right).length;
}"""


def test_labels_over_neighbouring_spaces_do_not_overlap(run: Run) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    assert run("board/board.js", TOUCHING, view) == 0


RESIZED = """async ({Board}, {views, events}) => {
  document.body.replaceChildren();
  const box = document.createElement("div");
  box.style.width = "900px";
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  box.append(svg);
  document.body.append(box);
  const board = Board(svg, {});
  await board.set(views[0]);
  let isDone = false;
  const done = board.set(views[1], events).then(() => { isDone = true; });
  const frames = async (n) => { for (let at = 0; at < n; at += 1) await new Promise(requestAnimationFrame); };
  await frames(2);
  box.style.width = "700px";
  for (let n = 0; n < 300 && !svg.querySelector(".victory-flag"); n += 1) await frames(1); // loaded by then
  await frames(4);
  const seen = () => ({
    moves: svg.getAnimations({subtree: true}).length,
    flags: svg.querySelectorAll(".victory-flag").length,
  });
  const during = {...seen(), isDone};
  await done;
  return {during, after: seen()};
}"""


def test_celebration_continues_when_the_map_changes_size(run: Run) -> None:
    """The end card shrinks the map at the moment of the win."""
    before = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    home = ["goal"] * len(before["players"][1]["pirates"])
    won = {
        **before,
        "winner": 1,
        "players": [before["players"][0], {**before["players"][1], "pirates": home}],
    }
    events = [{"type": "game_won", "seat": 1}]
    shown = run("board/board.js", RESIZED, {"views": [before, won], "events": events})
    assert shown["during"]["moves"] > 0
    assert not shown["during"]["isDone"]
    assert shown["after"] == {"moves": 0, "flags": 1}
