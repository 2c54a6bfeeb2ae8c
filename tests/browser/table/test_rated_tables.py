"""Rated tables: accounts only, said before the start, numbers on the plates, changes on the end card."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin

PLATES_OVERFLOW = """() => [...document.querySelectorAll(".plate")].flatMap((plate) => {
  const box = plate.getBoundingClientRect();
  return [...plate.querySelectorAll(".fact-rating, .fact-number")]
    .map((node) => node.getBoundingClientRect())
    .filter(({left, right, bottom}) => left < box.left || right > box.right || bottom > box.bottom)
    .map(({left, right, bottom}) => `${left} ${right} ${bottom} outside ${box.left} ${box.right} ${box.bottom}`);
})"""


def account(person: Callable[..., Player], name: str, **options: object) -> Player:
    player = person(name, **options)
    player.register()
    return player


def test_guest_is_led_to_an_account_and_back_to_the_table(person: Callable[..., Player]):
    ann, gus = account(person, "Ann"), person("Gus")
    game = ann.create({"preset": "jamaica", "players": 3}, rated=True)
    ann.command("sit")
    ann.open(game)
    note = ann.page.locator(".seating-rated")
    expect(note).to_contain_text("Rated: Three to five players, hidden hands.")
    expect(note).to_contain_text("With fewer than two people, this game won't be rated.")
    expect(ann.page.locator(".invite")).to_contain_text("Anyone with this link and an account can join.")
    gus.open(game)
    gus.page.get_by_role("button", name="Sit here").first.click()
    dialog = gus.page.get_by_role("dialog")
    expect(dialog).to_contain_text("This table is rated. Log in or create an account to sit down.")
    dialog.get_by_role("button", name="Not now").click()
    expect(dialog).to_have_count(0)
    assert gus.state()["you"]["seat"] is None
    gus.page.get_by_role("button", name="Sit here").first.click()
    dialog.get_by_role("link", name="Log in or register").click()
    form = gus.page.locator('[data-form="/account/register"]')
    form.get_by_label("Password").fill("four quiet otters")
    form.get_by_role("button", name="Register").click()
    gus.page.get_by_role("button", name="I have saved them").click()
    gus.page.wait_for_url(re.compile(f"/g/{game}$"))
    gus.page.get_by_role("button", name="Sit here").first.click()
    expect(gus.page.get_by_role("button", name="I'm ready")).to_be_visible()
    expect(note).not_to_contain_text("won't be rated")
    # Two people and no third: the game would be one of two.
    expect(note).to_contain_text("Rated: Two players, hidden hands.")


def test_visitor_without_a_name_becomes_no_guest_for_a_rated_table(person: Callable[..., Player]):
    ann, nobody = account(person, "Ann"), person(None)
    game = ann.create({"preset": "jamaica", "players": 3}, rated=True)
    nobody.open(game)
    nobody.page.get_by_role("button", name="Sit here").first.click()
    expect(nobody.page.get_by_role("dialog")).to_contain_text("This table is rated.")
    assert nobody.api("GET", "/me")["person"] is None


def test_changes_of_a_rated_game_are_shown_when_it_is_counted(person: Callable[..., Player]):
    ann, bo, cy = account(person, "Ann"), account(person, "Bo"), person("Cy")
    game = begin(ann, bo, options={**SHORT, "first": 0}, rated=True)
    cy.api("POST", "/me/ratings", {"hides_ratings": True, "withheld": False})
    for player in (ann, cy):
        player.open(game)
    ratings = ann.page.locator(".plate .fact-rating")
    expect(ratings.filter(has_text="1500?")).to_have_count(2)
    expect(ratings.first).to_contain_text("Rating 1500, still uncertain")
    # Neither hints nor their switch, also in a newcomer's first games.
    ann.page.locator(".status-menu summary").click()
    expect(ann.page.get_by_role("button", name="Resign")).to_be_visible()
    expect(ann.page.locator(".menu-item:visible", has_text=re.compile("hint", re.IGNORECASE))).to_have_count(
        0
    )
    ann.page.get_by_text("The rules of this table").click()
    expect(ann.page.locator(".menu-terms")).to_contain_text("This game is rated: Two players, open hands.")
    ann.page.keyboard.press("Escape")
    expect(ann.page.locator(".ask-hint")).to_be_hidden()
    bo.act({"type": "resign"})
    changes = ann.page.locator(".ranking-change")
    expect(changes.first).to_contain_text(re.compile(r"15\d\d\?, \+\d\d"))
    expect(changes.last).to_contain_text(re.compile(r"14\d\d\?, −\d\d"))
    expect(ann.page.locator(".rating-note")).to_be_empty()
    # Somebody who hides ratings sees none, neither on the plates nor on the card.
    expect(cy.page.locator(".ending .ranking li")).to_have_count(2)
    expect(cy.page.locator(".ranking-change")).to_have_count(0)
    expect(cy.page.locator("#table")).not_to_contain_text(re.compile(r"1[45]\d\d\?"))


def test_ratings_of_five_players_fit_their_plates(person: Callable[..., Player]):
    players = [account(person, name) for name in ("Ann", "Bartholomew", "Cy", "Dorothea", "Edward")]
    game = begin(*players, options={"preset": "jamaica", "players": 5, "first": 0}, rated=True)
    ann = players[0]
    ann.page.set_viewport_size({"width": 390, "height": 844})
    ann.page.goto(f"{ann.url}/rules")
    # The numbers come late, and nothing moves for them.
    ann.page.route("**/seat-ratings", lambda route: None)
    ann.open(game)
    before = ann.page.locator(".map").bounding_box()
    ann.page.unroute("**/seat-ratings")
    ann.open(game)
    expect(ann.page.locator(".fact-rating", has_text="1500?")).to_have_count(5)
    assert ann.page.locator(".map").bounding_box() == before
    for width, height in ((390, 844), (360, 740), (844, 390), (1280, 800)):
        ann.page.set_viewport_size({"width": width, "height": height})
        ann.page.evaluate("() => new Promise(requestAnimationFrame)")
        assert ann.page.evaluate(PLATES_OVERFLOW) == [], (width, height)
