"""Every page in every language: nothing overflows on a phone, nothing stays English, nothing complains."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.pages.places import every_place
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
    if (!outside) add(walker.currentNode.textContent);
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
    r"( · Cartagena)?|[\d\s×½–.,·()/:%+−±✓]*|SV|NB|NL|DE|FR|ES|IT|[A-Z]"
    r"|[A-Z][a-z]+ [0-9a-f]{6}(, [A-Z][a-z]+ [0-9a-f]{6})*"
    r"|Chrome on Linux|\d+ × place \d+|\d+ minutes?"
)


def visit(player: Player, path: str) -> None:
    """Go there and give its scripts the moment they need to ask and to draw."""
    player.page.goto(f"{player.url}{path}")
    player.page.wait_for_timeout(250)
    # a review is thought about for a while
    expect(player.page.locator("[data-review] [data-waiting]")).to_be_hidden(timeout=30_000)


def read(player: Player, place: str, language: str) -> set[str]:
    visit(player, f"{place}?lang={language}")
    return set(player.page.evaluate(READ))


@pytest.fixture(scope="module")
def english() -> dict[str, set[str]]:
    """The English words of each page, read once."""
    return {}


# The longest; the others are looked at in tests/soak.
@pytest.mark.parametrize("language", ["de"])
def test_pages_fit_a_phone_and_speak_the_language(
    person: Callable[..., Player], english: dict[str, set[str]], language: str
):
    speak_and_fit(person, english, language)


def speak_and_fit(person: Callable[..., Player], english: dict[str, set[str]], language: str) -> None:
    ann = person("Ann", viewport={"width": 390, "height": 844})
    left: dict[str, set[str]] = {}
    for place in every_place(person, ann):
        if place not in english:
            english[place] = read(ann, place, "en")
        words = read(ann, place, language)
        wide = ann.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{place} is {wide} px too wide in {language}"
        assert ann.page.locator("html").get_attribute("lang") == language
        if language != "en":
            same = {text for text in words & english[place] if not REVIEWED.fullmatch(text)}
            if same:
                left[place] = same
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert left == {}


def test_the_language_switch_is_kept(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.locator(".menu").first.locator("summary").click()
    ann.page.get_by_role("link", name="Nederlands").click()
    ann.page.goto(f"{ann.url}/rules")
    assert ann.page.locator("h1").inner_text() == "Het basisspel"


def test_pages_fit_at_twice_the_size(person: Callable[..., Player]):
    """200 % zoom on a laptop is a page half as wide with the same words."""
    ann = person("Ann", viewport={"width": 640, "height": 400}, device_scale_factor=2)
    for place in every_place(person, ann):
        read(ann, place, "de")
        assert ann.page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, place
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]


TARGETS = """() => [...document.querySelectorAll(
    "button, summary, select, .button, .places a, .brand, " +
    "input:not([type=checkbox], [type=radio], [type=file])")]
  .filter((node) => node.offsetParent && !node.closest("svg"))
  .map((node) => ({ box: node.getBoundingClientRect(), words: node.outerHTML.slice(0, 90) }))
  .filter(({ box }) => box.width > 1 && (box.height < 43.5 || box.width < 43.5))
  .map(({ words, box }) => `${words} ${Math.round(box.width)}×${Math.round(box.height)}`)"""


def test_whatever_is_pressed_is_large_enough_for_a_finger(person: Callable[..., Player]):
    ann = person("Ann", phone=True)
    small: dict[str, list[str]] = {}
    for place in every_place(person, ann):
        visit(ann, place)
        found = ann.page.evaluate(TARGETS)
        if found:
            small[place] = found
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert small == {}


def test_no_page_asks_another_host_for_anything(person: Callable[..., Player]):
    ann = person("Ann")
    asked: set[str] = set()
    ann.page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    for place in every_place(person, ann):
        visit(ann, place)
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert asked - {""} == {urlsplit(ann.url).netloc}
