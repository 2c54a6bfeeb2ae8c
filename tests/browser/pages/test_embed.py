"""Tables embedded in another site's page: live, delayed and as a replay, always with the spectator's view."""

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

from tests.browser.axe import THEMES, Theme, find_violations
from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api

People = Callable[..., Player]


class Club(ThreadingHTTPServer):
    """Another site with one page, whose content the test sets."""

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
    """Collect every hand in the frames that the page receives from now on, with its seat."""
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


def test_game_can_be_watched_in_a_frame_of_another_site(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    # Ann's cookie is sent too, but she sees what any spectator sees
    hands = hands_of(ann.page)
    frame = framed(club, ann.page, f"{game_server.url}/embed/{game}?lang=en")
    status = frame.locator("[data-status]")
    expect(status).to_have_text(re.compile(r"^It's Ann .*'s turn\.$"))
    expect(frame.locator(".embed-player")).to_have_count(2)
    assert move_via_api(ann)
    expect(frame.locator("[data-said]")).to_contain_text(re.compile("^Ann "))
    assert frame.locator(".embed-hand").count() == 0
    assert frame.locator("textarea, input[type=text], .chat").count() == 0
    assert hands == []
    link = frame.locator("[data-link]")
    expect(link).to_have_attribute("rel", "noopener")
    with ann.context.expect_page() as opened:
        link.click()
    assert opened.value.url.startswith(f"{game_server.url}/g/{game}")
    opened.value.close()


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_no_violations_in_a_frame(game_server: GameServer, person: People, theme: Theme) -> None:
    ann, bo = person("Ann", bypass_csp=True), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    assert move_via_api(ann)
    ann.page.set_viewport_size({"width": 640, "height": 480})
    ann.page.goto(f"{game_server.url}/embed/{game}?theme={theme}")
    expect(ann.page.locator(".embed-player")).to_have_count(2)
    assert find_violations(ann.page) == []
    bo.act({"type": "resign"})
    ann.page.goto(f"{game_server.url}/embed/{game}?theme={theme}")
    expect(ann.page.locator("[data-deck]")).to_be_visible()
    assert find_violations(ann.page) == []


def test_other_pages_refuse_to_be_framed(game_server: GameServer, person: People, club: Club) -> None:
    ann = person("Ann")
    game = ann.create({"preset": "jamaica", "players": 2})
    for path in (f"/g/{game}", "/", "/account", f"/g/{game}/replay"):
        framed(club, ann.page, f"{game_server.url}{path}")
        ann.page.wait_for_timeout(300)
        inner = ann.page.frames[1]
        assert inner.url.startswith("chrome-error:"), path
    assert len(ann.complaints) >= 4  # Chromium logs every refusal
    ann.complaints.clear()


def test_finished_game_is_embedded_as_replay_with_open_hands(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "first": 0})
    for _ in range(6):
        assert move_via_api(ann) or move_via_api(bo)
    bo.act({"type": "resign"})
    stranger = person(None)
    frame = framed(club, stranger.page, f"{game_server.url}/embed/{game}")
    count = frame.locator("[data-count]")
    expect(count).to_have_text(re.compile(r"^0 / \d+$"))
    expect(frame.locator(".embed-hand")).to_have_count(2)
    frame.locator('[data-go="on"]').click()
    expect(count).to_have_text(re.compile(r"^1 / "))
    frame.locator('[data-go="last"]').click()
    expect(frame.locator("[data-status]")).to_have_text(re.compile("has won"))
    bare = framed(club, stranger.page, f"{game_server.url}/embed/{game}?controls=0")
    expect(bare.locator("[data-deck]")).to_be_hidden()
    expect(bare.locator("[data-said]")).not_to_have_text("The start of the game.")  # it plays by itself


def test_embedded_replay_of_running_game_shows_spectator_view(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    assert move_via_api(ann)
    frame = framed(club, ann.page, f"{game_server.url}/embed/{game}?replay=1")
    expect(frame.locator("[data-count]")).to_have_text(re.compile("^0 / 1$"))
    assert frame.locator(".embed-hand").count() == 0


def test_small_frame_shows_the_controls_in_one_line(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    assert move_via_api(ann)
    address = f"{game_server.url}/embed/{game}?replay=1&lang=en"
    frame = framed(club, ann.page, address, width=320, height=240)
    play = frame.get_by_role("button", name="Start the replay")
    expect(play).to_be_visible()
    heights = frame.locator(".embed-deck button").evaluate_all("all => all.map((each) => each.offsetHeight)")
    assert heights == [32] * 5
    play.click()
    expect(frame.get_by_role("button", name="Pause")).to_be_visible()


def test_overlay_is_transparent_and_delayed_as_stated(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    stranger = person(None)
    page = stranger.page
    page.goto(f"{game_server.url}/embed/{game}?overlay=1&delay=4&lang=en")
    began = time.monotonic()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.locator(".embed-bar, .embed-link").count() == 0
    assert page.locator(".embed-player").count() == 0  # the existing state is delayed as well
    expect(page.locator(".embed-player")).to_have_count(2)
    assert time.monotonic() - began >= 3.9
    said = page.locator("[data-said]")
    acted = time.monotonic()
    assert move_via_api(ann)
    while time.monotonic() < acted + 3.5:
        assert said.inner_text() == ""
        page.wait_for_timeout(100)
    expect(said).to_contain_text(re.compile("^Ann "))
    assert time.monotonic() - acted >= 3.9


def test_delayed_frame_never_requests_later_events(game_server: GameServer, person: People) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    stranger = person(None)
    asked: list[str] = []
    stranger.page.on("request", lambda request: asked.append(request.url))
    stranger.page.goto(f"{game_server.url}/embed/{game}?replay=1&delay=2")
    expect(stranger.page.locator(".embed-player")).to_have_count(2)
    assert not any("/seen" in url or "/api/" in url for url in asked)


def test_locked_and_missing_tables_look_alike_in_a_frame(
    game_server: GameServer, person: People, club: Club
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = ann.create({"preset": "jamaica", "players": 2}, password="rum and salt")
    shown = set()
    for looker in (ann, bo):
        for room in (game, "NoSuchTableAnywhere1"):
            frame = framed(club, looker.page, f"{game_server.url}/embed/{room}")
            note = frame.locator("[data-note]")
            expect(note).to_be_visible()
            shown.add(note.inner_text())
    assert len(shown) == 1


def test_copied_snippet_works(game_server: GameServer, person: People, club: Club) -> None:
    ann, bo = person("Ann", permissions=["clipboard-read", "clipboard-write"]), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    ann.open(game)
    loaded = ann.page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")
    assert not any("embed" in name for name in loaded)  # loaded only on demand
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Embed this game").click()
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
    ann.page.goto(f"{game_server.url}/g/{game}/replay")
    ann.page.get_by_role("button", name="Embed this game").click()
    expect(ann.page.locator(".embed-code").first).to_have_value(re.compile("replay=1"))
