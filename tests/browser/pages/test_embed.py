"""A table in a frame of another site's page, in a real Chromium: live, delayed, as a replay, and never a seat's own."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.axe import THEMES, Theme, faults_of
from tests.browser.table.house import SHORT, House, Player, begin, move_beside

People = Callable[..., Player]


class Club(ThreadingHTTPServer):
    """Another site: its one page is what was last put there."""

    page = ""
    url = ""


@pytest.fixture
def club() -> Iterator[Club]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = server.page.encode() if self.path == "/" else b""
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = Club(("127.0.0.1", 0), Answer)
    # another port is another origin; 127.0.0.1 is the same site, so that cookies do come along
    server.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def framed(club: Club, page: Page, address: str, width: int = 640, height: int = 480) -> FrameLocator:
    club.page = f'<!doctype html><body><iframe src="{address}" width="{width}" height="{height}"></iframe>'
    page.goto(club.url)
    return page.frame_locator("iframe")


def hands_of(page: Page) -> list[Any]:
    """Every hand in every frame that the page's sockets get from now on, and the seats they are for."""
    found: list[Any] = []

    def read(text: str | bytes) -> None:
        message = json.loads(text)
        if message["t"] in ("state", "events", "table"):
            view = message.get("view") or {"players": []}
            found.extend(player["hand"] for player in view["players"] if player["hand"])
            found.extend(choice for choice in message.get("choices") or [])
        if message["t"] in ("welcome", "state"):
            found.extend(
                value for value in (message["you"].get("seat"), message["you"].get("person")) if value
            )

    page.on("websocket", lambda socket: socket.on("framereceived", read))
    return found


def test_a_game_is_watched_in_another_sites_page(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    # Ann herself looks: her cookie comes along, and still she sees what strangers see
    hands = hands_of(ann.page)
    frame = framed(club, ann.page, f"{house.url}/embed/{game}?lang=en")
    status = frame.locator("[data-status]")
    expect(status).to_have_text(re.compile(r"^Ann .* is in turn$"))
    expect(frame.locator(".embed-player")).to_have_count(2)
    assert move_beside(ann)
    expect(frame.locator("[data-said]")).to_contain_text(re.compile("^Ann "))
    assert frame.locator(".embed-hand").count() == 0
    assert frame.locator("textarea, input[type=text], .chat").count() == 0
    assert hands == []
    link = frame.locator("[data-link]")
    expect(link).to_have_attribute("rel", "noopener")
    with ann.context.expect_page() as opened:
        link.click()
    assert opened.value.url.startswith(f"{house.url}/g/{game}")
    opened.value.close()


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_a_frame(house: House, person: People, theme: Theme) -> None:
    ann, bo = person("Ann", bypass_csp=True), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    assert move_beside(ann)
    ann.page.set_viewport_size({"width": 640, "height": 480})
    ann.page.goto(f"{house.url}/embed/{game}?theme={theme}")
    expect(ann.page.locator(".embed-player")).to_have_count(2)
    assert faults_of(ann.page) == []
    bo.act({"type": "resign"})
    ann.page.goto(f"{house.url}/embed/{game}?theme={theme}")
    expect(ann.page.locator("[data-deck]")).to_be_visible()
    assert faults_of(ann.page) == []


def test_every_other_page_stays_out_of_frames(house: House, person: People, club: Club) -> None:
    ann = person("Ann")
    game = ann.create({"preset": "jamaica", "players": 2})
    for path in (f"/g/{game}", "/", "/account", f"/g/{game}/replay"):
        framed(club, ann.page, f"{house.url}{path}")
        ann.page.wait_for_timeout(300)
        inner = ann.page.frames[1]
        assert inner.url.startswith("chrome-error:"), path
    assert len(ann.complaints) >= 4  # Chromium says each time that it was refused
    ann.complaints.clear()


def test_a_finished_game_is_a_replay_with_open_hands(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "first": 0})
    for _ in range(6):
        assert move_beside(ann) or move_beside(bo)
    bo.act({"type": "resign"})
    stranger = person(None)
    frame = framed(club, stranger.page, f"{house.url}/embed/{game}")
    count = frame.locator("[data-count]")
    expect(count).to_have_text(re.compile(r"^0 / \d+$"))
    expect(frame.locator(".embed-hand")).to_have_count(2)
    frame.locator('[data-go="on"]').click()
    expect(count).to_have_text(re.compile(r"^1 / "))
    frame.locator('[data-go="last"]').click()
    expect(frame.locator("[data-status]")).to_have_text(re.compile("has won"))
    bare = framed(club, stranger.page, f"{house.url}/embed/{game}?controls=0")
    expect(bare.locator("[data-deck]")).to_be_hidden()
    expect(bare.locator("[data-said]")).not_to_have_text("The start of the game.")  # it plays by itself


