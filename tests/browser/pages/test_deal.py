"""The deal of the day in a browser: ten people have played it; one more looks, plays, and sees how the others did."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.axe import faults_by
from tests.browser.pages.deal_day import PEOPLE, played_day
from tests.browser.table.house import House
from tests.rules.test_deal_records import record


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, dict[str, str]]]:
    house = House(tmp_path_factory.mktemp("deal"))
    cookies = played_day(house.folder / "house.db")
    house.start()
    yield house, cookies
    house.stop()


def opened(browser: Browser, house: House, cookie: str | None, **wishes: object) -> tuple[Page, list[str]]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, service_workers="block", **wishes)  # type: ignore[arg-type]
    if cookie is not None:
        context.add_cookies([{"name": "cartagena", "value": cookie, "url": house.url}])
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{house.url}/deal", wait_until="networkidle")
    return page, complaints


def test_ten_people_on_one_deal_and_where_ones_own_way_left_theirs(
    browser: Browser, day: tuple[House, dict[str, str]]
) -> None:
    house, cookies = day
    page, complaints = opened(
        browser, house, cookies[PEOPLE[2]], permissions=["clipboard-read", "clipboard-write"]
    )
    lists = page.locator(".deal-list")
    expect(lists).to_have_count(2)
    expect(lists.nth(0).locator("tbody tr")).to_have_count(4)
    expect(lists.nth(1).locator("tbody tr")).to_have_count(6)
    expect(page.locator(".deal-list .is-me")).to_have_count(1)
    rows = page.locator("[data-turn-rows] tr")
    assert rows.count() > 3
    expect(rows.first).to_contain_text("behind")
    expect(page.locator("[data-parting]")).not_to_be_empty()
    expect(page.locator("[data-streak]")).to_contain_text("1 day in a row")
    page.locator("[data-copy]").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Cartagena, deal of ")
    assert copied.endswith("/deal/" + page.evaluate("new Date().toISOString().slice(0, 10)"))
    # Nothing of boards or cards: no symbol of the game is named.
    assert not any(word in copied for word in ("key", "hat", "skull", "dagger", "bottle", "pistol"))
    with page.expect_download() as saving:
        page.locator("[data-save]").click()
    assert saving.value.suggested_filename.endswith(".svg")
    picture = saving.value.path().read_text()
    assert picture.startswith("<svg")
    assert "Cartagena" in picture
    assert [line for theme in ("light", "dark") for line in faults_by(page, theme)] == []
    assert complaints == []
    page.context.close()


def test_a_long_list_goes_on_where_it_ended(browser: Browser, day: tuple[House, dict[str, str]]) -> None:
    house, cookies = day
    page, complaints = opened(browser, house, cookies[PEOPLE[2]])
    asked: list[int] = []

    def in_pages(route: Route) -> None:
        """As many guests as two pages have; the people with an account are all on the first."""
        begin = int(route.request.url.rsplit("=", 1)[1])
        asked.append(begin)
        told = route.fetch().json()
        like = {"how": "won", "turns": 20, "spaces": 0, "is_me": False}
        rows = [{**like, "place": n + 1, "person": f"guest-{n}", "name": f"Guest {n + 1}"} for n in range(60)]
        told["guests"] = {"total": 60, "rows": rows[begin : begin + 50]}
        route.fulfill(json=told)

    page.route("**/api/v1/deal/*/results*", in_pages)
    page.reload(wait_until="networkidle")
    lists = page.locator(".deal-list")
    expect(lists.nth(1).locator("tbody tr")).to_have_count(50)
    # Twice in a moment: the second press must not ask for the same again.
    page.get_by_role("button", name="Show more").evaluate("button => { button.click(); button.click(); }")
    page.wait_for_load_state("networkidle")
    expect(lists.nth(1).locator("tbody tr")).to_have_count(60)
    assert asked == [0, 50]
    expect(lists.nth(1).locator("tbody tr").last).to_contain_text("Guest 60")
    expect(lists).to_have_count(2)
    expect(lists.nth(0).locator("tbody tr")).to_have_count(4)
    expect(page.get_by_text("Nobody yet.")).to_have_count(0)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    assert complaints == []
    page.context.close()


def test_a_guest_plays_it_and_is_led_back(browser: Browser, day: tuple[House, dict[str, str]]) -> None:
    house, _ = day
    page, complaints = opened(browser, house, None)
    expect(page.locator("[data-closed]")).to_be_visible()
    expect(page.locator(".deal-list")).to_have_count(0)
    expect(page.locator("[data-until]")).to_contain_text("midnight UTC")
    page.locator("[data-play]").click()
    page.wait_for_url("**/g/*")
    expect(page.locator('[data-key="deal"]')).to_contain_text("counts")
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
    page.locator(".ending-ways").get_by_role("link", name="The deal of the day").click()
    page.wait_for_url("**/deal/*")
    expect(page.locator("[data-result]")).to_have_text("Given up.")
    expect(page.locator("[data-play]")).to_have_text("Play it again")
    # Somebody else is not let in before midnight.
    other, _ = opened(browser, house, None)
    other.goto(f"{house.url}/g/{game}")
    expect(other.get_by_text("it is shown when that day is over")).to_be_visible()
    assert complaints == []
    other.context.close()
    page.context.close()


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ({"n": 1, "counts": True, "is_late": False}, ""),
        (
            {"n": 1, "counts": False, "is_late": True},
            " It ended after its day, so it stands in no list.",
        ),
        ({"n": 2, "counts": False, "is_late": False}, " (Not the first try.)"),
    ],
)
def test_what_is_shared_says_why_a_try_does_not_count(
    browser: Browser, day: tuple[House, dict[str, str]], marks: dict[str, object], words: str
) -> None:
    house, cookies = day
    page, complaints = opened(browser, house, cookies[PEOPLE[2]])

    def marked(route: Route) -> None:
        told = route.fetch().json()
        told["tries"] = [{**told["tries"][0], **marks}]
        route.fulfill(json=told)

    page.route("**/api/v1/deal", marked)
    page.reload(wait_until="networkidle")
    shared = page.locator(".deal-text").inner_text().splitlines()
    result = page.locator("[data-result]").inner_text().removesuffix(words)
    assert shared[1] == result + words
    assert complaints == []
    page.context.close()


def begin_beside(page: Page) -> str:
    """A try that is begun on another page of the same person."""
    game: str = page.evaluate(
        """async () => {
          const headers = { "X-CSRF": document.querySelector("meta[name=csrf]").content };
          return (await (await fetch("/api/v1/deal", { method: "POST", headers })).json()).id;
        }"""
    )
    return game


def test_an_unfinished_try_is_gone_on_with_at_its_table(
    browser: Browser, day: tuple[House, dict[str, str]]
) -> None:
    house, _ = day
    page, complaints = opened(browser, house, None)
    game = begin_beside(page)
    page.reload(wait_until="networkidle")
    expect(page.locator("[data-play]")).to_have_text("Go on")
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    page.locator("[data-play]").click()
    page.wait_for_url(f"**/g/{game}")
    assert [url for url in posted if "/deal" in url] == [], "past midnight that would begin another deal"
    assert complaints == []
    page.context.close()


@pytest.mark.parametrize("is_begun_elsewhere", [True, False])
def test_a_page_left_open_past_midnight_begins_no_other_deal(
    browser: Browser, day: tuple[House, dict[str, str]], is_begun_elsewhere: bool
) -> None:
    house, _ = day
    page, _ = opened(browser, house, None)
    game = begin_beside(page) if is_begun_elsewhere else ""
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
        assert page.url == f"{house.url}/deal"
        expect(page.locator("[data-play]")).to_be_visible()
    assert asked == ["day=" + page.evaluate("new Date().toISOString().slice(0, 10)")]
    page.context.close()


def test_it_fits_a_phone(browser: Browser, day: tuple[House, dict[str, str]]) -> None:
    house, cookies = day
    page, _ = opened(browser, house, cookies[PEOPLE[0]])
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("[data-turn-rows] tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.close()


def test_the_fairness_page_checks_the_record_of_a_deal(
    browser: Browser, day: tuple[House, dict[str, str]]
) -> None:
    house, _ = day
    page, complaints = opened(browser, house, None)
    page.goto(f"{house.url}/fairness", wait_until="networkidle")
    for name, given, verdict in (
        ("whole", record(), "Everything holds"),
        ("forged", {**record(), "server_seed": "6" * 64}, "This does not hold"),
    ):
        file = house.folder / f"{name}.json"
        file.write_text(json.dumps(given))
        page.locator("#record-file").set_input_files(file)
        expect(page.locator("[data-verdict]")).to_contain_text(verdict)
    assert complaints == []
    page.context.close()
