"""Ratings on the pages: choosing a rated game, leaderboards, profiles and settings."""

from __future__ import annotations

import re
import secrets
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from app.ratings.display import MAX_LISTED_AGE_MS
from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api

# Twenty seconds between two questions of quick play are too long for a test.
HURRY = """(() => {
  const wait = setTimeout;
  window.setTimeout = (work, ms, ...more) => wait(work, ms >= 10_000 && ms <= 20_000 ? 300 : ms, ...more);
})()"""


def account(person: Callable[..., Player], name: str) -> tuple[Player, str]:
    player = person(name)
    return player, player.register()


def give_rating(game_server: GameServer, person: str, pool: str, mu: float, **figures: Any) -> None:
    """Store a rating, as if the person had played."""
    row = {"sigma": 2.0, "games": 40, "best": 1700, "last_at": int(time.time() * 1000), **figures}
    with closing(sqlite3.connect(game_server.folder / "house.db", timeout=30)) as database, database:
        database.execute(
            "INSERT INTO ratings (person, pool, mu, sigma, games, best, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (person, pool, mu, row["sigma"], row["games"], row["best"], row["last_at"]),
        )


def fill_leaderboard(game_server: GameServer, pool: str, count: int) -> None:
    """Store accounts with ratings from 2100 downwards."""
    mark = secrets.token_hex(3)
    with closing(sqlite3.connect(game_server.folder / "house.db", timeout=30)) as database, database:
        for n in range(count):
            database.execute(
                "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at)"
                " VALUES (?, ?, ?, 1, 0, 0, 0)",
                (f"p{mark}{n}", f"Pelican {mark}{n:03}", f"pelican{mark}{n:03}"),
            )
    for n in range(count):
        give_rating(game_server, f"p{mark}{n}", pool, 45 - n / 10)


def answer_with(body: dict[str, Any]) -> Callable[[Route], None]:
    return lambda route: route.fulfill(json=body)


# -- choosing a rated game -------------------------------------------------------------------------


def test_rated_and_hints_exclude_each_other_on_the_new_table_page(person: Callable[..., Player]):
    ann, _ = account(person, "Ann")
    ann.page.goto(f"{ann.url}/new")
    rated = ann.page.get_by_label("Rated", exact=True)
    hints = ann.page.get_by_label("Players may ask for hints")
    said = ann.page.locator("[data-rated-said]")
    expect(said).to_have_text("The result changes the players' ratings. Everyone needs an account.")
    hints.check()
    expect(rated).to_be_disabled()
    expect(said).to_have_text("A rated game has no hints. Turn them off first.")
    hints.uncheck()
    rated.check()
    expect(hints).to_be_disabled()
    expect(ann.page.locator("[data-hints-said]")).to_be_visible()
    # Three seats with two bots leave one person.
    ann.page.locator('[name="bots"][value="2"]').check(force=True)
    expect(rated).not_to_be_checked()
    expect(said).to_have_text("A rated game needs seats for two people. Seat fewer bots.")
    ann.page.locator('[name="bots"][value="1"]').check(force=True)
    rated.check()
    ann.page.get_by_role("button", name="Create the table").click()
    ann.page.wait_for_url(re.compile(r"/g/\w+"))
    ann.game = ann.page.url.rsplit("/", 1)[1]
    table = ann.state()["table"]
    # Ann and the bot: the third seat is still empty.
    assert (table["rated"], table["hints"]) == ({"pool": "duel-hidden", "counts": False}, False)


def test_guests_are_offered_an_account_instead_of_a_rated_game(person: Callable[..., Player]):
    gus = person("Gus")
    for path in ("/", "/new", "/new?friends=1"):
        gus.page.goto(gus.url + path)
        expect(gus.page.locator('[name="rated"], [data-rated-quick], [data-rated-friends]')).to_have_count(0)
        link = gus.page.locator("main").get_by_role("link", name="Log in or register")
        expect(link).to_be_visible()
        assert link.evaluate("link => new URL(link.href).searchParams.get('back')") == path
    gus.page.goto(f"{gus.url}/new?screen=1")
    expect(gus.page.locator("main")).not_to_contain_text("For a rated game")


