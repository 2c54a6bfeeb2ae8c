"""The page for a new table: editions first, all options behind "more", conflicts explained before the click."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from app import rules
from tests.browser.game_server import Player

# Labels without enough room beside their button, and number fields separated from their buttons.
CRAMPED_CONTROLS = """() => [
  ...[...document.querySelectorAll("[data-more] .choice > span")].filter((words) => words.offsetHeight > 100),
  ...[...document.querySelectorAll("[data-more] .stepper")].filter((stepper) => stepper.offsetHeight > 60),
  ...[...document.querySelectorAll("[data-more] .field")].filter((field) => field.scrollWidth > field.clientWidth),
].map((node) => node.textContent.trim().slice(0, 40))"""


def options_of(player: Player) -> dict[str, object]:
    player.page.wait_for_url(re.compile(r"/g/\w+"))
    player.game = player.page.url.rsplit("/", 1)[1]
    return dict(player.state()["table"]["options"])


# One preset of each kind of route; tests/soak checks all.
@pytest.mark.parametrize("preset", ["tortuga", "jungle", "complete"])
def test_edition_creates_a_table_with_its_options(person: Callable[..., Player], preset: str):
    assert_edition_creates_table(person, preset)


def assert_edition_creates_table(person: Callable[..., Player], preset: str) -> None:
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/new?preset={preset}")
    ann.page.get_by_role("button", name="Create the table").click()
    expected = rules.options_to_json(rules.parse_options({"preset": preset, "players": 3}))
    assert options_of(ann) == expected


def test_form_shows_every_option_of_the_catalogue_with_its_description(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/new")
    ann.page.locator("[data-more] > summary").click()
    for spec in rules.CATALOGUE:
        if spec.name in ("preset", "players"):
            continue
        field = ann.page.locator(f'[data-option="{spec.name}"]')
        expect(field).to_contain_text(spec.sentence)
        for choice in spec.choices:
            expect(field).to_contain_text(choice.sentence)
    for width, height in ((1280, 800), (390, 844)):
        ann.page.set_viewport_size({"width": width, "height": height})
        assert ann.page.evaluate(CRAMPED_CONTROLS) == [], width


def test_conflicting_options_are_explained_in_the_form_and_refused_by_the_server(
    person: Callable[..., Player],
):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/new?preset=jamaica")
    ann.page.locator("[data-more] > summary").click()
    ann.page.get_by_label("Black magic").check()
    said = ann.page.locator("[data-said]")
    expect(said).to_contain_text("Black magic needs the “Escape” symbols")
    expect(ann.page.locator('[data-option="symbols"] [data-conflict]')).to_contain_text("Black magic needs")
    ann.page.get_by_role("button", name="Create the table").click()
    expect(said).to_contain_text("Black magic needs the “Escape” symbols")
    assert ann.page.url.endswith("preset=jamaica")
    ann.page.locator('[name="symbols"][value="escape"]').check()
    ann.page.locator('[name="board"][value="random"]').check()
    expect(said).to_have_text("")
    ann.page.get_by_role("button", name="Create the table").click()
    made = options_of(ann)
    assert (made["black_magic"], made["symbols"], made["board"]) == (True, "escape", "random")
    ann.complaints.clear()  # the browser logs the refused request


def test_seats_bots_clock_and_password_reach_the_table(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/new")
    ann.page.locator('[name="players"][value="4"]').check(force=True)
    ann.page.locator('[name="bots"][value="2"]').check(force=True)
    ann.page.get_by_label("How well the bots play").select_option("captain")
    held: list[Route] = []
    ann.page.route("**/new/check", lambda route: held.append(route))
    with ann.page.expect_request("**/new/check"):
        ann.page.get_by_label("With a password").check()
    ann.page.get_by_role("button", name="Create the table").click()
    said = ann.page.locator("[data-said]")
    expect(said).to_contain_text("password")
    # the late answer of the options check must not replace the answer to the button
    with ann.page.expect_response("**/new/check"):
        held[-1].continue_()
    ann.page.unroute("**/new/check")
    ann.page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(said).to_contain_text("password")
    ann.page.get_by_label("Table password").fill("open sesame")
    ann.page.get_by_label("Time bank").check()
    ann.page.get_by_label("Minutes for the game").fill("20")
    ann.page.get_by_role("button", name="Create the table").click()
    options_of(ann)
    table = ann.state()["table"]
    assert table["locked"] is True
    assert table["clock"] == {"kind": "bank", "seconds": 1200, "increment": 10}
    assert [seat["bot"] for seat in table["seats"] if seat["bot"]] == ["captain", "captain"]
    assert ann.state()["you"]["seat"] is not None


def test_more_bots_than_seats_cannot_be_chosen(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(f"{ann.url}/new")
    ann.page.locator('[name="bots"][value="2"]').check(force=True)
    ann.page.locator('[name="players"][value="2"]').check(force=True)
    assert ann.page.locator('[name="bots"]:checked').get_attribute("value") == "1"
    expect(ann.page.locator('[name="bots"][value="2"]')).to_be_disabled()