def test_a_replay_of_a_running_game_is_a_strangers_too(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    assert move_beside(ann)
    frame = framed(club, ann.page, f"{house.url}/embed/{game}?replay=1")
    expect(frame.locator("[data-count]")).to_have_text(re.compile("^0 / 1$"))
    assert frame.locator(".embed-hand").count() == 0


def test_an_overlay_is_transparent_and_lags_as_it_says(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    stranger = person(None)
    page = stranger.page
    page.goto(f"{house.url}/embed/{game}?overlay=1&delay=4&lang=en")
    began = time.monotonic()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.locator(".embed-bar, .embed-link").count() == 0
    assert page.locator(".embed-player").count() == 0  # also what is there already comes as late
    expect(page.locator(".embed-player")).to_have_count(2)
    assert time.monotonic() - began >= 3.9
    said = page.locator("[data-said]")
    acted = time.monotonic()
    assert move_beside(ann)
    while time.monotonic() < acted + 3.5:
        assert said.inner_text() == ""
        page.wait_for_timeout(100)
    expect(said).to_contain_text(re.compile("^Ann "))
    assert time.monotonic() - acted >= 3.9


def test_a_delayed_frame_never_asks_for_what_has_happened_since(house: House, person: People) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    stranger = person(None)
    asked: list[str] = []
    stranger.page.on("request", lambda request: asked.append(request.url))
    stranger.page.goto(f"{house.url}/embed/{game}?replay=1&delay=2")
    expect(stranger.page.locator(".embed-player")).to_have_count(2)
    assert not any("/seen" in url or "/api/" in url for url in asked)


def test_a_locked_table_and_none_look_alike_in_a_frame(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = ann.create({"preset": "jamaica", "players": 2}, password="rum and salt")
    shown = set()
    for looker in (ann, bo):
        for room in (game, "NoSuchTableAnywhere1"):
            frame = framed(club, looker.page, f"{house.url}/embed/{room}")
            note = frame.locator("[data-note]")
            expect(note).to_be_visible()
            shown.add(note.inner_text())
    assert len(shown) == 1


def test_the_snippet_that_is_copied_works(house: House, person: People, club: Club) -> None:
    ann, bo = person("Ann", permissions=["clipboard-read", "clipboard-write"]), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    ann.open(game)
    loaded = ann.page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")
    assert not any("embed" in name for name in loaded)  # whoever does not ask for it does not load it
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Show this game elsewhere").click()
    ann.page.get_by_role("button", name="Copy the HTML").click()
    expect(ann.page.get_by_text("Copied.")).to_be_visible()
    snippet = ann.page.evaluate("navigator.clipboard.readText()")
    assert snippet == ann.page.locator(".embed-code").first.input_value()
    stranger = person(None)
    club.page = f"<!doctype html><body>{snippet}"
    stranger.page.goto(club.url)
    expect(stranger.page.frame_locator("iframe").locator(".embed-player")).to_have_count(2)
    size = stranger.page.locator("iframe").bounding_box()
    assert size is not None
    assert (round(size["width"]), round(size["height"])) == (
        644,
        484,
    )  # 640 x 480 and the browser's own border
    bo.act({"type": "resign"})
    ann.page.goto(f"{house.url}/g/{game}/replay")
    ann.page.get_by_role("button", name="Show this game elsewhere").click()
    expect(ann.page.locator(".embed-code").first).to_have_value(re.compile("replay=1"))
