"""The layout with five players, clocks and spectators, and a browser without fonts or sound."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin

# Plates whose content overflows, and clocks that wrap.
CRAMPED_PLATES = """() => [...document.querySelectorAll(".plate")]
  .filter((plate) => plate.scrollWidth > plate.clientWidth + 1 || plate.querySelector(".plate-clock").offsetHeight > 26)
  .map((plate) => plate.innerText)"""


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_layout_fits_five_players_with_clocks(person: Callable[..., Player], phone: bool) -> None:
    ann = person("Ann", phone=phone)
    game = begin(
        ann,
        options={"preset": "tortuga", "players": 5, "first": 0},
        bots=["sailor"] * 4,
        clock={"kind": "turn", "seconds": 3600},
    )
    ann.open(game)
    expect(ann.page.locator(".plate")).to_have_count(5)
    expect(ann.page.locator(".plate-clock").first).not_to_be_empty()
    assert ann.page.evaluate(CRAMPED_PLATES) == []
    expect(ann.page.locator(".hand-card").first).to_be_in_viewport(ratio=1)
    ann.page.locator("#tab-chat").click()
    ann.page.locator(".chat-form input").fill("Ahoy!")
    ann.page.locator(".chat-form").scroll_into_view_if_needed()  # on a phone it lies below
    # tabs, lines and the field are there together
    for part in ("#tab-log", ".chat-form input", ".chat-form button"):
        expect(ann.page.locator(part)).to_be_in_viewport(ratio=1)
    height = ann.page.locator(".chat-lines").evaluate("lines => lines.clientHeight")
    assert height >= 40


def test_spectators_are_counted_while_they_watch(person: Callable[..., Player]) -> None:
    ann, bo, eve = person("Ann"), person("Bo"), person("Eve")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    count = ann.page.locator(".watching [aria-hidden]").last
    expect(ann.page.locator(".watching")).to_be_empty()
    eve.open(game)
    expect(count).to_have_text("1")
    eve.page.goto("about:blank")
    expect(ann.page.locator(".watching")).to_be_empty()


def test_game_is_playable_without_fonts_and_sound(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", fresh=True), person("Bo")
    ann.page.add_init_script("delete window.AudioContext; delete window.webkitAudioContext;")
    ann.page.route("**/*.woff2", lambda route: route.abort())
    game = begin(ann, bo, options={**SHORT, "first": 0})
    ann.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Sound is off").click()
    ann.page.keyboard.press("Escape")
    before = ann.seq()
    ann.page.locator(".hand-card.playable").first.click()
    ann.page.locator(".choice").first.click()
    ann.wait_past(before)
    # the console reports only the missing fonts
    ann.complaints[:] = [line for line in ann.complaints if "ERR_FAILED" not in line]


def test_focus_is_always_visible(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options={**SHORT, "first": 0}))
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    seen: list[str] = []
    for _ in range(14):
        ann.page.keyboard.press("Tab")
        unseen = ann.page.evaluate(
            """() => {
              const node = document.activeElement;
              const drawn = [node, ...node.querySelectorAll("*")].some((each) => {
                const { outlineStyle, outlineWidth, strokeWidth } = getComputedStyle(each);
                return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2)
                  || (each !== node && each.closest(".place") && parseFloat(strokeWidth) >= 10);
              });
              return drawn ? "" : node.outerHTML.slice(0, 80);
            }"""
        )
        seen.append(unseen)
    assert [each for each in seen if each] == []


UNREACHABLE = "The server cannot be reached. Check your connection and try again."


def test_commands_whose_module_could_not_be_loaded_say_so_and_work_later(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = ann.create({"preset": "tortuga", "players": 2})
    ann.command("sit")
    page = bo.page
    page.route("**/player_dialog.js*", lambda route: route.abort())
    page.route("**/identity.js*", lambda route: route.abort())
    bo.open(game)
    sit = page.get_by_role("button", name="Sit here")
    about = page.locator(".berth .person").first
    banner = page.locator(".flash .banner")
    for button in (sit, about):
        page.wait_for_function("() => !document.querySelector('.flash .banner')")
        button.click()
        expect(banner).to_have_text(UNREACHABLE)
    page.unroute_all()
    bo.complaints.clear()
    about.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    sit.click()
    expect(page.locator(".berth.mine")).to_be_visible()


def test_seating_that_could_not_be_loaded_appears_later(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    game = ann.create({"preset": "tortuga", "players": 2})
    ann.page.route("**/seating.js*", lambda route: route.abort())
    ann.page.goto(f"{ann.url}/g/{game}")
    expect(ann.page.locator(".flash .banner")).to_have_text(UNREACHABLE)
    ann.page.unroute_all()
    ann.complaints.clear()
    expect(ann.page.locator('#table[data-phase="before"] .berth').first).to_be_visible()
