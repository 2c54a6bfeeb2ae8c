"""Accessibility and weight: no axe violations, large targets, a small page that contacts no other host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.axe import THEMES, Theme, find_violations_in_theme
from tests.browser.game_server import Player, begin, move_via_api

MAX_BYTES = 150_000


def open_running_table(
    person: Callable[..., Player], options: dict[str, Any], moves: int = 6, **context: Any
) -> Player:
    """Return a player whose turn it is in a running game of two."""
    ann, bo = person("Ann", **context), person("Bo")
    game = begin(ann, bo, options={"players": 2, **options})
    for _ in range(moves):
        assert move_via_api(ann) or move_via_api(bo)
    while not ann.state().get("choices"):
        move_via_api(bo)
    ann.open(game)
    expect(ann.page.locator(".place").first).to_be_visible()
    return ann


# One theme untouched, the other with everything open; tests/soak checks both themes in both states.
@pytest.mark.parametrize(
    ("preset", "themes"), [("tortuga", ("light", "dark")), ("complete", ("dark", "light"))]
)
def test_axe_finds_no_violations_at_a_running_table(
    person: Callable[..., Player], preset: str, themes: tuple[Theme, Theme]
) -> None:
    untouched, opened = themes
    check_running_table(person, preset, (untouched,), (opened,))


def check_running_table(
    person: Callable[..., Player], preset: str, untouched: Sequence[Theme], opened: Sequence[Theme]
) -> None:
    player = open_running_table(person, {"preset": preset}, bypass_csp=True)
    assert [line for theme in untouched for line in find_violations_in_theme(player.page, theme)] == []
    player.page.locator(".hand-card.playable, .place.is-source").first.click()
    player.page.locator(".table-menu > summary").click()
    assert [line for theme in opened for line in find_violations_in_theme(player.page, theme)] == []


def test_axe_finds_no_violations_before_the_start(person: Callable[..., Player]) -> None:
    host = person("Host", bypass_csp=True)
    host.open(host.create({"preset": "jamaica", "players": 3}))
    host.page.get_by_role("button", name="Sit here").first.click()
    expect(host.page.locator(".berth.mine")).to_be_visible()
    assert [line for theme in THEMES for line in find_violations_in_theme(host.page, theme)] == []


def test_page_is_small_and_contacts_no_other_host(person: Callable[..., Player]) -> None:
    assert_small_and_self_contained(person, ("en", "de", "fr"))


def assert_small_and_self_contained(person: Callable[..., Player], languages: Sequence[str]) -> None:
    """Check the page in these languages; tests/soak checks every language."""
    player = open_running_table(person, {"preset": "complete"})
    loaded: dict[str, int] = {}
    hosts: set[str] = set()
    session = player.context.new_cdp_session(player.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.on("Network.requestWillBeSent", lambda event: hosts.add(urlsplit(event["request"]["url"]).netloc))
    session.on(
        "Network.loadingFinished",
        lambda event: loaded.update({event["requestId"]: event["encodedDataLength"]}),
    )
    for language in languages:
        loaded.clear()
        player.page.goto(f"{player.url}/g/{player.game}?lang={language}", wait_until="networkidle")
        expect(player.page.locator(".place").first).to_be_visible()
        assert sum(loaded.values()) < MAX_BYTES, f"{sum(loaded.values())} bytes in {language}"
    assert hosts - {"", urlsplit(player.url).netloc} == set()


def test_touch_targets_are_large_enough(person: Callable[..., Player]) -> None:
    player = open_running_table(person, {"preset": "tortuga"}, phone=True)
    small = player.page.evaluate(
        """() => [...document.querySelectorAll("#table button, #table select, #table input, #table summary")]
          .filter((node) => node.offsetParent && !node.closest(".menu-body"))
          .map((node) => [node.className, node.getBoundingClientRect()])
          .filter(([, box]) => box.height < 43.5 || box.width < 43.5)
          .map(([name, box]) => `${name} ${Math.round(box.width)} x ${Math.round(box.height)}`)"""
    )
    assert small == []


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_mark_of_a_playable_card_does_not_cover_its_name(person: Callable[..., Player], phone: bool) -> None:
    player = open_running_table(person, {"preset": "tortuga"}, phone=phone)
    room = player.page.locator(".hand-card.playable").first.evaluate(
        """(card) => {
          const sign = getComputedStyle(card.querySelector(".stack"), "::after");
          const below = card.querySelector(".stack").getBoundingClientRect().bottom - parseFloat(sign.marginBottom);
          return card.querySelector(".hand-word").getBoundingClientRect().top - below;
        }"""
    )
    assert room >= 2


def test_screen_reader_announces_spaces_turns_and_events(person: Callable[..., Player]) -> None:
    player = open_running_table(person, {"preset": "jamaica", "first": 0}, moves=0)
    start = player.page.locator('[data-place="start"]')
    expect(start).to_have_attribute(
        "aria-label", "the prison, 12 pirates: 6 × red, 6 × blue; has a pirate you can move"
    )
    before = player.seq()
    assert move_via_api(player)
    player.wait_past(before)
    heard = player.page.locator('[role="status"].hidden').all_inner_texts()
    assert any("plays" in text and "from the prison to space" in text for text in heard)
