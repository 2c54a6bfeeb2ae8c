"""A database outage during a game: the page shows a banner and recovers automatically."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.game_server import GameServer, Player, begin, move_via_api

WORDS = "The server cannot save anything at the moment."
OPTIONS: dict[str, Any] = {"preset": "jamaica", "players": 2, "first": 0}


def test_page_shows_a_banner_during_a_database_outage(
    game_server: GameServer, person: Callable[..., Player]
) -> None:
    ann, bo, late = person("Ann"), person("Bo"), person("Cyd")
    game = begin(ann, bo, options=OPTIONS)
    ann.open(game)
    assert move_via_api(ann)
    button = ann.page.locator(".end-turn")
    expect(button).to_be_visible()
    before = ann.state()["seq"]
    ann.page.wait_for_function(
        "seq => Number(document.getElementById('table').dataset.seq) >= seq", arg=before, timeout=15000
    )
    lock = sqlite3.connect(game_server.folder / "house.db", timeout=30, isolation_level=None)
    try:
        lock.execute("BEGIN IMMEDIATE")  # as a backup or a full disk would: no other writer gets in
        button.click()
        expect(ann.page.get_by_text(WORDS)).to_be_visible(timeout=30000)
        late.page.goto(f"{ann.url}/g/{game}")  # reads still work: a new client sees the table
        expect(late.page.locator("#table[data-phase]")).to_be_visible(timeout=30000)
    finally:
        lock.close()
    ann.wait_past(before)
    expect(ann.page.get_by_text(WORDS)).to_have_count(0, timeout=30000)
    assert ann.state()["seq"] == before + 1
