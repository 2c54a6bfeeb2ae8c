"""The deal of the day in a browser: playing it, and comparing results with ten others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app import rules
from app.web.i18n import LANGUAGES
from tests.browser.axe import find_violations_in_theme
from tests.browser.game_server import GameServer
from tests.browser.pages.played_deal import PEOPLE, SHOW_WIDE_HISTOGRAM, open_deal_page, played_day
from tests.rules.test_deal_records import record


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, dict[str, str]]]:
    game_server = GameServer(tmp_path_factory.mktemp("deal"))
    cookies = played_day(game_server.folder / "house.db")
    game_server.start()
    yield game_server, cookies
    game_server.stop()


def test_results_of_ten_players_and_the_comparison_with_own_moves(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(
        browser, game_server, cookies[PEOPLE[2]], permissions=["clipboard-read", "clipboard-write"]
    )
    lists = page.locator(".deal-list")
    expect(lists).to_have_count(2)
    expect(lists.nth(0).locator("tbody tr")).to_have_count(4)
    expect(lists.nth(1).locator("tbody tr")).to_have_count(6)
    expect(page.locator(".deal-list .is-me")).to_have_count(1)
    rows = page.locator("[data-turn-rows] tr")
    day_name = page.evaluate("new Date().toISOString().slice(0, 10)")
    results = page.request.get(f"{game_server.url}/api/v1/deal/{day_name}/results").json()
    expect(rows).to_have_count(len(results["comparison"]["turns"]))
    expect(rows.first).to_contain_text("behind")
    expect(page.locator("[data-parting]")).not_to_be_empty()
    expect(page.locator("[data-streak]")).to_contain_text("1 day in a row")
    page.locator("[data-copy]").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Cartagena, deal of ")
    assert copied.endswith(f"/deal/{day_name}")
    if results["standing"]["worse"]:  # depends on the day's deal
        expect(page.locator("[data-compared]")).to_contain_text("of the other players here")
    par = re.compile(r"^(Par is(n't known yet| \d+ turns?)|There's no par): ")  # depends on the day's deal
    expect(page.locator("[data-par]")).to_contain_text(par)
    bars = page.locator(".deal-histogram tr")
    assert sum(int(text) for text in bars.locator("td:nth-of-type(2)").all_inner_texts()) == 10
    expect(page.locator(".deal-histogram .is-me")).to_have_count(1)
    assert page.evaluate(HISTOGRAM_WIDTHS) == page.evaluate(HISTOGRAM_COUNTS)
    expect(page.locator("[data-statistics]")).to_contain_text("Deals played")
    expect(page.locator("[data-rule]")).to_contain_text("Equal results share a place")
    # Only one's own game is open before midnight, and as one saw it.
    links = page.locator(".deal-list a", has_text="Replay")
    expect(links).to_have_count(1)
    assert links.get_attribute("href") == page.locator("[data-replay]").get_attribute("href")
    expect(page.locator("[data-sealed]")).to_be_visible()
    # The text reveals no boards or cards: it names no symbol.
    assert not any(word in copied for word in ("key", "hat", "skull", "dagger", "bottle", "pistol"))
    with page.expect_download() as saving:
        page.locator("[data-save]").click()
    assert saving.value.suggested_filename == f"cartagena-{day_name}.png"
    assert saving.value.path().read_bytes().startswith(b"\x89PNG")
    # Drawn in the site's typefaces, at twice the size it has here.
    fonts = page.evaluate(
        "[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family)"
    )
    assert {"Almendra SC", "Caudex"} <= {font.strip('"') for font in fonts}
    assert page.locator(".deal-share img").evaluate("image => image.naturalWidth") == 1120
    expect(
        page.get_by_role("img", name="A bot was faster").or_(page.get_by_role("img", name="Escaped"))
    ).to_be_visible()
    expect(page.locator("[data-send]")).to_be_hidden()  # this browser cannot share
    assert [line for theme in ("light", "dark") for line in find_violations_in_theme(page, theme)] == []
    assert complaints == []
    page.context.close()


NOTATIONS = {
    "key start": "Advance from the prison with a key.",
    "retreat 8": "Retreat from space 8.",
    "morgan b 7": "Send another player's pirate forward from space 7.",
    "sail": "Sail.",
    "draw": "Draw a relief card.",
    "end": "End the turn.",
    "pistol! b": "Point a pistol at another player.",
    "steal rum": "Take a rum card from that hand.",
    "rum!": "Pour rum.",
    "share hook+rum b=chest": "Keep a hook and a rum card.",
    "lantern!": "Light a lantern.",
    "stack hook back rum+chest": "Keep a hook.",
    "parrot+parrot! hook 4": "Advance from space 4 with two parrots as a hook.",
    "hook+rum! 19": "Advance two pirates from space 19 with a hook and a rum card.",
    "chest! 7": "Open the chest on space 7.",
    "discard hat+key*": "Discard a hat and a key (dark card).",
}
DESCRIBE_ACTIONS = """async (actions) => {
  const page = document.querySelector('script[src*="pages/deal.js"]').src;
  return (await import(page.replace("deal.js", "deal_moves.js"))).describeActions(actions, "passage");
}"""


def test_moves_are_described_in_words(browser: Browser, day: tuple[GameServer, dict[str, str]]) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[4]])
    actions = [rules.action_to_json(rules.action_from_text(text)) for text in NOTATIONS]
    assert page.evaluate(DESCRIBE_ACTIONS, actions) == list(NOTATIONS.values())
    own = page.locator("[data-partings] li").all_inner_texts()
    parting = page.locator(".deal-parted").count()
    assert bool(own) == bool(parting)
    assert all(text.endswith(".") for text in own)
    expect(page.locator("[data-partings]")).not_to_contain_text("The usual choice")  # secret until midnight
    assert complaints == []
    page.context.close()


HISTOGRAM_WIDTHS = """[...document.querySelectorAll(".deal-histogram i")].map((bar) =>
  Math.round((bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width) * 100))"""
HISTOGRAM_COUNTS = """(() => {
  const counts = [...document.querySelectorAll(".deal-histogram tr")].map((row) => Number(row.cells[2].textContent));
  return counts.map((count) => Math.round((count / Math.max(...counts)) * 100));
})()"""


def test_phone_shares_the_picture_as_a_file_with_the_text(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[2]])
    page.add_init_script(
        """window.shared = [];
        navigator.canShare = ({ files }) => files.length === 1;
        navigator.share = async ({ files, text }) => {
          window.shared.push({ type: files?.[0].type, text });
          if (window.shared.length > 1) throw new DOMException("closed", "AbortError");
        };"""
    )
    page.reload(wait_until="networkidle")
    button = page.get_by_role("button", name="Share", exact=True)
    button.click()
    button.click()  # and close the dialog
    page.wait_for_function("window.shared.length === 2")
    first = page.evaluate("window.shared[0]")
    assert first["type"] == "image/png"
    assert first["text"] == page.locator(".deal-text").inner_text()
    expect(page.locator(".toast")).to_have_count(0)
    assert complaints == []
    page.context.close()


def test_own_replay_shows_what_the_seat_saw_while_the_day_lasts(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[2]])
    expect(page.locator("[data-replay]")).to_be_visible()
    page.locator("[data-replay]").click()
    page.wait_for_url("**/replay")
    expect(page.locator("[data-about]")).to_contain_text("This is what you saw")
    expect(page.locator("[data-count]")).to_contain_text("0 / ")
    expect(page.locator("[data-eyes-field]")).to_be_hidden()
    expect(page.locator("[data-download]")).to_be_hidden()
    assert page.locator("[data-log] li").count() > 20
    # The front page knows that it is played.
    page.goto(game_server.url)
    card = page.locator(".deal-card")
    expect(card).to_contain_text("Today: Jamaica")
    expect(card).to_contain_text("Played today ✓")
    expect(card.get_by_role("link", name="See the results")).to_be_visible()
    streak = page.locator("[data-streak]")
    page.goto(f"{game_server.url}/deal")
    expect(streak).to_contain_text("Played today ✓")
    # On the page of a past day, this would seem to be about that day's deal.
    page.route(
        "**/api/v1/deal", lambda route: route.fulfill(json={**route.fetch().json(), "today": "2999-01-01"})
    )
    page.reload()
    expect(streak).to_have_text("1 day in a row.")
    page.context.clear_cookies()
    page.goto(game_server.url)
    expect(card).not_to_contain_text("Played today")
    expect(card.get_by_role("link", name="Play today's deal")).to_be_visible()
    assert complaints == []
    page.context.close()


def test_long_result_list_loads_the_next_page(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[2]])
    asked: list[int] = []

    def serve_two_pages(route: Route) -> None:
        """Serve two pages of guests; the players with an account are all on the first."""
        begin = int(route.request.url.rsplit("=", 1)[1])
        asked.append(begin)
        payload = route.fetch().json()
        like = {"how": "won", "turns": 20, "spaces": 0, "is_me": False, "game": None}
        rows = [{**like, "place": n + 1, "person": f"guest-{n}", "name": f"Guest {n + 1}"} for n in range(60)]
        payload["guests"] = {"total": 60, "rows": rows[begin : begin + 50]}
        route.fulfill(json=payload)

    page.route("**/api/v1/deal/*/results*", serve_two_pages)
    page.reload(wait_until="networkidle")
    lists = page.locator(".deal-list")
    expect(lists.nth(1).locator("tbody tr")).to_have_count(50)
    # Two quick clicks: the second must not request the same page again.
    page.get_by_role("button", name="Show more").evaluate("button => { button.click(); button.click(); }")
    page.wait_for_load_state("networkidle")
    expect(lists.nth(1).locator("tbody tr")).to_have_count(60)
    assert asked == [0, 50]
    expect(lists.nth(1).locator("tbody tr").last).to_contain_text("Guest 60")
    expect(lists).to_have_count(2)
    expect(lists.nth(0).locator("tbody tr")).to_have_count(4)
    expect(page.get_by_text("No one yet.")).to_have_count(0)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    assert complaints == []
    page.context.close()


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


def begin_on_another_page(page: Page) -> str:
    """Start an attempt on another page of the same person."""
    game: str = page.evaluate(
        """async () => {
          const headers = { "X-CSRF": document.querySelector("meta[name=csrf]").content };
          return (await (await fetch("/api/v1/deal", { method: "POST", headers })).json()).id;
        }"""
    )
    return game


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


def test_past_day_promises_nothing_that_only_a_running_day_has(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, cookies = day
    page, complaints = open_deal_page(browser, game_server, cookies[PEOPLE[0]])
    notes = page.locator(".deal-note:visible")
    promises = [notes.filter(has_text=text) for text in ("again before midnight", "Until the day is over")]
    facts = [notes.filter(has_text=text) for text in ("Now everything is shown", "started its deal in time")]
    for shown, hidden in ((promises, facts), (facts, promises)):
        page.reload(wait_until="networkidle")
        assert [note.count() for note in shown + hidden] == [1, 1, 0, 0]
        page.route(
            "**/api/v1/deal", lambda route: route.fulfill(json=route.fetch().json() | {"is_over": True})
        )
    assert complaints == []
    page.context.close()


def test_deal_page_fits_a_phone(browser: Browser, day: tuple[GameServer, dict[str, str]]) -> None:
    game_server, cookies = day
    page, _ = open_deal_page(browser, game_server, cookies[PEOPLE[0]])
    page.set_viewport_size({"width": 320, "height": 568})
    for language in LANGUAGES:
        page.goto(f"{game_server.url}/deal?lang={language}")
        expect(page.locator("[data-turn-rows] tr").first).to_be_visible()
        page.evaluate(SHOW_WIDE_HISTOGRAM)
        assert page.evaluate("document.documentElement.scrollWidth") == 320, language
    page.context.close()


def test_the_fairness_page_checks_the_record_of_a_deal(
    browser: Browser, day: tuple[GameServer, dict[str, str]]
) -> None:
    game_server, _ = day
    page, complaints = open_deal_page(browser, game_server, None)
    page.goto(f"{game_server.url}/fairness", wait_until="networkidle")
    for name, given, verdict in (
        ("whole", record(), "Everything matches"),
        ("forged", {**record(), "server_seed": "6" * 64}, "Something does not match"),
    ):
        file = game_server.folder / f"{name}.json"
        file.write_text(json.dumps(given))
        page.locator("#record-file").set_input_files(file)
        expect(page.locator("[data-verdict]")).to_contain_text(verdict)
    assert complaints == []
    page.context.close()