def test_friends_get_a_rated_table(person: Callable[..., Player]):
    ann, _ = account(person, "Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Rated: everyone needs an account").check()
    ann.page.get_by_role("button", name="Play with friends").click()
    ann.page.wait_for_url(re.compile(r"/g/\w+"))
    ann.game = ann.page.url.rsplit("/", 1)[1]
    table = ann.state()["table"]
    assert (table["rated"]["counts"], table["visibility"]) == (False, "unlisted")


def test_quick_play_remembers_rated_and_a_guest_is_led_to_an_account(person: Callable[..., Player]):
    (ann, _), (bo, _), gus = account(person, "Ann"), account(person, "Bo"), person("Gus")
    for player in (ann, bo, gus):  # an edition of its own, so that tables of other tests do not matter
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("jungle")
        player.page.get_by_label("Seats").select_option("2")
    ann.page.get_by_label("Rated: similar ratings first").check()
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one with a rating like yours is waiting right now")
    expect(dialog).to_be_visible()
    row = gus.page.locator('[data-list="open"] [data-room]', has_text="rated")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Join").click()
    expect(gus.page.get_by_role("dialog")).to_contain_text("Log in or create an account to sit down.")
    # Who waits for a rated game is not counted for others, and not found by them.
    queue = bo.page.locator("[data-queue]")
    expect(bo.page.locator('[data-list="open"] [data-room]', has_text="rated")).to_have_count(1)
    expect(queue).to_have_text("No one is waiting right now.")
    bo.page.get_by_label("Rated: similar ratings first").check()
    expect(queue).to_have_text("1 person is waiting.")
    bo.page.get_by_role("button", name="Play with strangers").click()
    bo.page.wait_for_url(re.compile(r"/g/\w+"))
    expect(dialog).to_have_count(0)
    bo.page.goto(bo.url)
    expect(bo.page.get_by_label("Rated: similar ratings first")).to_be_checked()


def test_two_who_wait_with_distant_ratings_meet_after_a_while(
    person: Callable[..., Player], game_server: GameServer
):
    (ann, anns_id), (bo, _) = account(person, "Ann"), account(person, "Bo")
    # 1635 and 1500: too far apart for the first seven seconds.
    give_rating(game_server, anns_id, "duel-hidden", 29.5)
    for player in (ann, bo):
        player.page.add_init_script(HURRY)
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("dungeon")
        player.page.get_by_label("Seats").select_option("2")
        player.page.get_by_label("Rated: similar ratings first").check()
        player.page.get_by_role("button", name="Play with strangers").click()
        expect(player.page.get_by_role("dialog")).to_be_visible()
    # Whoever asks first after that moves to the other one's table, and the empty one closes.
    for player in (ann, bo):
        dialog = player.page.get_by_role("dialog")
        expect(dialog).to_have_count(0)
    games = [player.api("GET", "/games?list=mine")["games"] for player in (ann, bo)]
    assert [len(of_player) for of_player in games] == [1, 1]
    assert games[0][0]["id"] == games[1][0]["id"]


# -- leaderboards ----------------------------------------------------------------------------------


