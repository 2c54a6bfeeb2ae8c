"""docs/ratings.md states the numbers of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.cli import main
from app.play import matchmaking
from app.ratings import bot_strengths, display, replay
from app.ratings.model import INITIAL, MODEL_VERSION, rate
from app.ratings.pools import POOLS
from app.ratings.public_file import FORMAT, verify_lines
from app.ratings.ranks import MIN_PEOPLE
from app.store.ratings import public_games, reading, suspects
from app.web.api.ratings import PAGE_SIZE, LeaderboardBounds, router

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ratings.md").read_text(encoding="utf-8")
DAY_MS = 86_400_000


def test_numbers_of_the_rules() -> None:
    assert all(f"`{pool}`" in PAGE for pool in POOLS)
    assert MIN_PEOPLE == 2
    assert "at least two people" in PAGE
    assert f"the first {replay.FULL_WEIGHT_GAMES} within {replay.COMPANY_WINDOW_MS // DAY_MS} days" in PAGE
    assert [replay.weigh_company(n) for n in range(4, 10)] == [1, 1 / 2, 1 / 4, 1 / 8, 1 / 8, 1 / 8]
    assert f"in the {replay.TIME_LOSS_WINDOW_MS // 3_600_000} hours before its end" in PAGE
    assert f"(`{replay.TIMED_OUT_AGAIN}`)" in PAGE


def test_numbers_that_are_shown() -> None:
    number, deviation = display.shown_number(INITIAL.mu), display.shown_deviation(INITIAL.sigma)
    assert f"which is {number} ± {deviation} at first" in PAGE
    assert "at first 25 and 8.3333" in PAGE
    assert INITIAL == (25.0, 8.3333)
    assert display.shown_number(26.0) - number == 30
    bounds = LeaderboardBounds()
    assert f"at least {bounds.games} games, a deviation of at most ±{bounds.deviation}" in PAGE
    assert f"within the last {bounds.days} days" in PAGE
    assert f"above ±{bounds.deviation} (σ > 5)" in PAGE
    assert (
        f"at most {reading.MAX_BOT_GAMES} games is used, and at least {bot_strengths.MIN_GAMES} are" in PAGE
    )
    assert f"places end at {reading.MAX_PLACES:,}" in PAGE
    assert f"at most {reading.MAX_POINTS} `points`" in PAGE
    assert f"the leaderboard: {PAGE_SIZE} `rows`" in PAGE


def test_numbers_of_quick_play_and_suspects() -> None:
    assert f"may be {matchmaking.FIRST_DISTANCE} apart, and {matchmaking.DISTANCE_PER_SECOND} more" in PAGE
    share = f"{suspects.MIN_LOPSIDED_SHARE:.0%}".replace("%", " %")
    assert f"at least {share} of {suspects.MIN_LOPSIDED_GAMES} or more games" in PAGE
    assert f"{suspects.MIN_SHORT_GAMES} or more games were resigned" in PAGE
    assert f"have {suspects.MIN_GAMES_FROM_SAME_ADDRESS} or more games together" in PAGE
    assert f"last {suspects.WINDOW_MS // DAY_MS} days" in PAGE
    assert public_games.SETTLED_AFTER_MS == 3_600_000
    assert "more than an hour ago" in PAGE


def test_the_example_of_the_file_has_its_fields_and_figures() -> None:
    block = re.search(r"```json\n(.*?)```", PAGE, re.S)
    assert block is not None
    header, game, trailer = (json.loads(line) for line in block[1].splitlines())
    assert (header["format"], header["model"], header["initial"]) == (FORMAT, MODEL_VERSION, list(INITIAL))
    won, _ = rate([INITIAL, INITIAL], [1, 2])
    assert (game["seats"][0]["mu"], game["seats"][0]["sigma"]) == won
    game["game"] = None
    lines = [json.dumps(line).encode() for line in (header, game, trailer)]
    assert verify_lines(lines).games == 1


def test_every_route_is_listed() -> None:
    listed = set(re.findall(r"^\| `GET(?:`, `POST)? (/api/v1/[^?`]*)", PAGE, re.M))
    paths = {route.path.replace("{player}", "{id}") for route in router.routes}  # type: ignore[attr-defined]
    assert listed == paths | {"/api/v1/ratings/export"}


def test_the_commands_exist() -> None:
    block = re.search(r"```\n(cartagena ratings rebuild.*?)```", PAGE, re.S)
    assert block is not None
    for line in block[1].splitlines():
        words = line.split()[1:3]
        with pytest.raises(SystemExit) as done:
            main([*words, "--help"])
        assert done.value.code == 0, line
