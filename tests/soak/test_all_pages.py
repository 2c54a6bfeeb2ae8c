"""Every page and every edition's table, in every language and both themes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import rules
from app.web.i18n import LANGUAGES
from tests.browser.axe import THEMES, Theme, find_all_violations
from tests.browser.game_server import Player, begin
from tests.browser.pages.page_paths import GAME_PAGES, visit
from tests.browser.pages.test_axe import check_pages_of_a_game
from tests.browser.pages.test_every_page import (
    ALL_PAGES,
    REVIEWED_SAME_TEXTS,
    assert_translated_and_fitting,
    read_visible_text,
)
from tests.browser.pages.test_new_table import assert_edition_creates_table
from tests.browser.screen.test_big_screen import assert_readable_from_four_metres
from tests.browser.table.test_accessibility import assert_small_and_self_contained, check_running_table
from tests.browser.table.test_presets import PRESETS, play_by_clicks
from tests.i18n.test_catalogues import SAME_AS_ENGLISH

# Reviewed in addition to the pages' list: names of keys and people, codes, and words equal in both languages.
REVIEWED_TABLE_TEXTS = re.compile(
    r"Tab|Esc|Enter|Space|Home|End|Page ↑ ↓|[·← →↑↓]+|.*\b(Ann|Bo)\b.*|[0-9a-f]{12,}|\d+ × (pistol|rum)"
)


@pytest.fixture(scope="module")
def english() -> dict[str, set[str]]:
    return {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_in_every_language(
    person: Callable[..., Player], english: dict[str, set[str]], language: str
):
    assert_translated_and_fitting(person, english, language)


@pytest.mark.parametrize("place", ALL_PAGES)
def test_axe_finds_no_violations_on_any_page_in_both_themes_at_both_widths(
    person: Callable[..., Player], place: str
):
    ann = person("Ann", bypass_csp=True)
    visit(ann, GAME_PAGES[place](person, ann) if place in GAME_PAGES else place)
    assert find_all_violations(ann.page) == []
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]


def test_axe_finds_no_violations_on_pages_of_a_game_in_both_themes(person: Callable[..., Player]):
    check_pages_of_a_game(person, [THEMES])


@pytest.mark.parametrize("preset", ["tortuga", "complete"])
def test_axe_finds_no_violations_at_a_running_table_in_both_themes(
    person: Callable[..., Player], preset: str
):
    check_running_table(person, preset, THEMES, THEMES)


@pytest.mark.parametrize("preset", rules.PRESETS)
def test_every_edition_creates_a_table_with_its_options(person: Callable[..., Player], preset: str):
    assert_edition_creates_table(person, preset)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_played_by_clicks(person: Callable[..., Player], preset: str):
    play_by_clicks(person, preset)


def test_table_page_is_small_in_every_language(person: Callable[..., Player]):
    assert_small_and_self_contained(person, list(LANGUAGES))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edition_in_every_language_and_theme(
    person: Callable[..., Player], language: str, theme: Theme
):
    """The table before and after the start, its replay and its fairness page."""
    view = {"width": 390, "height": 844}
    ann, bo = person("Ann", color_scheme=theme, viewport=view, bypass_csp=True), person("Bo")
    for preset in rules.PRESETS:
        waiting = ann.create({"preset": preset, "players": 2})
        running = begin(ann, bo, options={"preset": preset, "players": 2})
        for path in (f"/g/{waiting}", f"/g/{running}", f"/g/{running}/replay", f"/g/{running}/fairness"):
            words = read_visible_text(ann, path, language)
            wide = ann.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{path} of {preset} is {wide} px too wide in {language}"
            found = Axe().run(ann.page).response["violations"]
            assert [each["id"] for each in found] == [], (preset, path, language, theme)
            if language != "en" and theme == "light":  # a theme changes no word
                same = words & read_visible_text(ann, path, "en")
                left = {
                    each
                    for each in same - SAME_AS_ENGLISH
                    if not REVIEWED_SAME_TEXTS.fullmatch(each) and not REVIEWED_TABLE_TEXTS.fullmatch(each)
                }
                assert left == set(), (preset, path)
        bo.act({"type": "resign"})


def test_screen_of_twice_the_size_is_readable_from_four_metres(person: Callable[..., Player]) -> None:
    assert_readable_from_four_metres(person, 3840, 2160)