def test_leaderboard_has_pages_and_the_own_row(person: Callable[..., Player], game_server: GameServer):
    ann, anns_id = account(person, "Ann")
    fill_leaderboard(game_server, "group-open", 60)
    give_rating(game_server, anns_id, "group-open", 39.42)
    ann.page.goto(f"{ann.url}/me")
    ann.page.get_by_role("navigation", name="Players").get_by_role("link", name="Ratings").click()
    ann.page.get_by_role("link", name="Three to five players, open hands").click()
    rows = ann.page.locator("[data-rows] tr")
    expect(rows).to_have_count(50)
    expect(rows.first).to_contain_text("2100 ± 120")
    expect(ann.page.locator("[data-bounds]")).to_contain_text("at least 10 rated games")
    own = ann.page.locator("[data-own]")
    expect(own).to_have_text("You: 1933 ± 120 · Your place is 57.")
    ann.page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(61)
    expect(own).to_be_hidden()
    expect(ann.page.locator("tr.is-me")).to_contain_text("(you)")
    expect(ann.page.get_by_role("button", name="Show more")).to_be_hidden()


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        (None, "You have not played a rated game of this kind yet."),
        ({"sigma": 7.0}, "Your rating is still too uncertain to be listed (± 420)."),
        ({"games": 7}, "It takes 3 more rated games of this kind to be listed."),
        (
            {"last_at": -MAX_LISTED_AGE_MS - 86_400_000},
            "have not played a rated game of this kind for 180 days.",
        ),
    ],
    ids=["none", "uncertain", "few", "old"],
)
def test_who_is_not_listed_reads_why(
    person: Callable[..., Player], game_server: GameServer, figures: dict[str, Any] | None, reason: str
):
    ann, anns_id = account(person, "Ann")
    if figures is not None:
        if "last_at" in figures:
            figures = {"last_at": int(time.time() * 1000) + figures["last_at"]}
        give_rating(game_server, anns_id, "duel-hidden", 30, **figures)
    ann.page.goto(f"{ann.url}/ratings?pool=duel-hidden")
    expect(ann.page.locator("[data-own]")).to_contain_text(reason)


def test_guest_reads_the_empty_leaderboard_and_how_to_get_on_it(person: Callable[..., Player]):
    gus = person("Gus")
    gus.page.goto(f"{gus.url}/ratings?pool=nonsense")
    page = gus.page
    expect(page.locator("[aria-current=page]", has_text="hidden hands")).to_have_text(
        "Three to five players, hidden hands"
    )
    expect(page.locator("[data-empty]")).to_contain_text("Be the first")
    expect(page.locator("[data-own]")).to_contain_text("For a rated game you need an account.")
    page.get_by_role("link", name="How ratings work").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("How ratings work")
    expect(page.locator("code")).to_contain_text("cartagena ratings verify")


# -- profiles and settings -------------------------------------------------------------------------


def test_profile_shows_ratings_their_history_and_luck(person: Callable[..., Player]):
    (ann, anns_id), (bo, _) = account(person, "Ann"), account(person, "Bo")
    for _ in range(2):
        begin(ann, bo, options={**SHORT, "first": 0}, rated=True)
        for _ in range(6):
            assert move_via_api(ann) or move_via_api(bo)
        bo.act({"type": "resign"})
    until = time.monotonic() + 30
    while time.monotonic() < until:
        found = ann.api("GET", f"/players/{anns_id}/ratings")["ratings"]
        if found and found[0]["games"] == 2:
            break
        time.sleep(0.3)
    page = bo.page
    page.goto(f"{bo.url}/players/{anns_id}")
    pool = page.get_by_role("region", name="Two players, open hands")
    expect(pool.locator(".rating-number")).to_contain_text(re.compile(r"1[56]\d\d\?"))
    expect(pool).to_contain_text("Rated games")
    plot = pool.get_by_role("slider", name="Rating after each game: Two players, open hands")
    plot.focus()
    latest = plot.get_attribute("aria-valuetext")
    page.keyboard.press("Home")
    assert plot.get_attribute("aria-valuetext") != latest
    expect(pool.locator(".rating-said")).to_have_text(str(plot.get_attribute("aria-valuetext")))
    pool.get_by_text("Show as a table").click()
    expect(pool.locator("tbody tr")).to_have_count(2)
    expect(page.locator(".table-facts", has_text="rated")).to_have_count(2)
    page.get_by_role("button", name="Review the last 2 rated games").click()
    luck = page.locator("[data-ratings]")
    expect(luck).to_contain_text("From the last 2 rated games.", timeout=90_000)
    expect(luck).to_contain_text("Given away per game")


