"""The big screen of a table: spectator frames only, readable from afar, kept awake, surviving restarts."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.web.api.qr import _draw_qr
from tests.browser.context_pool import ContextPool
from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api

TELEVISION = {"width": 1920, "height": 1080}
HIDDEN = {"preset": "jamaica", "players": 2}


def frames_of(page: Page) -> list[dict[str, Any]]:
    """Collect the frames that the page's sockets receive from now on."""
    heard: list[dict[str, Any]] = []

    def listen(socket: Any) -> None:
        socket.on("framereceived", lambda payload: heard.append(json.loads(payload)))

    page.on("websocket", listen)
    return heard


def open_screen(player: Player, game: str, phase: str = "running") -> None:
    player.page.goto(f"{player.url}/g/{game}/screen")
    expect(player.page.locator(f'#screen[data-phase="{phase}"]')).to_be_visible()


def wait_until_shown(player: Player, seq: int) -> None:
    """Wait until the animations have reached this entry."""
    player.page.wait_for_function(
        "seq => Number(document.getElementById('screen').dataset.seq) >= seq", arg=seq
    )


def find_hidden_cards(frames: list[dict[str, Any]]) -> list[str]:
    """Return everything in the frames that a spectator of a running game with hidden hands may not receive."""
    found = []
    for frame in frames:
        players = (frame.get("view") or {}).get("players", [])
        found += [f"hand in {frame['t']}" for player in players if player["hand"] is not None]
        found += [f"{name} in {frame['t']}" for name in ("choices", "undo") if name in frame]
        drawn = [each for each in frame.get("events", []) if each["type"] == "cards_drawn"]
        found += ["cards drawn" for each in drawn if each.get("cards")]
        you = frame.get("you") or {}
        found += [f"somebody in {frame['t']}" for name in ("person", "seat") if you.get(name) is not None]
    return found


def test_screen_of_a_seated_player_receives_no_hand(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport=TELEVISION), person("Bo")
    game = begin(ann, bo, options=HIDDEN)
    frames = frames_of(ann.page)
    open_screen(ann, game)
    for _ in range(20):
        assert move_via_api(ann) or move_via_api(bo)
    ann.page.reload()
    expect(ann.page.locator("#screen[data-phase=running]")).to_be_visible()
    wait_until_shown(ann, ann.state()["seq"])
    assert {"welcome", "state", "events"} <= {frame["t"] for frame in frames}
    assert find_hidden_cards(frames) == []
    # the check does find a hand in the frames of the player's own page
    own = frames_of(bo.page)
    bo.open(game)
    assert any(line.startswith("hand in") for line in find_hidden_cards(own))
    assert ann.page.locator(".hand-card, .who-name, .choice").count() == 0


