"""The practice page: a mistake comes back as a puzzle, is played like a turn, and is compared with the best turn."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.game_server import SHORT, GameServer, Player, begin


def play_badly(ann: Player, bo: Player, turns: int) -> str:
    """Play a game in which each player takes one action and ends the turn. The second resigns."""
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "supply": "deck"})
    for _ in range(turns):
        for player in (ann, bo):
            state = player.state()
            while state.get("choices"):
                actions = [choice["action"] for choice in state["choices"]]
                ends = [action for action in actions if action["type"] == "end"]
                player.act((ends or actions)[0], state["seq"])
                state = player.state()
    bo.act({"type": "resign"})
    return game


def store_mistake(game_server: GameServer, ann: Player, game: str) -> None:
    """Store Ann's first turn as a mistake, so that the test need not wait for the search."""
    person = ann.api("GET", "/me")["person"]["id"]
    seat = ann.state()["you"]["seat"]
    actions = ann.api("GET", f"/games/{game}/record")["actions"]
    step = next(number for number, action in enumerate(actions) if action["seat"] == seat)
    with closing(sqlite3.connect(game_server.folder / "house.db", timeout=30)) as database, database:
        database.execute(
            "INSERT INTO mistakes (person, game, step, seat, best, played, found_at, due_at, stage, tries)"
            " VALUES (?, ?, ?, ?, 7000, 5000, ?, 1, 0, 0)",
            (person, game, step, seat, int(time.time())),
        )


def change_overview(page: Page, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what the server answers about the player's puzzles."""

    def answer(route: Route) -> None:
        overview = route.fetch().json()
        change(overview)
        route.fulfill(json=overview)

    page.route("**/practice/mistakes", answer)


def test_next_puzzle_comes_by_the_servers_clock(person: Callable[..., Player]):
    ann = person("Ann")
    page = ann.page
    day = 86_400_000
    change_overview(page, lambda overview: overview.update(waiting=1, next_at=overview["now"] + 3 * day))
    # The device's clock is two days fast.
    page.add_init_script(f"const now = Date.now; Date.now = () => now() + {2 * day};")
    page.goto(f"{ann.url}/practice")
    expect(page.locator("[data-more]")).to_have_text("The next puzzle comes in 3 days.")


def test_a_mistake_comes_back_as_a_puzzle(person: Callable[..., Player], game_server: GameServer):
    ann, bo = person("Ann"), person("Bo")
    page = ann.page
    page.goto(f"{ann.url}/practice")
    expect(page.locator("[data-say]")).to_have_text("No mistakes to practise yet.")
    for _ in range(2):
        store_mistake(game_server, ann, play_badly(ann, bo, 2))
    page.goto(f"{ann.url}/practice")
    say = page.locator("[data-say]")
    expect(say).to_have_text("Find a better turn.", timeout=90_000)
    expect(page.locator("[data-facts] li")).to_have_count(1)  # the other player; there is no row
    expect(page.locator("[data-facts]")).to_contain_text("cards")
    # A turn is put together with clicks, started again, and judged at its end.
    source = page.locator("[data-board] .is-source").first
    moves = page.locator("[data-moves] button")
    again = page.get_by_role("button", name="Start the turn again")
    expect(again).to_have_count(0)
    for _ in range(2):
        source.click()
        moves.first.click()
        expect(again).to_be_visible()
        again.click()
        expect(again).to_have_count(0)
    # The focus stays where it was when hand and moves are drawn anew.
    card = page.locator("[data-hand] button:not(:disabled)").first
    card.press("Enter")
    expect(card).to_have_attribute("aria-pressed", "true")
    expect(card).to_be_focused()
    card.press("Enter")
    source.click()
    moves.first.press("Enter")
    expect(again).to_be_visible()
    expect(page.locator("body:focus")).to_have_count(0)
    # A turn that could not be judged can be ended again.
    task = page.locator("[data-more]").text_content() or ""
    page.route("**/judge", lambda route: route.abort(), times=1)
    page.get_by_role("button", name="End turn").click()
    expect(page.locator("[data-problem]")).to_be_visible()
    expect(say).to_have_text("Find a better turn.")
    expect(page.locator("[data-more]")).to_have_text(task)
    ann.complaints.clear()
    page.get_by_role("button", name="End turn").press("Enter")
    expect(say).to_have_text(re.compile("Right!|There is a better turn."), timeout=60_000)
    expect(page.locator("[data-more]")).to_contain_text("%")
    lines = page.locator("[data-lines] button")
    expect(lines).to_have_count(3)
    lines.nth(1).click()
    expect(lines.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".arrow.better").first).to_be_visible(timeout=20_000)
    page.locator("[data-board] [data-place='3']").click()  # the arrows stay
    expect(page.locator(".arrow.better").first).to_be_visible()
    review = page.get_by_role("link", name="Review")
    expect(review).to_have_attribute("href", re.compile(r"/g/.+/review\?step=\d+"))
    # "Next puzzle" pressed twice opens one.
    opened: list[str] = []
    page.on("request", lambda request: opened.append(request.url) if "/play" in request.url else None)
    page.locator("[data-next]").evaluate("button => { button.focus(); button.click(); button.click(); }")
    expect(say).to_have_text("Find a better turn.")
    expect(page.locator("[data-more]")).to_contain_text("1 puzzle is left today.")
    expect(page.locator("[data-bench]")).to_be_focused()
    assert len(opened) == 1
    # It is not due any more, and the player's page says what is left.
    left = page.evaluate("fetch('/practice/mistakes').then((answer) => answer.json())")
    assert left["waiting"] == 1
    store_mistake(game_server, ann, play_badly(ann, bo, 2))
    page.goto(f"{ann.url}/me")
    notice = page.locator("[data-to-practice]")
    expect(notice).to_contain_text("waiting for a better idea")
    page.route("**/practice/mistakes", lambda route: route.abort())
    page.reload()
    expect(page.locator("[data-loading]")).to_have_count(0)
    expect(page.locator("[data-problem]")).to_be_hidden()
    ann.complaints.clear()
    page.unroute("**/practice/mistakes")
    page.reload()
    notice.get_by_role("link").click()
    expect(say).to_have_text("Find a better turn.")
    # The list has an end; the count has none.
    change_overview(page, lambda overview: overview.update(due=overview["due"] + 40))
    page.reload()
    expect(page.locator("[data-more]")).to_contain_text("42 puzzles are left today.")
    page.locator("[data-next]").evaluate("button => button.click()")
    expect(page.locator("[data-more]")).to_contain_text("41 puzzles are left today.")