def test_own_page_without_a_rating_says_how_to_get_one(person: Callable[..., Player]):
    ann, anns_id = account(person, "Ann")
    ann.page.goto(f"{ann.url}/me")
    expect(ann.page.locator("[data-ratings]")).to_contain_text("You have no rating yet.")
    ann.page.goto(f"{ann.url}/players/{anns_id}")
    expect(ann.page.locator("[data-section=finished]")).to_be_visible()
    expect(ann.page.locator("[data-ratings]")).to_be_hidden()


def test_profile_says_which_bot_somebody_plays_like(person: Callable[..., Player]):
    ann, anns_id = account(person, "Ann")
    level = {
        "pool": "group-hidden", "level": "captain", "lowest": "mate", "highest": "legend", "games": 12,
        "bot_version": "1",
    }  # fmt: skip
    rating = {
        "pool": "group-hidden", "number": 1612, "deviation": 80, "uncertain": False, "games": 3, "best": 1650,
        "last_at": 0, "place": 4,
    }  # fmt: skip
    for games, count in ((3, 1), (13, 0)):
        answer = {"ratings": [{**rating, "games": games}], "plays_like": [level], "hidden": False}
        ann.page.route(f"**/players/{anns_id}/ratings", answer_with(answer))
        ann.page.goto(f"{ann.url}/me")
        pool = ann.page.get_by_role("region", name="Three to five players, hidden hands")
        expect(pool.locator(".rating-number")).to_contain_text("1612 ± 80")
        expect(pool.get_by_role("link", name="4")).to_be_visible()
        sentence = "Plays like a captain against bots. From 12 games; the range is Mate to Legend."
        expect(pool.get_by_text(sentence)).to_have_count(count)


def test_hiding_ratings_takes_effect_everywhere_at_once(
    person: Callable[..., Player], game_server: GameServer
):
    (ann, anns_id), (bo, bos_id) = account(person, "Ann"), account(person, "Bo")
    for each in (anns_id, bos_id):
        give_rating(game_server, each, "duel-open", 31)
    game = begin(ann, bo, options={**SHORT, "first": 0}, rated=True)
    ann.page.goto(f"{ann.url}/account")
    settings = ann.page.locator("[data-rating-settings]")
    settings.get_by_label("Hide ratings").check()
    expect(settings.locator("[data-said]")).to_have_text("Saved.")
    settings.get_by_label("Leave me out of the public file").check()
    expect(settings.locator("[data-said]")).to_have_text("Saved.")
    assert ann.api("GET", "/me/ratings") == {"hides_ratings": True, "withheld": True}
    for path in ("/ratings?pool=duel-open", "/me", f"/players/{bos_id}"):
        with ann.page.expect_response(re.compile("/ratings")):
            ann.page.goto(ann.url + path)
        expect(ann.page.locator("[data-loading]")).to_have_count(0)
        expect(ann.page.locator("main")).not_to_contain_text("1680")
    ann.page.goto(f"{ann.url}/ratings?pool=duel-open")
    expect(ann.page.locator("[data-own]")).to_contain_text("You have hidden ratings.")
    with ann.page.expect_response(re.compile("/seat-ratings")):
        ann.open(game)
    expect(ann.page.locator(".plate")).to_have_count(2)
    expect(ann.page.locator(".plates")).not_to_contain_text("1680")
    bo.open(game)
    expect(bo.page.locator(".plates .fact-rating", has_text="1680")).to_have_count(2)
    # A refused change is taken back.
    ann.page.goto(f"{ann.url}/account")
    expect(settings.get_by_label("Hide ratings")).to_be_checked()
    ann.page.route("**/me/ratings", lambda route: route.abort())
    settings.get_by_label("Hide ratings").click()
    expect(settings.locator("[data-said]")).to_contain_text("The server cannot be reached.")
    expect(settings.get_by_label("Hide ratings")).to_be_checked()
    ann.complaints.clear()  # the browser logs the failed request
