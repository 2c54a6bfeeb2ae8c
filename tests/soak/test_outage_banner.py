"""The database stands still under a table that is being played: the page says so, and goes on by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.table.house import House, Player, begin, move_beside

WORDS = "The server cannot save just now."
OPTIONS: dict[str, Any] = {"preset": "jamaica", "players": 2, "first": 0}


def test_the_page_says_that_nothing_can_be_stored(house: House, person: Callable[..., Player]) -> None:
    ann, bo, late = person("Ann"), person("Bo"), person("Cyd")
    game = begin(ann, bo, options=OPTIONS)
    ann.open(game)
    assert move_beside(ann)
    button = ann.page.locator(".end-turn")
    expect(button).to_be_visible()
    before = ann.state()["seq"]
    ann.page.wait_for_function(
        "seq => Number(document.getElementById('table').dataset.seq) >= seq", arg=before, timeout=15000
    )
    lock = sqlite3.connect(house.folder / "house.db", timeout=30, isolation_level=None)
    try:
        lock.execute("BEGIN IMMEDIATE")  # as a backup or a full disk would: nobody else writes
        button.click()
        expect(ann.page.get_by_text(WORDS)).to_be_visible(timeout=30000)
        late.page.goto(f"{ann.url}/g/{game}")  # reading goes on: whoever comes sees the table
        expect(late.page.locator("#table[data-phase]")).to_be_visible(timeout=30000)
    finally:
        lock.close()
    ann.wait_past(before)
    expect(ann.page.get_by_text(WORDS)).to_have_count(0, timeout=30000)
    assert ann.state()["seq"] == before + 1
