"""Markup and scripts in every text that other users can write, in a real browser; policy violations fail the test."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.attack.corpus import CORPUS, COUNT_INJECTIONS, REPORT_VIOLATIONS
from tests.browser.game_server import SHORT, Player
from tests.browser.table.test_hidden_cards import OPTIONS, SEATS, TABLE

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "tortuga.json"


INJECT_SCRIPT = "document.body.insertAdjacentHTML('beforeend', '<img src=x data-xss onerror=pwned=1>')"

# Loaded, and no resource has finished for half a second. Playwright's own event may be missed when a page
# changes its address while it loads.
IS_IDLE = """() => document.readyState === "complete" && performance.now() - Math.max(
  ...performance.getEntries().map((each) => each.responseEnd || each.loadEventEnd || 0)) > 500"""


def watch_for_scripts(player: Player) -> Player:
    player.context.add_init_script(REPORT_VIOLATIONS)
    return player


def assert_harmless(player: Player) -> None:
    assert player.page.evaluate(COUNT_INJECTIONS) == [0, 0]


def test_policy_violations_are_reported(person: Callable[..., Player]) -> None:
    """Check the reporting itself: without it the other tests could not fail."""
    ann = watch_for_scripts(person(None))
    ann.page.goto(f"{ann.url}/about")
    with ann.page.expect_console_message(lambda line: line.text.startswith("policy: script-src")):
        ann.page.evaluate(INJECT_SCRIPT)
    assert ann.page.evaluate("window.pwned ?? 0") == 0
    assert ann.page.evaluate(COUNT_INJECTIONS)[1] == 1
    ann.complaints.clear()


def test_titles_names_and_chat_are_rendered_as_text(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), watch_for_scripts(person("Bo"))
    rooms = [ann.create(SHORT, title=text[:60]) for text in CORPUS[:9] if len(text) <= 60]
    for ann.game in rooms:
        ann.command("sit")
    guest = person(None)
    for text in CORPUS:
        # Most are refused as names; whatever is accepted is shown in the lobby and at the table.
        guest.context.clear_cookies()  # a new guest each time
        answer = guest.context.request.post(
            f"{guest.url}/api/v1/me", data={"name": text[:24]}, headers={"Origin": guest.url}
        )
        if answer.ok:
            guest.csrf = answer.json()["csrf"]
            guest.take_seat(guest.create(SHORT, title=secrets.token_hex(4)))
    for text in CORPUS:
        ann.context.request.post(
            f"{ann.url}/api/v1/games/{rooms[-1]}/commands",
            data={"do": "chat", "id": secrets.token_hex(8), "text": text},
            headers={"X-CSRF": ann.csrf},
        )
    bo.page.goto(bo.url)
    expect(bo.page.get_by_text(CORPUS[1]).first).to_be_visible()
    assert_harmless(bo)
    bo.open(rooms[-1])
    expect(bo.page.get_by_text(CORPUS[0]).first).to_be_attached()
    assert_harmless(bo)


def test_hostile_server_frames_are_rendered_as_text(person: Callable[..., Player]) -> None:
    """Send names, titles and lines that the real server would refuse directly to the table's scripts."""
    ann = watch_for_scripts(person("Ann"))
    polyglot = "".join(CORPUS)
    seats = [{**seat, "name": polyglot} for seat in SEATS]
    table = {
        **TABLE,
        "title": polyglot,
        "seats": seats,
        "status": "open",
        "host": "p1",
        "options": TABLE["options"],
    }
    frames: list[Any] = [
        {"t": "welcome", "v": 1, "game": "hostile", "seq": 5, "now": 1_000_000, "resumed": False,
         "you": {"person": "p0", "name": polyglot, "seat": 0, "muted": []}, "presets": ["hello", polyglot]},
        {"t": "state", "seq": 5, "at": 0, "you": {"seat": 0}, "table": table, "view": None, "clock": None},
        {"t": "presence", "seats": [True, True], "watching": 3, "away": {}},
    ]  # fmt: skip
    frames += [
        {
            "t": "chat",
            "n": n,
            "at": 0,
            "channel": "players",
            "person": "p1",
            "name": text,
            "seat": 1,
            "text": text,
        }
        for n, text in enumerate(CORPUS, 1)
    ]
    frames.append({"t": "refused", "id": None, "code": "illegal", "message": polyglot})

    def serve(wire: Any) -> None:
        wire.on_message(
            lambda text: [wire.send(json.dumps(each)) for each in frames] if '"hello"' in text else None
        )

    assert OPTIONS.players == len(seats)
    ann.page.route_web_socket("**/ws/game/**", serve)
    ann.page.goto(f"{ann.url}/g/hostile-hostile-hostile")
    expect(ann.page.locator("#table")).to_have_attribute("data-seq", "5")
    expect(ann.page.get_by_text(CORPUS[-1], exact=True).first).to_be_attached()
    assert_harmless(ann)
    ann.page.close()
    ann.complaints.clear()  # the server knows no such game; the browser writes that down


@pytest.mark.parametrize("page", ["/replay", "/fairness"])
def test_imported_records_are_rendered_as_text(person: Callable[..., Player], page: str) -> None:
    record = json.loads(GOLDEN.read_text(encoding="utf-8"))
    polyglot = "".join(CORPUS)
    hostile = [
        {**record, "players": [{**player, "name": polyglot[:400]} for player in record["players"]]},
        {**record, "options": {**record["options"], "preset": polyglot}},
        {**record, "result": {**record["result"], "reason": polyglot}},
        {
            **record,
            "commitment": polyglot,
            "server_seed": polyglot,
            "nonces": [polyglot] * len(record["nonces"]),
        },
        {polyglot: polyglot},
        polyglot,
    ]
    ann = watch_for_scripts(person("Ann"))
    ann.page.goto(f"{ann.url}{page}")
    before = ann.page.locator("main").inner_text()
    for number, each in enumerate(hostile):
        file = FilePayload(
            name=f"{number}<img data-xss src=x>.json",
            mimeType="application/json",
            buffer=json.dumps(each).encode(),
        )
        ann.page.locator("#record-file").set_input_files([file])
        expect(ann.page.locator("main")).not_to_have_text(before)
        if page == "/replay" and number == 0:
            expect(ann.page.get_by_text(CORPUS[0]).first).to_be_attached()
        ann.page.wait_for_function(IS_IDLE)
        assert_harmless(ann)
    ann.complaints[:] = [
        line for line in ann.complaints if "status of 4" not in line
    ]  # refused, as it should be


def test_urls_are_rendered_as_text(person: Callable[..., Player]) -> None:
    ann = watch_for_scripts(person("Ann"))
    text = quote("".join(CORPUS)[:700], safe="")
    for address in (
        f"/?lang={text}&x={text}#{text}",
        f"/new?preset={text}&lang={text}",
        f"/players/{text}",
        f"/resume/{quote(CORPUS[1], safe='')}",
        f"/rules/{text}",
        f"/replay?step={text}&eyes={text}#{text}",
        f"/no/such/page/{text}?{text}",
    ):
        ann.page.goto(f"{ann.url}{address}")
        ann.page.wait_for_function(IS_IDLE)
        assert_harmless(ann)
    ann.complaints[:] = [
        line for line in ann.complaints if "status of 4" not in line
    ]  # pages that are not there