def test_qr_code_leads_to_a_seat_then_to_watching(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo", viewport=TELEVISION)
    game = ann.create(HIDDEN)
    open_screen(bo, game, "before")
    code = bo.page.locator(".scan-code")

    def leads_to(path: str) -> None:
        source = code.get_attribute("src")
        assert bo.context.request.get(f"{bo.url}{source}").text() == _draw_qr(f"{bo.url}{path}")

    expect(bo.page.locator(".scan-words")).to_have_text("Scan to sit down")
    leads_to(f"/g/{game}?hand=1")
    for player in (ann, bo):
        player.take_seat(game)
    expect(bo.page.locator(".scan-words")).to_have_text("Scan to watch")
    leads_to(f"/g/{game}")
    ann.command("start")
    for player in (ann, bo):
        player.confirm()
    expect(bo.page.locator("#screen[data-phase=running]")).to_be_visible()
    expect(bo.page.locator(".scan-words")).to_have_text("Scan to watch")


LARGE = (".status-words", ".plate-name", ".told-words")  # whose turn, who, what happened
SMALL = (".plate-facts", ".plate-clock", ".pile-count", ".scan-words", ".plate-card")


def test_screen_is_readable_from_four_metres_without_overflow(person: Callable[..., Player]) -> None:
    assert_readable_from_four_metres(person, 1920, 1080)


def assert_readable_from_four_metres(person: Callable[..., Player], width: int, height: int) -> None:
    """Check the fullest screen: five players with open hands, clocks and a row. tests/soak has larger screens."""
    people = [person(name) for name in ("Ann", "Bo", "Cy", "Di", "Ed")]
    options = {"preset": "tortuga", "players": 5}
    game = begin(*people, options=options, clock={"kind": "bank", "seconds": 900, "increment": 10})
    screen = person(None, viewport={"width": width, "height": height})
    open_screen(screen, game)
    seq = people[0].state()["seq"]
    assert any(move_via_api(player) for player in people)
    wait_until_shown(screen, seq + 1)
    expect(screen.page.locator(".told-words")).not_to_be_empty()
    sizes: dict[str, float] = {
        selector: screen.page.locator(selector).first.evaluate(
            "node => parseFloat(getComputedStyle(node).fontSize)"
        )
        for selector in (*LARGE, *SMALL)
    }
    assert [name for name in LARGE if sizes[name] < 40 / 1080 * height] == [], sizes
    assert [name for name in SMALL if sizes[name] < 0.022 * height] == [], sizes
    parts = (".plate", ".row-cards li", ".scan-code", ".map", ".told", ".pile")
    boxes = {
        part: [each.bounding_box() for each in screen.page.locator(part).all() if each.is_visible()]
        for part in parts
    }
    assert len(boxes[".plate"]) == 5
    assert len(boxes[".row-cards li"]) == 12
    for part, found in boxes.items():
        for box in found:
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width, (part, box)
            assert 0 <= box["y"] <= box["y"] + box["height"] <= height, (part, box)
    map_box = boxes[".map"][0]
    assert map_box is not None
    assert map_box["width"] * map_box["height"] > 0.5 * width * height


def test_last_action_is_shown_in_words_and_as_an_arrow(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport=TELEVISION), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    open_screen(ann, game)
    name = ann.state()["table"]["seats"][0]["name"]
    seq = ann.state()["seq"]
    assert move_via_api(ann)
    wait_until_shown(ann, seq + 1)
    expect(ann.page.locator(".told-words")).to_contain_text(name)
    expect(ann.page.locator(".status-words")).to_have_text(f"It's {name}'s turn.")
    assert ann.page.locator("#screen .board .trace").count() > 0


def test_reload_shows_the_last_action_and_the_earlier_ones(person: Callable[..., Player]) -> None:
    """The screen has the session of a seat, and still receives what spectators see."""
    ann, bo = person("Ann", viewport=TELEVISION), person("Bo")
    game = begin(ann, bo, options={**HIDDEN, "first": 0})
    for _ in range(8):
        assert move_via_api(ann) or move_via_api(bo)
    fetched: list[Any] = []
    ann.page.on("response", lambda answer: fetched.append(answer) if answer.url.endswith("/seen") else None)
    open_screen(ann, game)
    last = ann.page.locator(".told-words")
    expect(last).not_to_be_empty()
    earlier = ann.page.locator(".earlier li")
    expect(earlier.first).to_be_visible()
    assert last.inner_text() not in earlier.all_inner_texts()
    expect(ann.page.locator(".told-figure .pirate")).to_be_visible()
    seen = fetched[0].json()
    assert seen["view"]["players"][0]["hand"] is None
    assert (
        find_hidden_cards([{"t": "seen", **seen}, *({"t": "step", **step} for step in seen["steps"])]) == []
    )
    # What happens now is added.
    shown = earlier.all_inner_texts()
    seq = ann.state()["seq"]
    assert move_via_api(ann) or move_via_api(bo)
    wait_until_shown(ann, seq + 1)
    assert earlier.all_inner_texts()[-len(shown) :] == shown


def test_typed_address_leads_where_the_code_leads(person: Callable[..., Player]) -> None:
    ann, screen = person("Ann"), person(None, viewport=TELEVISION)
    game = ann.create(HIDDEN)
    open_screen(screen, game, "before")
    typed = screen.page.locator(".scan-link").inner_text()
    assert typed == f"{screen.url.removeprefix('http://')}/h/{game}"
    phone = person(None, phone=True)
    for address in (f"http://{typed}", f"http://{typed}/"):
        phone.page.goto(address)
        expect(phone.page.locator("body.hand-layout")).to_be_visible()
        assert f"/g/{game}" in phone.page.url
        expect(phone.page.get_by_role("button", name="Sit here").first).to_be_visible()
    assert phone.context.request.get(f"{phone.url}/h/{game}", max_redirects=0).headers["location"] == (
        f"/g/{game}?hand=1"
    )
    assert phone.context.request.get(f"{phone.url}/h/nothing!").status == 404


def test_wake_lock_is_requested_again_when_the_page_becomes_visible(
    person: Callable[..., Player],
) -> None:
    ann = person("Ann", fresh=True, viewport=TELEVISION)
    ann.context.add_init_script(
        """window.asked = [];
        Object.defineProperty(navigator, "wakeLock", { value: { async request(kind) {
          const lock = { released: false };
          window.asked.push([kind, lock]);
          return lock;
        } } });"""
    )
    open_screen(ann, ann.create(HIDDEN), "before")
    ann.page.wait_for_function("() => window.asked.length === 1")
    ann.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    assert ann.page.evaluate("() => window.asked.map(([kind]) => kind)") == ["screen"]  # it has one
    ann.page.evaluate(
        "() => { window.asked[0][1].released = true; document.dispatchEvent(new Event('visibilitychange')); }"
    )
    ann.page.wait_for_function("() => window.asked.length === 2")


def test_locked_table_asks_for_its_password_on_the_screen(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    screen = person(None, viewport=TELEVISION)
    game = ann.create(HIDDEN, password="rum and salt")
    screen.page.goto(f"{screen.url}/g/{game}/screen")
    screen.page.get_by_role("textbox", name="Password").fill("rum and salt")
    screen.page.get_by_role("button", name="Open the table").click()
    expect(screen.page.locator("#screen[data-phase=before]")).to_be_visible()


def test_screen_follows_the_players_to_the_rematch(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options=SHORT)
    open_screen(screen, game)
    screen.page.evaluate("() => { window.isSamePage = true; }")
    bo.act({"type": "resign"})
    expect(screen.page.locator("#screen[data-phase=finished]")).to_be_visible()
    expect(screen.page.locator(".told .ranking li")).to_have_count(2)
    ann.command("rematch")
    following = ann.state()["table"]["next"]
    screen.page.wait_for_url(f"**/g/{following}/screen")
    expect(screen.page.locator(".gathering .berth")).to_have_count(2)
    for player in (ann, bo):
        player.take_seat(following)
    expect(
        screen.page.locator("[data-begins]").or_(screen.page.get_by_text("about to start"))
    ).to_be_visible()
    screen.page.wait_for_timeout(1500)  # the table begins by itself a second after the last one
    for player in (ann, bo):
        player.confirm()
    expect(screen.page.locator("#screen[data-phase=running]")).to_be_visible()
    assert screen.page.evaluate("() => window.isSamePage") is True


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[GameServer]:
    """A server that the test may stop."""
    game_server = GameServer(tmp_path)
    game_server.start()
    yield game_server
    game_server.stop()


def test_screen_survives_a_server_restart_during_a_game(browser: Browser, own_server: GameServer) -> None:
    context_pool = ContextPool(browser, own_server.url)
    contexts = [context_pool.take(fresh=True, viewport=TELEVISION) for _ in range(3)]
    try:
        ann, bo, screen = (Player(context, own_server.url) for context in contexts)
        ann.introduce("Ann")
        bo.introduce("Bo")
        game = begin(ann, bo, options=HIDDEN)
        frames = frames_of(screen.page)
        open_screen(screen, game)
        assert move_via_api(ann) or move_via_api(bo)
        own_server.stop(signal.SIGKILL)
        expect(screen.page.locator(".screen-notice")).to_be_visible()
        own_server.start()
        expect(screen.page.locator(".screen-notice")).to_be_hidden()
        assert move_via_api(ann) or move_via_api(bo)
        wait_until_shown(screen, ann.state()["seq"])
        assert len([frame for frame in frames if frame["t"] == "welcome"]) > 1
        assert find_hidden_cards(frames) == []
    finally:
        for context in contexts:
            context.close()
