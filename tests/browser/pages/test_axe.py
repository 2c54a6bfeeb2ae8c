"""axe finds nothing about the pages of a game; those without a game are in test_every_page."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.axe import faults_in_both_themes
from tests.browser.pages.places import visit
from tests.browser.table.house import SHORT, Player, begin


def test_axe_finds_nothing_about_a_game(person: Callable[..., Player]):
    ann, bo = person("Ann", bypass_csp=True), person("Bo")
    game = begin(ann, bo, options=SHORT)
    found: dict[str, list[str]] = {}
    for path in (f"/g/{game}/replay", f"/g/{game}/fairness", "/", "/me"):
        visit(ann, path)
        found[path] = faults_in_both_themes(ann.page)
    visit(ann, "/new")
    ann.page.locator("[data-more] > summary").click()
    expect(ann.page.locator("[data-more] fieldset, [data-more] [data-option]").first).to_be_visible()
    found["/new"] = faults_in_both_themes(ann.page)
    assert {path: lines for path, lines in found.items() if lines} == {}
