"""The analysis board and its set-up: every seat is played, the best turns are listed, and the link follows."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.pages.page_paths import MIDGAME_CODE


def test_every_seat_is_played_and_the_link_follows(person: Callable[..., Player]):
    ann = person("Ann")
    page = ann.page
    held: list[Route] = []
    page.route("**/analysis/evaluate", lambda route: route.continue_() if held else held.append(route))
    page.goto(f"{ann.url}/analysis?p={MIDGAME_CODE}")
    best = page.locator(".best-turn")
    # while there are no chances to see, words say that the server searches
    expect(page.locator(".analysis-note")).to_have_text("Searching for the best turns…")
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    expect(best).to_have_count(3, timeout=60_000)
    expect(page.locator(".analysis-note")).to_be_empty()
    expect(page.locator("[data-chances] li")).to_have_count(3)
    turn_of = page.locator("[data-turn-of]")
    seat = turn_of.input_value()
    undo = page.locator(".undo")
    expect(undo).to_be_hidden()
    page.locator("[data-best-turns]").evaluate("details => { details.open = true }")
    # a second click is dropped, and one undo takes back the whole turn
    lines: list[str] = []
    page.on("request", lambda request: lines.append(request.url) if request.url.endswith("/play") else None)
    best.first.evaluate("button => { button.click(); button.click(); }")
    expect(turn_of).not_to_have_value(seat, timeout=30_000)
    assert len(lines) == 1
    undo.evaluate("button => { button.click(); button.click(); }")
    expect(turn_of).to_have_value(seat)
    expect(undo).to_be_hidden()
    expect(page.locator(".is-thinking")).to_have_count(0, timeout=60_000)
    # a click that does nothing is explained; the reason depends on the hand after the undo
    page.locator("[data-place='36']").click()
    expect(page.locator(".why-note:not(.lesson)")).to_be_visible()
    expect(page.locator(".why-note:not(.lesson)")).to_have_text(re.compile(r"^[A-Z].*\.$"))
    best.first.click()
    # the turn is played to its end, and the next seat plays
    expect(turn_of).not_to_have_value(seat, timeout=30_000)
    expect(page).not_to_have_url(re.compile(re.escape(MIDGAME_CODE)))
    expect(page.locator("#table")).to_have_attribute("data-mine", "true")
    expect(best.first).to_be_attached(timeout=60_000)
    # the address is a link to the position on screen
    second = turn_of.input_value()
    page.reload()
    expect(turn_of).to_have_value(second)
    expect(undo).to_be_hidden()
    # another seat's turn, taken back
    turn_of.select_option(seat)
    expect(page.locator(".plate.in-turn.own")).to_have_attribute("data-key", seat)
    undo.click()
    expect(turn_of).to_have_value(second)
    expect(undo).to_be_hidden()
    # what cannot be read is refused in words
    page.goto(f"{ann.url}/analysis?p=1~nonsense")
    expect(page.locator(".analysis-note")).not_to_be_empty()
    ann.complaints.clear()


def test_a_position_is_set_up_by_hand(person: Callable[..., Player]):
    ann = person("Ann")
    page = ann.page
    page.goto(f"{ann.url}/analysis")
    expect(page.locator("[data-piles] li")).to_have_count(4)
    page.get_by_label("Edition").select_option("jamaica")
    page.get_by_role("button", name="Start from the beginning").click()
    expect(page.locator("[data-piles] li")).to_have_count(3)  # no row
    page.locator("[data-board] [data-place=start]").click()
    page.locator("[data-board] [data-place='7']").click()
    cards = page.locator("[data-piles] li").first.locator(".setup-cards button")
    expect(cards).to_have_count(6)
    cards.last.press("Enter")
    expect(cards).to_have_count(5)
    expect(cards.last).to_be_focused()
    palette = page.locator("[data-palette] button").last
    for count in (6, 7):
        palette.press("Enter")
        expect(cards).to_have_count(count)
        expect(palette).to_be_focused()
    page.get_by_text("Boards", exact=True).click()
    space = page.get_by_label("space 1", exact=True)
    symbol = space.input_value()
    space.focus()
    page.keyboard.press("ArrowDown" if space.evaluate("field => field.selectedIndex") == 0 else "ArrowUp")
    expect(space).not_to_have_value(symbol)
    expect(space).to_be_focused()
    page.locator("[data-turn]").select_option("1")
    # three more pirates on the space are too many, and the page says where
    for _ in range(3):
        page.locator("[data-board] [data-place=start]").click()
        page.locator("[data-board] [data-place='7']").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(page.locator("[data-problem]")).to_contain_text("more than three pirates on space 7")
    ann.complaints.clear()
    page.locator("[data-board] [data-place='7']").click()
    page.locator("[data-board] [data-place='8']").click()
    page.get_by_role("button", name="Analyse this position").click()
    expect(page).to_have_url(re.compile(r"/analysis\?p=1~jamaica\.2~"))
    expect(page.locator("[data-turn-of]")).to_have_value("1")
    expect(page.locator("[data-place='7']")).to_have_attribute("aria-label", re.compile("red"))
    # and back to the editor, with the same position
    page.get_by_role("link", name="Set up the board").click()
    expect(cards).to_have_count(7)


def test_review_and_replay_lead_to_the_analysis(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "supply": "deck"})
    for _ in range(12):
        assert move_via_api(ann) or move_via_api(bo)
    page = ann.page
    page.goto(f"{ann.url}/g/{game}/replay")
    analyse = page.get_by_role("button", name="Analyse this position")
    expect(page.locator("[data-stage]")).to_be_visible()
    expect(analyse).to_be_hidden()  # the game is still running
    bo.act({"type": "resign"})
    page.goto(f"{ann.url}/g/{game}/replay?step=3")
    analyse.click()
    expect(page).to_have_url(re.compile(r"/analysis\?p=1~tortuga"))
    expect(page.locator(".plate")).to_have_count(2)
    page.goto(f"{ann.url}/g/{game}/review?step=0")
    analyse.click(timeout=30_000)
    expect(page).to_have_url(re.compile(r"/analysis\?p=1~tortuga"))
    expect(page.locator("#table")).to_have_attribute("data-mine", "true")


def test_menu_leads_to_no_big_screen_of_an_analysis(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/analysis?p={MIDGAME_CODE}")
    expect(ann.page.locator("#table")).to_have_attribute("data-mine", "true")
    ann.page.locator(".table-menu summary").click()
    screen = ann.page.locator(".table-menu a[href$='/screen']")
    expect(screen).to_be_attached()
    expect(screen).to_be_hidden()
