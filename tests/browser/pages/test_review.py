"""The review page: the curve, what luck and choices did, and links into the replay."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, Player, begin, move_beside


def test_a_finished_game_is_reviewed(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "supply": "deck"})
    for turn in range(30):
        if move_beside((ann, bo)[turn % 2]) and turn > 20:
            break
    ann.page.goto(f"{ann.url}/g/{game}/review")
    expect(ann.page.locator("[data-problem]")).to_be_visible()
    bo.act({"type": "resign"})
    ann.page.goto(f"{ann.url}/g/{game}/review")
    expect(ann.page.locator("[data-curve] path")).to_have_count(2, timeout=30_000)
    expect(ann.page.locator("[data-sums] tr")).to_have_count(2)
    ann.page.locator("[data-all]").check()
    first = ann.page.locator("[data-turns] li").first
    expect(first).to_contain_text("Turn 1")
    first.get_by_role("link").click()
    expect(ann.page).to_have_url(re.compile(rf"/g/{game}/replay\?step=0"))
    # And back: from a step of the replay to the turn it belongs to.
    review = ann.page.locator("[data-to-review]")
    expect(review).to_be_visible()
    ann.page.locator("[data-go=last]").click()
    expect(review).to_have_attribute("href", re.compile(rf"/g/{game}/review\?step=[1-9]"))
    review.click()
    here = ann.page.locator("[data-turns] li[aria-current=step]")
    expect(here).to_have_count(1, timeout=30_000)
    expect(here).to_be_in_viewport()
    expect(here.get_by_role("link")).to_be_focused()
