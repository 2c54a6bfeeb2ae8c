"""Attempts at a deal of the day: played, continued, finished after midnight, and shared."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.game_server import GameServer
from tests.browser.pages.played_deal import PEOPLE, open_deal_page


def begin_on_another_page(page: Page) -> str:
    """Start an attempt on another page of the same person."""
    game: str = page.evaluate(
        """async () => {
          const headers = { "X-CSRF": document.querySelector("meta[name=csrf]").content };
          return (await (await fetch("/api/v1/deal", { method: "POST", headers })).json()).id;
        }"""
    )
    return game


def test_guest_plays_the_deal_and_returns_to_its_page(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, _ = day
    page, complaints = open_deal_page(browser, game_server, None)
    expect(page.locator("[data-closed]")).to_be_visible()
    expect(page.locator(".deal-list")).to_have_count(0)
    expect(page.locator("[data-until]")).to_contain_text("midnight UTC")
    page.locator("[data-play]").click()
    page.wait_for_url("**/g/*")
    expect(page.locator('[data-key="deal"]')).to_contain_text(
        "This attempt counts if you finish it by midnight UTC."
    )
    game = page.url.rsplit("/", 1)[1]
    page.evaluate(
        """async (game) => {
          const path = `/api/v1/games/${game}`;
          const { seq } = await (await fetch(path)).json();
          const csrf = document.querySelector("meta[name=csrf]").content;
          const headers = { "X-CSRF": csrf, "Content-Type": "application/json" };
          const body = JSON.stringify({ id: "give-up-01", version: seq, action: { type: "resign" } });
          await fetch(`${path}/act`, { method: "POST", headers, body });
        }""",
        game,
    )
    expect(page.locator('[data-key="deal"]')).to_have_count(0)
    page.locator(".ending-ways").get_by_role("link", name="The deal of the day").click()
    page.wait_for_url("**/deal/*")
    expect(page.locator("[data-result]")).to_have_text("Resigned.")
    expect(page.locator("[data-play]")).to_have_text("Play again")
    # Other players are not admitted before midnight.
    other, _ = open_deal_page(browser, game_server, None)
    other.goto(f"{game_server.url}/g/{game}")
    expect(other.get_by_text("You can see it when that day is over")).to_be_visible()
    assert complaints == []
    other.context.close()
    page.context.close()


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"n": 1, "counts": True, "is_late": False}, ""),
        (
            {"n": 1, "counts": False, "is_late": True},
            " It ended after its day, so it is not in any list.",
        ),
        ({"n": 2, "counts": False, "is_late": False}, " (Not the first attempt.)"),
    ],
)
def test_shared_text_says_why_an_attempt_does_not_count(
    browser: Browser, day: tuple[GameServer, dict[str, str]], marks: dict[str, object], words: str
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[2]])

    def serve_marked_try(route: Route) -> None:
        payload = route.fetch().json()
        payload["tries"] = [{**payload["tries"][0], **marks}]
        route.fulfill(json=payload)

    page.route("**/api/v1/deal", serve_marked_try)
    page.reload(wait_until="networkidle")
    shared = page.locator(".deal-text").inner_text().splitlines()
    result = page.locator("[data-result]").inner_text().removesuffix(words)
    assert shared[1] == result + words
    assert complaints == []
    page.context.close()


def test_unfinished_attempt_continues_at_its_table(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, _ = day
    page, complaints = open_deal_page(browser, game_server, None)
    game = begin_on_another_page(page)
    page.reload(wait_until="networkidle")
    expect(page.locator("[data-play]")).to_have_text("Continue")
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    page.locator("[data-play]").click()
    page.wait_for_url(f"**/g/{game}")
    assert [url for url in posted if "/deal" in url] == [], "after midnight that would start another deal"
    assert complaints == []
    page.context.close()


def test_unfinished_attempt_can_be_finished_after_its_day(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, _ = day
    page, _ = open_deal_page(browser, game_server, None)
    play, until = page.locator("[data-play]"), page.locator("[data-until]")
    page.route("**/api/v1/deal", lambda route: route.fulfill(json=route.fetch().json() | {"is_over": True}))
    page.reload(wait_until="networkidle")
    expect(until).to_contain_text("can no longer be played")
    expect(play).to_be_hidden()
    page.unroute_all()
    game = begin_on_another_page(page)
    page.route("**/api/v1/deal", lambda route: route.fulfill(json=route.fetch().json() | {"is_over": True}))
    page.reload(wait_until="networkidle")
    expect(until).to_be_empty()
    expect(page.locator("[data-counts]")).to_contain_text("Finishing it keeps your streak")
    play.click()
    page.wait_for_url(f"**/g/{game}")
    page.context.close()


@pytest.mark.parametrize("is_begun_elsewhere", [True, False])
def test_page_left_open_past_midnight_does_not_start_the_next_deal(
    browser: Browser, day: tuple[GameServer, dict[str, str]], is_begun_elsewhere: bool
) -> None:
    game_server, _ = day
    page, _ = open_deal_page(browser, game_server, None)
    game = begin_on_another_page(page) if is_begun_elsewhere else ""
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url.rsplit("?", 1)[1])
        route.fulfill(status=409, json={"error": {"code": "deal_over", "message": "This day is over."}})

    page.route("**/api/v1/deal?day=*", refuse)
    page.evaluate("window.isSamePage = true")
    page.locator("[data-play]").click()
    if is_begun_elsewhere:
        page.wait_for_url(f"**/g/{game}")  # it may still be finished
    else:
        page.wait_for_function("() => !window.isSamePage")
        assert page.url == f"{game_server.url}/deal"
        expect(page.locator("[data-play]")).to_be_visible()
    assert asked == ["day=" + page.evaluate("new Date().toISOString().slice(0, 10)")]
    page.context.close()
