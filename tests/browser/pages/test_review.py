"""The review page: the curve, the effects of luck and choices, and links into the replay."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api


def test_finished_game_has_a_review(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "supply": "deck"})
    for turn in range(30):
        if move_via_api((ann, bo)[turn % 2]) and turn > 20:
            break
    ann.page.goto(f"{ann.url}/g/{game}/review")
    expect(ann.page.locator("[data-problem]")).to_be_visible()
    bo.act({"type": "resign"})
    ann.page.goto(f"{ann.url}/g/{game}/review")
    curve = ann.page.get_by_role("slider")
    expect(curve).to_be_visible(timeout=30_000)
    expect(ann.page.locator(".review-curve .review-line")).to_have_count(2)
    expect(ann.page.locator("[data-sums] tr")).to_have_count(2)
    # The curve controls the board by keys and touch, and announces its values.
    curve.press("Home")
    expect(curve).to_have_attribute("aria-valuetext", "The start of the game.")
    expect(ann.page.locator(".arrow")).to_have_count(0)
    curve.press("ArrowRight")
    expect(curve).to_have_attribute("aria-valuenow", "1")
    expect(curve).to_have_attribute("aria-valuetext", re.compile(r"^Turn 1: .+, chance of winning: \d+%"))
    expect(ann.page.locator(".arrow.played")).not_to_have_count(0)
    box = curve.bounding_box()
    assert box is not None
    ann.page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 60)
    ann.page.mouse.down()
    last = curve.get_attribute("aria-valuemax") or ""
    expect(curve).to_have_attribute("aria-valuenow", last)
    ann.page.mouse.move(box["x"] + 50, box["y"] + 60)
    expect(curve).to_have_attribute("aria-valuenow", "0")
    ann.page.mouse.up()
    # Mistakes are listed first; each links to its turn, which shows the better turn beside the played one.
    mistakes = ann.page.locator("[data-mistakes] button")
    mistakes.first.click()
    expect(ann.page.locator("[data-turn]")).to_contain_text("Better by")
    expect(ann.page.locator(".board .arrow.better")).not_to_have_count(0)
    # A player's colour is used for that player only: nothing else on the curve is yellow.
    point = ann.page.locator(".review-curve .point")
    if point.count():
        yellow = ann.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--seat-2')")
        assert point.first.evaluate("e => getComputedStyle(e).fill") not in (yellow, "rgb(224, 169, 20)")
    ann.page.locator("[data-all]").check()
    first = ann.page.locator("[data-turns] li").first
    expect(first).to_contain_text("Turn 1")
    first.get_by_role("button").click()
    expect(curve).to_have_attribute("aria-valuenow", "1")
    ann.page.locator(".review-buttons").get_by_role("link", name="Replay").click()
    expect(ann.page).to_have_url(re.compile(rf"/g/{game}/replay\?step=0"))
    # And back: from a step of the replay to the turn it belongs to.
    review = ann.page.locator("[data-to-review]")
    expect(review).to_be_visible()
    ann.page.locator("[data-go=last]").click()
    expect(review).to_have_attribute("href", re.compile(rf"/g/{game}/review\?step=[1-9]"))
    review.click()
    expect(curve).to_have_attribute("aria-valuenow", last, timeout=30_000)


def test_turn_can_be_replayed_against_a_bot(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "hands": "hidden", "supply": "deck"})
    for _ in range(12):
        assert move_via_api(ann) or move_via_api(bo)
    bo.act({"type": "resign"})
    before = len(ann.api("GET", f"/games/{game}/record")["actions"])
    ann.page.goto(f"{ann.url}/g/{game}/review?step=0")
    ann.page.get_by_role("link", name="Play on from here").click()
    expect(ann.page).to_have_url(re.compile(rf"/g/{game}/try\?step=0"))
    expect(ann.page.locator(".status-words")).to_have_text("Your turn")
    expect(ann.page.locator(".log-line")).to_have_count(0)  # no game starts here
    note = ann.page.locator(".trial-note")
    expect(note).to_contain_text("nothing is saved")
    expect(note).to_have_css("display", "flex")  # with its style, which no other table loads
    # a move, taken back, and one that stands
    for attempt in range(2):
        ann.page.locator(".hand-card.playable").first.click()
        ann.page.locator(".is-source").first.click()
        if ann.page.locator(".choice").count():
            ann.page.locator(".choice").first.click()
        undo = ann.page.locator(".undo")
        expect(undo).to_be_visible()
        if attempt == 0:
            undo.click()
            expect(undo).to_be_hidden()
    ann.page.locator(".end-turn").click()
    ann.page.get_by_role("button", name=re.compile("Skip")).click()
    # the bot replies, and it is the player's turn again
    expect(ann.page.locator(".log-line").last).to_contain_text("is next")
    expect(ann.page.locator("#table")).to_have_attribute("data-mine", "true", timeout=30_000)
    assert len(ann.api("GET", f"/games/{game}/record")["actions"]) == before
    ann.page.get_by_role("link", name="Back to the review").click()
    expect(ann.page).to_have_url(re.compile(rf"/g/{game}/review\?step=0"))


def test_game_that_ends_before_a_players_first_turn_counts_and_praises_nothing(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 1})
    assert move_via_api(bo)
    bo.act({"type": "resign"})
    for player, count in ((bo, 1), (ann, 0)):
        player.open(game)
        with player.page.expect_response(lambda response: response.url.endswith("/seen")):
            player.page.reload()
        expect(player.page.locator(".ending")).to_be_visible()
        expect(player.page.locator(".ending-statistics")).to_have_count(count)
        player.page.goto(f"{player.url}/g/{game}/review")
        expect(player.page.get_by_role("slider")).to_be_visible(timeout=30_000)
        # No praise for turns that were not played.
        expect(player.page.locator(".review-mistakes")).to_be_visible(visible=count > 0)
