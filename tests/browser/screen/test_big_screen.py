"""The big screen of a table: a spectator's frames whoever is signed in, readable, awake, and still there afterwards."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from app.web.api.qr import _drawn
from tests.browser.table.house import SHORT, House, Player, begin, move_beside
from tests.browser.wardrobe import Wardrobe

TELEVISION = {"width": 1920, "height": 1080}
HIDDEN = {"preset": "jamaica", "players": 2}


def frames_of(page: Page) -> list[dict[str, Any]]:
    """What the page's sockets are told from now on."""
    heard: list[dict[str, Any]] = []

    def listen(socket: Any) -> None:
        socket.on("framereceived", lambda payload: heard.append(json.loads(payload)))

    page.on("websocket", listen)
    return heard


def turn_on(player: Player, game: str, phase: str = "running") -> None:
    player.page.goto(f"{player.url}/g/{game}/screen")
    expect(player.page.locator(f'#screen[data-phase="{phase}"]')).to_be_visible()


def shows(player: Player, seq: int) -> None:
    """Until what is drawn out slowly has come so far."""
    player.page.wait_for_function(
        "seq => Number(document.getElementById('screen').dataset.seq) >= seq", arg=seq
    )


def unseen(frames: list[dict[str, Any]]) -> list[str]:
    """What no spectator of a running game with hidden hands may be told."""
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


def test_no_frame_tells_a_signed_in_screen_a_hand(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport=TELEVISION), person("Bo")
    game = begin(ann, bo, options=HIDDEN)
    frames = frames_of(ann.page)
    turn_on(ann, game)
    for _ in range(20):
        assert move_beside(ann) or move_beside(bo)
    ann.page.reload()
    expect(ann.page.locator("#screen[data-phase=running]")).to_be_visible()
    shows(ann, ann.state()["seq"])
    assert {"welcome", "state", "events"} <= {frame["t"] for frame in frames}
    assert unseen(frames) == []
    # the check itself sees a hand: the same person's own page is told one
    own = frames_of(bo.page)
    bo.open(game)
    assert any(line.startswith("hand in") for line in unseen(own))
    assert ann.page.locator(".hand-card, .who-name, .choice").count() == 0


def test_the_code_leads_to_a_seat_and_then_to_watching(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo", viewport=TELEVISION)
    game = ann.create(HIDDEN)
    turn_on(bo, game, "before")
    code = bo.page.locator(".scan-code")

    def leads_to(path: str) -> None:
        source = code.get_attribute("src")
        assert bo.context.request.get(f"{bo.url}{source}").text() == _drawn(f"{bo.url}{path}")

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


def test_it_is_read_from_four_metres_and_nothing_sticks_out(person: Callable[..., Player]) -> None:
    read_from_four_metres(person, 1920, 1080)


def read_from_four_metres(person: Callable[..., Player], width: int, height: int) -> None:
    """Five players with open hands, clocks and a row: as much as there ever is. Larger screens in tests/soak."""
    people = [person(name) for name in ("Ann", "Bo", "Cy", "Di", "Ed")]
    options = {"preset": "tortuga", "players": 5}
    game = begin(*people, options=options, clock={"kind": "bank", "seconds": 900, "increment": 10})
    screen = person(None, viewport={"width": width, "height": height})
    turn_on(screen, game)
    seq = people[0].state()["seq"]
    assert any(move_beside(player) for player in people)
    shows(screen, seq + 1)
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


def test_the_last_action_is_told_in_words_and_as_an_arrow(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport=TELEVISION), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    turn_on(ann, game)
    name = ann.state()["table"]["seats"][0]["name"]
    seq = ann.state()["seq"]
    assert move_beside(ann)
    shows(ann, seq + 1)
    expect(ann.page.locator(".told-words")).to_contain_text(name)
    expect(ann.page.locator(".status-words")).to_have_text(f"{name} is in turn")
    assert ann.page.locator("#screen .board .trace").count() > 0


def test_it_asks_the_device_to_stay_awake_and_again_when_it_is_shown_anew(
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
    turn_on(ann, ann.create(HIDDEN), "before")
    ann.page.wait_for_function("() => window.asked.length === 1")
    ann.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    assert ann.page.evaluate("() => window.asked.map(([kind]) => kind)") == ["screen"]  # it has one
    ann.page.evaluate(
        "() => { window.asked[0][1].released = true; document.dispatchEvent(new Event('visibilitychange')); }"
    )
    ann.page.wait_for_function("() => window.asked.length === 2")


def test_a_locked_table_asks_at_the_screen_too(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    screen = person(None, viewport=TELEVISION)
    game = ann.create(HIDDEN, password="rum and salt")
    screen.page.goto(f"{screen.url}/g/{game}/screen")
    screen.page.get_by_role("textbox", name="Password").fill("rum and salt")
    screen.page.get_by_role("button", name="Go in").click()
    expect(screen.page.locator("#screen[data-phase=before]")).to_be_visible()


def test_it_follows_the_company_to_the_rematch_in_the_same_page(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    screen = person(None, viewport=TELEVISION)
    game = begin(ann, bo, options=SHORT)
    turn_on(screen, game)
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
        screen.page.locator("[data-begins]").or_(screen.page.get_by_text("about to begin"))
    ).to_be_visible()
    screen.page.wait_for_timeout(1500)  # the table begins by itself a second after the last one
    for player in (ann, bo):
        player.confirm()
    expect(screen.page.locator("#screen[data-phase=running]")).to_be_visible()
    assert screen.page.evaluate("() => window.isSamePage") is True


@pytest.fixture
def own_house(tmp_path: Path) -> Iterator[House]:
    """A server that this test may stop."""
    house = House(tmp_path)
    house.start()
    yield house
    house.stop()


def test_it_survives_a_restart_of_the_server_in_the_middle_of_a_game(
    browser: Browser, own_house: House
) -> None:
    wardrobe = Wardrobe(browser, own_house.url)
    contexts = [wardrobe.take(fresh=True, viewport=TELEVISION) for _ in range(3)]
    try:
        ann, bo, screen = (Player(context, own_house.url) for context in contexts)
        ann.introduce("Ann")
        bo.introduce("Bo")
        game = begin(ann, bo, options=HIDDEN)
        frames = frames_of(screen.page)
        turn_on(screen, game)
        assert move_beside(ann) or move_beside(bo)
        own_house.stop(signal.SIGKILL)
        expect(screen.page.locator(".screen-notice")).to_be_visible()
        own_house.start()
        expect(screen.page.locator(".screen-notice")).to_be_hidden()
        assert move_beside(ann) or move_beside(bo)
        shows(screen, ann.state()["seq"])
        assert len([frame for frame in frames if frame["t"] == "welcome"]) > 1
        assert unseen(frames) == []
    finally:
        for context in contexts:
            context.close()
