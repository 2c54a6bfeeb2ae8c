"""The card at the end of a game, and its sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.js.random_games import play_at_random

Run = Callable[..., Any]

DRAW_CARD = """async ({Ending}, {table, view, you, events}) => {
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
    figures: [...root.querySelectorAll("dt")].map((node) => node.textContent),
    ways: [...root.querySelectorAll("a, button, .one-more")].map((node) => node.textContent),
    main: root.querySelector(".button-main")?.getAttribute("href") ?? null,
  };
}"""


def end_card(
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
    for player in range(2):
        view["players"][player]["pirates"] = home if player == winner else [*(left or []), *home][: len(home)]
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
        "table/ending.js",
        DRAW_CARD,
        {"table": table, "view": view, "you": {"seat": seat}, "events": events or []},
    )


def test_winner_gets_a_heading_statistics_and_links(run: Run) -> None:
    card = end_card(run, 1)
    assert (card["heading"], card["words"]) == ("You have won!", "All your pirates have escaped.")
    assert card["figures"] == ["Turns", "Cards drawn", "Longest jump", "Luck", "Given away"]
    assert card["ways"] == [
        "One more game?",
        "Share",
        "Review",
        "Replay",
        "Check the shuffle",
        "Go to the lobby",
    ]


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ([30], "So close! You were 7 spaces short of bringing all your pirates to the goal."),
        ([36], "So close! You were 1 space short of bringing all your pirates to the goal."),
        ([10, 30], "Well sailed. You were 34 spaces short of bringing all your pirates to the goal."),
        (
            ["start"] * 6,
            "You were 222 spaces short of bringing all your pirates to the goal.",
        ),
    ],
)
def test_loser_gets_a_consolation_with_the_missing_spaces(run: Run, left: list[Any], words: str) -> None:
    card = end_card(run, 0, left=left)
    assert (card["heading"], card["words"]) == ("Bo has won!", words)


def test_spectator_sees_the_winner_but_no_statistics(run: Run) -> None:
    card = end_card(run, None)
    assert (card["heading"], card["figures"]) == ("Bo has won!", [])
    assert "One more game?" not in card["ways"]


def test_resigned_player_is_offered_a_new_game(run: Run) -> None:
    running = end_card(run, 0, winner=None, status="running", resigned=True)
    assert running["heading"] == "You have resigned."
    assert running["words"] == "The others are playing on. You can watch them, or start a new game."
    assert (running["ways"], running["main"]) == (
        ["Start a new game", "Go to the lobby"],
        "/new?preset=jamaica",
    )
    over = end_card(run, 0, reason="resigned", resigned=True)
    assert (over["heading"], over["words"]) == ("You have resigned.", "Bo has won!")
    assert "Start a new game" in over["ways"]
    assert end_card(run, 0, winner=None, status="running")["isHidden"]


def test_game_without_a_winner_says_why(run: Run) -> None:
    assert (
        end_card(run, None, winner=None, reason="resigned")["heading"]
        == "All players except the bots have resigned."
    )
    assert (
        end_card(run, 0, winner=None, reason="aborted")["heading"] == "The game was ended without a winner."
    )


def test_card_waits_for_the_animation_of_the_map(run: Run) -> None:
    live = end_card(run, 1, events=[{"type": "game_won", "seat": 1}])
    assert (live["isHeld"], live["isHeldAfter"]) == (True, False)
    assert not end_card(run, 1)["isHeld"], "shown at once to a viewer who comes later"


SOUND = """async ({playSoundOf}, seats) => {
  const {setPref} = await import("/static/js/table/preferences.js");
  const make = AudioContext.prototype.createOscillator;
  let tones = 0;
  AudioContext.prototype.createOscillator = function () { tones += 1; return make.call(this); };
  const toneCounts = [];
  for (const [isOn, seat] of seats) {
    setPref("sound", isOn);
    tones = 0;
    playSoundOf([{type: "game_won", seat: 1}], seat);
    toneCounts.push(tones);
  }
  setPref("sound", false);
  AudioContext.prototype.createOscillator = make;
  return toneCounts;
}"""


def test_fanfare_plays_for_winner_and_spectator_only_if_sound_is_on(run: Run) -> None:
    silent, won, watched, lost = run(
        "table/sound.js", SOUND, [[False, 1], [True, 1], [True, None], [True, 0]]
    )
    assert silent == 0
    assert won == watched > lost > 0
