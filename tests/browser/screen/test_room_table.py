"""A table for one room: the board on the television, the hands on the phones."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import Player, begin

TELEVISION = {"width": 1920, "height": 1080}
HIDDEN = {"preset": "jamaica", "players": 2, "first": 0}


def scan(phone: Player, television: Player) -> str:
    """Open the link of the QR code on the screen; return the game's id."""
    game = television.page.url.split("/")[-2]
    source = television.page.locator(".scan-code").get_attribute("src") or ""
    phone.game = game
    phone.page.goto(f"{phone.url}/g/{game}{source.removeprefix(f'/qr/g/{game}.svg')}")
    return game


def height(player: Player, selector: str) -> float:
    box = player.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["height"]


def test_one_click_creates_a_room_table_that_starts_when_two_phones_are_ready(
    person: Callable[..., Player],
) -> None:
    television = person(None, viewport=TELEVISION)
    television.page.goto(television.url)
    television.page.get_by_role("button", name="Play on a TV").click()
    television.page.wait_for_url("**/screen")
    expect(television.page.locator(".gathering .berth.free")).to_have_count(5)
    phones = [person(None, phone=True) for _ in range(2)]
    for phone, name in zip(phones, ("Ann", "Bo"), strict=True):
        scan(phone, television)
        phone.page.get_by_label("Your name at the table").fill(f"{name} {id(phone) % 10**6}")
        phone.page.get_by_role("button", name="Sit here").first.click()
        expect(phone.page.get_by_role("button", name="I'm ready")).to_be_visible()
    expect(television.page.locator(".gathering .berth.free")).to_have_count(3)
    expect(
        television.page.get_by_text("The game starts when everyone at the table is ready.")
    ).to_be_visible()
    expect(phones[1].page.get_by_text("The game starts when everyone at the table is ready.")).to_be_visible()
    phones[0].page.get_by_role("button", name="I'm ready").click()
    expect(television.page.locator(".berth-ready.yes")).to_have_count(1)
    expect(television.page.locator("[data-begins]")).to_have_count(0)
    phones[1].page.get_by_role("button", name="I'm ready").click()
    expect(television.page.locator("[data-begins]")).to_be_visible()
    expect(television.page.locator("#screen[data-phase=running]")).to_be_visible()
    for phone in phones:
        expect(phone.page.locator("body.hand-layout #table[data-phase=running]")).to_be_visible()
        expect(phone.page.locator(".hand-card").first).to_be_visible()
        assert "hand=1" not in phone.page.url
    table = phones[0].state()["table"]
    assert [seat["bot"] for seat in table["seats"]] == [None, None]
    assert table["visibility"] == "unlisted"
    # the television's own session has no seat
    television.game = table["id"]
    assert television.state()["you"]["seat"] is None


def test_options_can_be_chosen_for_a_room_table(person: Callable[..., Player]) -> None:
    television = person(None, viewport=TELEVISION)
    television.page.goto(television.url)
    television.page.get_by_role("link", name="Choose your own rules").last.click()
    expect(television.page.get_by_role("heading", name="A table for this room")).to_be_visible()
    television.page.locator('input[name="preset"][value="tortuga"]').check(force=True)
    television.page.locator('input[name="players"][value="4"]').check(force=True)
    television.page.locator('input[name="bots"][value="1"]').check(force=True)
    television.page.get_by_role("button", name="Create the table").click()
    television.page.wait_for_url("**/screen")
    expect(television.page.locator(".gather-title")).to_have_text("Tortuga")
    expect(television.page.locator(".gathering .berth")).to_have_count(4)
    expect(television.page.locator(".gathering .berth.free")).to_have_count(3)


def test_hand_layout_has_large_cards_and_a_small_usable_board(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    game = begin(ann, bo, options=HIDDEN)
    ann.open(game)
    card, map_box = ".hand-card .card", ".map"
    expect(ann.page.locator(card).first).to_be_visible()
    plain = [height(ann, each) for each in (card, map_box)]
    ann.page.goto(f"{ann.url}/g/{game}?hand=1")
    expect(ann.page.locator("body.hand-layout")).to_be_visible()
    expect(ann.page.locator(card).first).to_be_visible()
    large = [height(ann, each) for each in (card, map_box)]
    assert large[0] > 1.7 * plain[0]
    assert large[1] < 0.75 * plain[1]
    assert ann.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    # play a card by clicking its target on the small board
    seq = ann.seq()
    ann.page.locator(".hand-card.playable").first.click()
    target = ann.page.locator(".place.is-target").first
    expect(target).to_be_visible()
    box = target.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24  # WCAG 2.5.8
    target.click()
    ann.wait_past(seq)
    assert ann.state()["view"]["turn"]["taken"] == 1


def test_chosen_layout_is_remembered(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    game = begin(ann, bo, options=HIDDEN)

    def choose(words: str) -> None:
        ann.page.locator(".table-menu > summary").click()
        ann.page.get_by_role("button", name=words).click()

    ann.page.goto(f"{ann.url}/g/{game}?hand=1")
    expect(ann.page.locator("body.hand-layout")).to_be_visible()
    ann.page.reload()  # the layout is no longer in the URL, but stored in the browser
    expect(ann.page.locator("body.hand-layout")).to_be_visible()
    choose("Use the usual layout")
    expect(ann.page.locator("body:not(.hand-layout)")).to_be_visible()
    ann.page.reload()
    expect(ann.page.locator(".hand-card").first).to_be_visible()
    expect(ann.page.locator("body")).not_to_have_class(re.compile("hand-layout"))
    choose("Use large cards and a small board")
    expect(ann.page.locator("body.hand-layout")).to_be_visible()
    # and so is the table of the rematch
    bo.act({"type": "resign"})
    ann.page.get_by_role("button", name="Rematch").click()
    ann.page.wait_for_url(lambda url: game not in url)
    expect(ann.page.locator("body.hand-layout")).to_be_visible()
