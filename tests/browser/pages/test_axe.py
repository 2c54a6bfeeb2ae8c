"""axe finds no violations on the pages of a game; pages without a game are in test_every_page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

from playwright.sync_api import expect

from tests.browser.axe import THEMES, Theme, find_violations_in_theme
from tests.browser.game_server import SHORT, Player, begin
from tests.browser.pages.page_paths import visit


def test_axe_finds_no_violations_on_pages_of_a_game(person: Callable[..., Player]):
    """Check each page in one theme, alternating; tests/soak checks both."""
    check_pages_of_a_game(person, [(THEMES[0],), (THEMES[1],)])


def check_pages_of_a_game(person: Callable[..., Player], theme_cycle: Sequence[Sequence[Theme]]) -> None:
    ann, bo = person("Ann", bypass_csp=True), person("Bo")
    game = begin(ann, bo, options=SHORT)
    turns = cycle(theme_cycle)
    found: dict[str, list[str]] = {}
    for path in (f"/g/{game}/replay", f"/g/{game}/fairness", "/", "/me"):
        visit(ann, path)
        found[path] = [line for theme in next(turns) for line in find_violations_in_theme(ann.page, theme)]
    visit(ann, "/new")
    ann.page.locator("[data-more] > summary").click()
    expect(ann.page.locator("[data-more] fieldset, [data-more] [data-option]").first).to_be_visible()
    found["/new"] = [line for theme in next(turns) for line in find_violations_in_theme(ann.page, theme)]
    assert {path: lines for path, lines in found.items() if lines} == {}
