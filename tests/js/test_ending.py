"""The card at the end: what it says to whom, and that it waits for the map's moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.js.random_games import play_at_random

Run = Callable[..., Any]

TELL = """async ({Ending}, {table, view, you, events}) => {
  const root = document.createElement("section");
  document.body.replaceChildren(root);
  const rematch = {score: document.createElement("div"), way: document.createElement("div"), update() {}};
  const ending = Ending(root, {rematch});
  ending.update({table, view, you}, events);
  const isHeld = root.classList.contains("held");
  ending.show();
  return {
    isHidden: root.hidden,
    isHeld,
    isHeldAfter: root.classList.contains("held"),
    heading: root.querySelector("h2")?.textContent,
    words: root.querySelector(".ending-words")?.textContent ?? "",
    figures: [...root.querySelectorAll("dt")].map((each) => each.textContent),
    ways: [...root.querySelectorAll("a, button, .one-more")].map((each) => each.textContent),
    main: root.querySelector(".button-main")?.getAttribute("href") ?? null,
  };
}"""


def told(
    run: Run,
    seat: int | None,
    *,
    winner: int | None = 1,
    reason: str = "goal",
    status: str = "finished",
    left: list[Any] | None = None,
    resigned: bool = False,
    events: list[Any] | None = None,
) -> Any:
    view = play_at_random({"preset": "jamaica", "players": 2}, "1d" * 32, 0)[0]["views"]["None"]
    home = ["goal"] * len(view["players"][0]["pirates"])
    view["winner"] = winner
    for each in range(2):
        view["players"][each]["pirates"] = home if each == winner else [*(left or []), *home][: len(home)]
    if seat is not None:
        view["players"][seat]["resigned"] = resigned
    table = {
        "id": "g1",
        "status": status,
        "options": view["options"],
        "seats": [{"person": f"p{n}", "name": name, "colour": None} for n, name in enumerate(("Ann", "Bo"))],
        "result": None if status == "running" else {"winner": winner, "places": [2, 1], "reason": reason},
    }
    return run(
        "table/ending.js", TELL, {"table": table, "view": view, "you": {"seat": seat}, "events": events or []}
    )


def test_whoever_has_won_is_told_so_with_figures_and_ways_on(run: Run) -> None:
    card = told(run, 1)
    assert (card["heading"], card["words"]) == ("You have won!", "All pirates have escaped.")
    assert card["figures"] == ["Turns", "Cards drawn", "Longest jump", "Luck", "Given away"]
    assert card["ways"] == ["One more?", "Share", "Review", "Replay", "Check the chance", "To the lobby"]


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ([30], "So close! 7 spaces were missing to bring all your pirates home."),
        ([36], "So close! 1 space was missing to bring all your pirates home."),
        ([10, 30], "Well sailed. 34 spaces were missing to bring all your pirates home."),
        (
            ["start"] * 6,
            "The wind was with the others this time. 222 spaces were missing to bring all your pirates home.",
        ),
    ],
)
def test_losing_is_kind_and_says_how_near_it_was(run: Run, left: list[Any], words: str) -> None:
    card = told(run, 0, left=left)
    assert (card["heading"], card["words"]) == ("Bo has won!", words)


def test_whoever_watched_is_told_who_won_and_given_no_figures_of_their_own(run: Run) -> None:
    card = told(run, None)
    assert (card["heading"], card["figures"]) == ("Bo has won!", [])
    assert "One more?" not in card["ways"]


def test_giving_up_says_so_and_offers_a_new_game(run: Run) -> None:
    running = told(run, 0, winner=None, status="running", resigned=True)
    assert running["heading"] == "You have given up."
    assert running["words"] == "The others play on. You can watch them, or begin a new game."
    assert (running["ways"], running["main"]) == (["A new game", "To the lobby"], "/new?preset=jamaica")
    over = told(run, 0, reason="resigned", resigned=True)
    assert (over["heading"], over["words"]) == ("You have given up.", "Bo has won!")
    assert "A new game" in over["ways"]
    assert told(run, 0, winner=None, status="running")["isHidden"]


def test_a_game_without_a_winner_says_why(run: Run) -> None:
    assert told(run, 0, winner=None, reason="resigned")["heading"] == "Everybody has given up."
    assert told(run, 0, winner=None, reason="aborted")["heading"] == "The game was ended without a winner."


def test_the_card_waits_until_the_sloop_has_sailed(run: Run) -> None:
    live = told(run, 1, events=[{"type": "game_won", "seat": 1}])
    assert (live["isHeld"], live["isHeldAfter"]) == (True, False)
    assert not told(run, 1)["isHeld"], "whoever comes later finds it there"


SOUND = """async ({soundOf}, seats) => {
  const {setPref} = await import("/static/js/table/preferences.js");
  const make = AudioContext.prototype.createOscillator;
  let tones = 0;
  AudioContext.prototype.createOscillator = function () { tones += 1; return make.call(this); };
  const heard = [];
  for (const [isOn, seat] of seats) {
    setPref("sound", isOn);
    tones = 0;
    soundOf([{type: "game_won", seat: 1}], seat);
    heard.push(tones);
  }
  setPref("sound", false);
  AudioContext.prototype.createOscillator = make;
  return heard;
}"""


def test_a_fanfare_is_for_the_winner_and_for_whoever_wants_sound(run: Run) -> None:
    silent, won, watched, lost = run(
        "table/sound.js", SOUND, [[False, 1], [True, 1], [True, None], [True, 0]]
    )
    assert silent == 0
    assert won == watched > lost > 0
