"""Every page in every language: nothing overflows on a phone, nothing stays English, nothing complains."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from tests.browser.axe import DRAWN, PAIRS, faults_on
from tests.browser.pages.places import OF_GAMES, PLACES, every_place, in_language, visit
from tests.browser.table.house import Player

# What people read: text that is drawn, and the words that stand in attributes.
READ = """() => {
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
REVIEWED = re.compile(
    r"(Cartagena|Jamaica|Tortuga|Hispaniola|Morgan|OpenAPI|https://|QR|Filter|Scenario|Rum|Pistol|Account|Name"
    r"|Replay|Passage|Jungle|Pirates|Actions|Modules|Open|Chat|Webhook|online|Password|Places|Pause|JSON)"
    r"( · Cartagena)?|[\d\s×½–.,·()/:%+−±✓▼]*|SV|NB|NL|DE|FR|ES|IT|[A-Z]"
    r"|[A-Z][a-z]+ [0-9a-f]{6}(, [A-Z][a-z]+ [0-9a-f]{6})*"
    r"|Chrome on Linux|\d+ × place \d+|\d+ minutes?"
)


def read(player: Player, place: str, language: str) -> set[str]:
    visit(player, in_language(place, language))
    return set(player.page.evaluate(READ))


# 200 % zoom on a laptop is a page half as wide with the same words.
SCREENS = ((640, 400), (390, 844))


def too_wide(player: Player, language: str) -> list[str]:
    """What sticks out sideways at twice the size and on a phone, as wide as which the page is left."""
    found: list[str] = []
    for width, height in SCREENS:
        player.page.set_viewport_size({"width": width, "height": height})
        player.page.evaluate(DRAWN)
        # against the width that was asked for: a phone shows a page that is too wide by making it smaller
        wide = int(player.page.evaluate("document.documentElement.scrollWidth")) - width
        if wide > 0:
            found.append(f"in {language}: {wide} px too wide at {width}")
    return found


def speak_and_fit(person: Callable[..., Player], english: dict[str, set[str]], language: str) -> None:
    """Every page in one language, on a phone; `english` keeps the English words from one call to the next."""
    ann = person("Ann", viewport={"width": 390, "height": 844})
    left: dict[str, set[str]] = {}
    for place in every_place(person, ann):
        if place not in english:
            english[place] = read(ann, place, "en")
        words = read(ann, place, language)
        assert too_wide(ann, language) == [], place
        assert ann.page.locator("html").get_attribute("lang") == language
        if language != "en":
            same = {text for text in words & english[place] if not REVIEWED.fullmatch(text)}
            if same:
                left[place] = same
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert left == {}


TARGETS = """() => [...document.querySelectorAll(
    "button, summary, select, .button, .places a, .brand, " +
    "input:not([type=checkbox], [type=radio], [type=file])")]
  .filter((node) => node.offsetParent && !node.closest("svg"))
  .map((node) => ({ box: node.getBoundingClientRect(), words: node.outerHTML.slice(0, 90) }))
  .filter(({ box }) => box.width > 1 && (box.height < 43.5 || box.width < 43.5))
  .map(({ words, box }) => `${words} ${Math.round(box.width)}×${Math.round(box.height)}`)"""


ALL = (*PLACES, *OF_GAMES)
FEW = [ALL[at : at + 3] for at in range(0, len(ALL), 3)]


@pytest.mark.parametrize("places", FEW, ids=lambda places: places[0])
def test_a_page_is_for_everyone(person: Callable[..., Player], places: tuple[str, ...]):
    """By axe on a screen by day or on a phone by lantern; its words in one of the two longest languages, its width
    on a phone and at twice the size, and large enough for a finger; and nobody else is asked for anything.

    From page to page the screen and the language change; each page in all of them is in tests/soak.
    """
    ann = person("Ann", bypass_csp=True)
    thumb = person("Thumb", phone=True)
    asked: set[str] = set()
    for each in (ann, thumb):
        each.page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    found: list[str] = []
    for place in places:
        path = OF_GAMES[place](person, ann) if place in OF_GAMES else place
        turn = ALL.index(place)
        english = read(ann, path, "en")
        found += [f"{place}, {line}" for line in faults_on(ann.page, *PAIRS[turn % 2])]
        language = ("de", "fr")[turn // 2 % 2]  # so that either language meets either screen
        words = read(thumb, path, language)
        assert thumb.page.locator("html").get_attribute("lang") == language
        found += [
            f"{place} in {language}: {text}" for text in words & english if not REVIEWED.fullmatch(text)
        ]
        found += [f"{place} {line}" for line in too_wide(thumb, language)]
        found += [f"{place} for a finger: {line}" for line in thumb.page.evaluate(TARGETS)]
    for each in (ann, thumb):
        each.complaints[:] = [line for line in each.complaints if "404" not in line]
    assert found == []
    assert asked - {""} == {urlsplit(ann.url).netloc}


def test_the_language_switch_is_kept(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.locator(".menu").first.locator("summary").click()
    ann.page.get_by_role("link", name="Nederlands").click()
    ann.page.goto(f"{ann.url}/rules")
    assert ann.page.locator("h1").inner_text() == "Het basisspel"
