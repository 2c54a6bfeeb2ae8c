"""Every page in every language: no overflow on a phone, no untranslated text, no errors in the console."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.browser.axe import FINISH_ANIMATIONS, WIDTH_THEME_PAIRS, find_violations_at
from tests.browser.game_server import Player
from tests.browser.pages.page_paths import GAME_PAGES, PAGE_PATHS, all_page_paths, visit, with_language

# Visible text, and text in attributes.
VISIBLE_TEXT = """() => {
  const words = new Set();
  const add = (text) => {
    const clean = (text ?? "").replace(/\\s+/g, " ").trim();
    if (clean) words.add(clean);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    const outside = parent.closest("script, style, noscript, code, [lang]:not(html)");
    const byPeople = parent.matches(".table-name, .table-people"); // titles and names in the lobby
    if (!outside && !byPeople) add(walker.currentNode.textContent);
  }
  for (const node of document.querySelectorAll("[aria-label]")) add(node.getAttribute("aria-label"));
  for (const node of document.querySelectorAll("[placeholder]")) add(node.getAttribute("placeholder"));
  for (const node of document.querySelectorAll("[title]")) add(node.getAttribute("title"));
  add(document.title);
  return [...words];
}"""

# Reviewed: names, figures and words that are the same in one of the languages.
REVIEWED_SAME_TEXTS = re.compile(
    r"(Cartagena|Jamaica|Tortuga|Hispaniola|Morgan|OpenAPI|https://|QR|Filter|Scenario|Rum|Pistol|Account|Name"
    r"|Replay|Passage|Jungle|Pirates|Actions|Modules|Open|Chat|Webhook|online|offline|Password|Places|Pause|JSON"
    r"|Notifications|Table|normal|Ratings?)"
    r"( · Cartagena)?|[\d\s×½–.,·()/:%+−±✓▼]*|SV|NB|NL|DE|FR|ES|IT|[A-Z]"
    r"|[A-Z][a-z]+ [0-9a-f]{6}(, [A-Z][a-z]+ [0-9a-f]{6})*"
    r"|Chrome on Linux|\d+ × rank \d+|\d+ minutes?|\d+ points?"
)


def read_visible_text(player: Player, place: str, language: str) -> set[str]:
    visit(player, with_language(place, language))
    return set(player.page.evaluate(VISIBLE_TEXT))


# 200 % zoom on a laptop is a page half as wide with the same words.
SCREENS = ((640, 400), (390, 844))


def find_overflow(player: Player, language: str) -> list[str]:
    """Return what overflows sideways at 200 % zoom and on a phone; the page keeps the phone's width."""
    found: list[str] = []
    for width, height in SCREENS:
        player.page.set_viewport_size({"width": width, "height": height})
        player.page.evaluate(FINISH_ANIMATIONS)
        # compared with the requested width: a phone zooms out when a page is too wide
        wide = int(player.page.evaluate("document.documentElement.scrollWidth")) - width
        if wide > 0:
            found.append(f"in {language}: {wide} px too wide at {width}")
    return found


def assert_translated_and_fitting(
    person: Callable[..., Player], english: dict[str, set[str]], language: str
) -> None:
    """Check every page in one language on a phone; `english` caches the English words between calls."""
    ann = person("Ann", viewport={"width": 390, "height": 844})
    left: dict[str, set[str]] = {}
    for place in all_page_paths(person, ann):
        if place not in english:
            english[place] = read_visible_text(ann, place, "en")
        words = read_visible_text(ann, place, language)
        assert find_overflow(ann, language) == [], place
        assert ann.page.locator("html").get_attribute("lang") == language
        if language != "en":
            same = {text for text in words & english[place] if not REVIEWED_SAME_TEXTS.fullmatch(text)}
            if same:
                left[place] = same
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert left == {}


SMALL_TARGETS = """() => [...document.querySelectorAll(
    "button, summary, select, .button, .places a, .brand, " +
    "input:not([type=checkbox], [type=radio], [type=file])")]
  .filter((node) => node.offsetParent && !node.closest("svg"))
  .map((node) => ({ box: node.getBoundingClientRect(), words: node.outerHTML.slice(0, 90) }))
  .filter(({ box }) => box.width > 1 && (box.height < 43.5 || box.width < 43.5))
  .map(({ words, box }) => `${words} ${Math.round(box.width)}×${Math.round(box.height)}`)"""


ALL_PAGES = (*PAGE_PATHS, *GAME_PAGES)
PAGE_BATCHES = [ALL_PAGES[at : at + 3] for at in range(0, len(ALL_PAGES), 3)]


@pytest.mark.parametrize("places", PAGE_BATCHES, ids=lambda places: places[0])
def test_page_is_accessible_translated_and_fits(person: Callable[..., Player], places: tuple[str, ...]):
    """Check pages with axe, their translation, their width on a phone and at 200 % zoom, and the size of targets.

    They must not contact another host. Screen and language alternate from page to page; tests/soak checks every page
    in all combinations.
    """
    ann = person("Ann", bypass_csp=True)
    thumb = person("Thumb", phone=True)
    asked: set[str] = set()
    for each in (ann, thumb):
        each.page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    found: list[str] = []
    for place in places:
        path = GAME_PAGES[place](person, ann) if place in GAME_PAGES else place
        turn = ALL_PAGES.index(place)
        english = read_visible_text(ann, path, "en")
        found += [f"{place}, {line}" for line in find_violations_at(ann.page, *WIDTH_THEME_PAIRS[turn % 2])]
        language = ("de", "fr")[turn // 2 % 2]  # so that each language is checked on each screen
        words = read_visible_text(thumb, path, language)
        assert thumb.page.locator("html").get_attribute("lang") == language
        found += [
            f"{place} in {language}: {text}"
            for text in words & english
            if not REVIEWED_SAME_TEXTS.fullmatch(text)
        ]
        found += [f"{place} {line}" for line in find_overflow(thumb, language)]
        found += [f"{place} for a finger: {line}" for line in thumb.page.evaluate(SMALL_TARGETS)]
    for each in (ann, thumb):
        each.complaints[:] = [line for line in each.complaints if "404" not in line]
    assert found == []
    assert asked - {""} == {urlsplit(ann.url).netloc}


def test_chosen_language_is_remembered(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.locator(".menu").first.locator("summary").click()
    ann.page.get_by_role("link", name="Nederlands").click()
    ann.page.goto(f"{ann.url}/rules")
    assert ann.page.locator("h1").inner_text() == "Het basisspel"
