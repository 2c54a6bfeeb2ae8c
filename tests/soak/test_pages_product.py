"""The whole product: every page and every edition's table, in every language, by day and by lantern."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import rules
from app.web.i18n import LANGUAGES
from tests.browser.axe import THEMES, Theme, faults_everywhere
from tests.browser.pages.places import OF_GAMES, visit
from tests.browser.pages.test_axe import axe_about_a_game
from tests.browser.pages.test_every_page import ALL, REVIEWED, read, speak_and_fit
from tests.browser.pages.test_new import makes_its_table
from tests.browser.screen.test_big_screen import read_from_four_metres
from tests.browser.table.house import Player, begin
from tests.browser.table.test_for_everyone import axe_at_a_running_table, light_and_alone
from tests.browser.table.test_presets import PRESETS, play_by_pressing
from tests.i18n.test_catalogues import SAME

# Reviewed beyond the pages' list: names of keys and people, codes, and words that happen to be the same.
ON_A_TABLE = re.compile(
    r"Tab|Esc|Enter|Space|Home|End|Page ↑ ↓|[·← →↑↓]+|.*\b(Ann|Bo)\b.*|[0-9a-f]{12,}|\d+ × (pistol|rum)"
)


@pytest.fixture(scope="module")
def english() -> dict[str, set[str]]:
    return {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_in_every_language(
    person: Callable[..., Player], english: dict[str, set[str]], language: str
):
    speak_and_fit(person, english, language)


@pytest.mark.parametrize("place", ALL)
def test_axe_finds_nothing_on_any_page_in_both_themes_at_both_widths(
    person: Callable[..., Player], place: str
):
    ann = person("Ann", bypass_csp=True)
    visit(ann, OF_GAMES[place](person, ann) if place in OF_GAMES else place)
    assert faults_everywhere(ann.page) == []
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]


def test_axe_finds_nothing_about_a_game_in_both_themes(person: Callable[..., Player]):
    axe_about_a_game(person, [THEMES])


@pytest.mark.parametrize("preset", ["tortuga", "complete"])
def test_axe_finds_nothing_at_a_running_table_in_both_themes(person: Callable[..., Player], preset: str):
    axe_at_a_running_table(person, preset, THEMES, THEMES)


@pytest.mark.parametrize("preset", rules.PRESETS)
def test_every_edition_makes_a_table_as_it_lies_in_its_box(person: Callable[..., Player], preset: str):
    makes_its_table(person, preset)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_played_by_pressing(person: Callable[..., Player], preset: str):
    play_by_pressing(person, preset)


def test_the_table_is_light_in_every_language(person: Callable[..., Player]):
    light_and_alone(person, list(LANGUAGES))


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
            words = read(ann, path, language)
            wide = ann.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{path} of {preset} is {wide} px too wide in {language}"
            found = Axe().run(ann.page).response["violations"]
            assert [each["id"] for each in found] == [], (preset, path, language, theme)
            if language != "en" and theme == "light":  # a theme changes no word
                same = words & read(ann, path, "en")
                left = {
                    each
                    for each in same - SAME
                    if not REVIEWED.fullmatch(each) and not ON_A_TABLE.fullmatch(each)
                }
                assert left == set(), (preset, path)
        bo.act({"type": "resign"})


def test_a_screen_of_twice_the_size_is_read_from_four_metres_too(person: Callable[..., Player]) -> None:
    read_from_four_metres(person, 3840, 2160)
