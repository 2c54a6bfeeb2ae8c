"""Ratings: the way back from the account page, figures in words, waiting for a counted game, the scale of the plot."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

Run = Callable[..., Any]
ORIGIN = "https://cartagena.example"


@pytest.mark.parametrize(
    ("back", "address"),
    [
        ("/g/hWq7", f"{ORIGIN}/g/hWq7"),
        ("/new?friends=1", f"{ORIGIN}/new?friends=1"),
        # Attacks: none of these leads to another site.
        ("https://evil.example/g/hWq7", None),
        ("//evil.example", None),
        ("/\\evil.example", None),
        ("/\t/evil.example", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("g/hWq7", None),
        ("", None),
        ("/.//evil.example", f"{ORIGIN}//evil.example"),
    ],
)
def test_account_page_leads_back_to_this_site_only(run: Run, back: str, address: str | None) -> None:
    script = "({addressBack}, [back, origin]) => addressBack(`?${new URLSearchParams({back})}`, origin)"
    assert run("core/account_link.js", script, [back, ORIGIN]) == address


def test_link_to_the_account_page_is_read_again(run: Run) -> None:
    script = """({accountPath, addressBack}, [back, origin]) => {
      const path = accountPath(back);
      return [path.startsWith("/account?"), addressBack(new URL(path, origin).search, origin)];
    }"""
    back = "/g/hWq7?hand=1&x=ä"
    assert run("core/account_link.js", script, [back, ORIGIN]) == [True, f"{ORIGIN}/g/hWq7?hand=1&x=%C3%A4"]
    assert run("core/account_link.js", "({addressBack}, origin) => addressBack('', origin)", ORIGIN) is None


def test_a_rating_is_uncertain_or_has_a_deviation(run: Run) -> None:
    script = (
        "({ratingText, ratingWords}, ratings) => ratings.map((each) => [ratingText(each), ratingWords(each)])"
    )
    certain = {"number": 1612, "deviation": 80, "uncertain": False}
    assert run("core/rating_text.js", script, [certain, {**certain, "uncertain": True}]) == [
        ["1612 ± 80", "Rating 1612, give or take 80"],
        ["1612?", "Rating 1612, still uncertain"],
    ]
    signs = "({signedChange}, changes) => changes.map(signedChange)"
    assert run("core/rating_text.js", signs, [14, -3, 0]) == ["+14", "−3", "±0"]


POLL = """async ({pollRatings}, answers) => {
  const {RefusedError} = await import("/static/js/core/api.js");
  let asked = 0;
  const ask = async () => {
    const answer = answers[asked++];
    if (answer.status !== undefined) throw new RefusedError(answer.status, answer.code, "no");
    return answer;
  };
  const wanted = () => answers[asked] !== "gone";
  try {
    const found = await pollRatings(ask, wanted, [0, 1, 1, 1]);
    return [asked, found?.counted ?? null];
  } catch (problem) {
    return [asked, problem.code];
  }
}"""
WAITING = {"counted": False, "hidden": False}


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([WAITING, WAITING, {"counted": True}], [3, True]),
        # Somebody who hides ratings is not asked for again.
        ([{"counted": False, "hidden": True}], [1, False]),
        # It ends, whatever the server does.
        ([WAITING] * 9, [4, None]),
        # A lost connection and a busy server are asked again, a refusal is not.
        ([{"status": 0}, {"status": 429}, {"status": 503}, {"counted": True}], [4, True]),
        ([{"status": 403, "code": "password_required"}, {"counted": True}], [1, "password_required"]),
        # The card was drawn again.
        ([WAITING, "gone"], [1, None]),
    ],
)
def test_end_card_asks_until_the_game_is_counted(run: Run, answers: list[Any], found: list[Any]) -> None:
    assert run("table/ending_ratings.js", POLL, answers) == found


def test_a_game_that_counts_less_says_why(run: Run) -> None:
    script = "({countingText}, games) => games.map(countingText)"
    assert run(
        "table/ending_ratings.js",
        script,
        [
            {"void": None, "weight": 1},
            {"void": None, "weight": 0.5},
            {"void": "timed_out_again", "weight": 0},
            {"void": "a_rule_of_a_later_release", "weight": 0},
        ],
    ) == [
        "",
        "You have played together often this week, so this game counted for 50%.",
        (
            "This game was not counted: a player had already lost another correspondence game on time in the 24 hours "
            "before."
        ),
        "This game was not counted for ratings.",
    ]


STOPPED = """async ({showRatingChanges}, table) => {
  document.body.innerHTML = '<i data-change="0">…</i><p data-rating-note></p>';
  await showRatingChanges(document.body, {table});
  return document.body.innerText.trim();
}"""


def test_a_game_that_is_stopped_early_says_that_it_does_not_count(run: Run) -> None:
    said = run("table/ending_ratings.js", STOPPED, {"id": "g", "status": "aborted", "rated": {}})
    assert said == "Stopped early: this game was not counted for ratings."


@pytest.mark.parametrize(
    ("low", "high"), [(1500, 1500), (1499, 1501), (1000, 2000), (-300, 3300), (1574, 1666), (0, 9000)]
)
def test_scale_of_the_plot_contains_all_points_in_few_lines(run: Run, low: int, high: int) -> None:
    lines = run("pages/rating_plot.js", "({scaleLines}, [low, high]) => scaleLines(low, high)", [low, high])
    assert lines[0] <= low
    assert high <= lines[-1]
    assert 2 <= len(lines) <= 7
    assert len({after - before for before, after in pairwise(lines)}) == 1


PLOT = """({RatingPlot}, points) => {
  const plot = RatingPlot(points, 320, "Rating");
  document.body.replaceChildren(plot);
  const slider = plot.querySelector("svg");
  const said = [];
  const say = () => said.push(slider.getAttribute("aria-valuetext"));
  say();
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowRight", "Home", "PageUp", "End"]) {
    slider.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    say();
  }
  const details = plot.querySelector("details");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  return [
    said.map((text) => text.replace(/^.*: /, "")),
    [...plot.querySelectorAll("tbody td:last-child")].map((cell) => cell.textContent),
    [...plot.querySelectorAll("path")].every((path) => !/NaN|Infinity/.test(path.getAttribute("d"))),
  ];
}"""


def test_plot_is_read_with_keys_and_as_a_table(run: Run) -> None:
    points = [
        {"at": 1794795000000 + n * 86_400_000, "number": 1500 + n, "deviation": 400 - n} for n in range(15)
    ]
    said, rows, is_drawn = run("pages/rating_plot.js", PLOT, points)
    assert [text.split()[0] for text in said] == ["1514", "1513", "1514", "1514", "1500", "1510", "1514"]
    assert rows == [f"{1500 + n} ± {400 - n}" for n in reversed(range(15))]
    assert is_drawn
