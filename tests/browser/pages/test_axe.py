"""axe finds nothing about the pages of a game; those without a game are in test_every_page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

from playwright.sync_api import expect

from tests.browser.axe import THEMES, Theme, faults_by
from tests.browser.pages.places import visit
from tests.browser.table.house import SHORT, Player, begin


def test_axe_finds_nothing_about_a_game(person: Callable[..., Player]):
    """One theme for each page, by turns; both for each in tests/soak."""
    axe_about_a_game(person, [(THEMES[0],), (THEMES[1],)])


def axe_about_a_game(person: Callable[..., Player], by_turns: Sequence[Sequence[Theme]]) -> None:
    ann, bo = person("Ann", bypass_csp=True), person("Bo")
    game = begin(ann, bo, options=SHORT)
    turns = cycle(by_turns)
    found: dict[str, list[str]] = {}
    for path in (f"/g/{game}/replay", f"/g/{game}/fairness", "/", "/me"):
        visit(ann, path)
        found[path] = [line for theme in next(turns) for line in faults_by(ann.page, theme)]
    visit(ann, "/new")
    ann.page.locator("[data-more] > summary").click()
    expect(ann.page.locator("[data-more] fieldset, [data-more] [data-option]").first).to_be_visible()
    found["/new"] = [line for theme in next(turns) for line in faults_by(ann.page, theme)]
    assert {path: lines for path, lines in found.items() if lines} == {}
