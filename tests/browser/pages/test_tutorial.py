"""The tutorial by clicks and by keys on the real engine, and the interactive examples of the rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.web.pages.lessons import DEMOS, LESSONS
from tests.browser.game_server import Player


def click_place(page: Page, name: str) -> None:
    """Click a space of the small board."""
    page.locator(f'[data-board] [data-place="{name}"]').dispatch_event("click", {"bubbles": True})


def expect_step(page: Page, number: int) -> None:
    """Go to the step with "Next step", unless it is the first, and expect it."""
    if number:
        page.get_by_role("button", name="Next step").click()
    expect(page.locator(f'[data-lesson-open="{LESSONS[number].name}"]')).to_be_visible()


def click_card(page: Page, name: str) -> None:
    page.locator("[data-hand]").get_by_role("button", name=name).click()


def expect_praise(page: Page, number: int) -> None:
    expect(page.locator("[data-done]")).to_have_text(LESSONS[number].praise)


def test_tutorial_can_be_completed_by_clicks(person: Callable[..., Player]):
    ann = person(None)
    page = ann.page
    page.goto(f"{ann.url}/tutorial")
    expect_step(page, 0)
    click_card(page, "key")
    click_place(page, "start")
    expect_praise(page, 0)
    expect_step(page, 1)
    click_place(page, "2")
    click_card(page, "key")
    expect_praise(page, 1)
    expect_step(page, 2)
    click_place(page, "14")
    page.get_by_role("button", name="Retreat from space 14").click()
    expect(page.locator("[data-done]")).to_be_hidden()
    click_place(page, "9")
    click_place(page, "6")
    expect_praise(page, 2)
    expect_step(page, 3)
    click_card(page, "hat")
    click_place(page, "14")
    expect(page.locator("[data-moves]").get_by_role("button", name="End turn")).to_be_visible()
    page.get_by_role("button", name="End turn").click()
    expect_praise(page, 3)
    expect_step(page, 4)
    click_card(page, "skull")
    click_place(page, "21")
    expect_praise(page, 4)
    expect(page.get_by_role("heading", name="Now you know the game.")).to_be_visible()


def test_tutorial_can_be_completed_by_keyboard(person: Callable[..., Player]):
    ann = person(None)
    page = ann.page
    page.goto(f"{ann.url}/tutorial")
    expect(page.locator("[data-hand] button").first).to_be_visible()
    for number in range(len(LESSONS)):
        expect(page.locator(f'[data-lesson-open="{LESSONS[number].name}"]')).to_be_visible()
        while page.locator("[data-done]").is_hidden():
            page.get_by_role("button", name="Show me").focus()
            seen = page.locator("[data-hand]").inner_text()
            page.keyboard.press("Enter")
            page.wait_for_function(
                "seen => document.querySelector('[data-done]').checkVisibility()"
                " || document.querySelector('[data-hand]').innerText !== seen",
                arg=seen,
            )
        expect_praise(page, number)
        if number < len(LESSONS) - 1:
            expect(page.get_by_role("button", name="Next step")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.locator("[data-done]")).to_be_hidden()
    expect(page.get_by_role("link", name="Play now against bots")).to_be_focused()


def test_task_and_cards_are_visible_together_on_a_phone(person: Callable[..., Player]):
    ann = person(None, phone=True)
    for number in range(len(LESSONS)):
        ann.page.goto(f"{ann.url}/tutorial")
        expect_step(ann.page, 0)
        ann.page.locator("[data-lesson]").nth(number).tap()
        expect(ann.page.locator(f'[data-lesson-open="{LESSONS[number].name}"]')).to_be_visible()
        expect(ann.page.locator("[data-say]")).to_be_in_viewport(ratio=1)
        expect(ann.page.locator("[data-hand]")).to_be_in_viewport(ratio=1)
        expect(ann.page.locator('[data-board] [data-place="start"]')).to_be_in_viewport()


def test_step_can_be_restarted(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(f"{ann.url}/tutorial")
    click_card(ann.page, "hat")
    click_place(ann.page, "start")
    expect_praise(ann.page, 0)
    ann.page.get_by_role("button", name="Start this step again").click()
    expect(ann.page.locator("[data-hand]").get_by_role("button", name="hat")).to_be_enabled()


EXAMPLES = {
    "/rules": ("advance", "goal", "retreat"),
    "/rules/morgan": ("morgan",),
    "/rules/complete": ("sail",),
    "/rules/scoundrels": ("scoundrels",),
    "/rules/black-magic": ("pistol", "rum", "lantern", "parrot", "hook", "chest"),
}


def test_every_example_is_on_a_page():
    assert sorted(name for names in EXAMPLES.values() for name in names) == sorted(s.name for s in DEMOS)


@pytest.mark.parametrize("page", EXAMPLES)
def test_example_on_a_rules_page_plays_its_move(person: Callable[..., Player], page: str):
    ann = person(None)
    ann.page.goto(f"{ann.url}{page}")
    for name in EXAMPLES[page]:
        example = ann.page.locator(f'[data-demo="{name}"]')
        room = example.locator("[data-demo-board]")
        empty = room.bounding_box()
        example.scroll_into_view_if_needed()
        expect(example.locator("[data-place]").first).to_be_attached()
        drawn = room.bounding_box()
        assert empty is not None
        assert drawn is not None
        assert abs(drawn["height"] - empty["height"]) <= 2, "the text below would jump"
        example.get_by_role("button", name="Show the move").click()
        expect(example.locator("[data-demo-said]")).not_to_be_empty()
        example.get_by_role("button", name="Again").click()
        expect(example.get_by_role("button", name="Show the move")).to_be_focused()


def test_lesson_refuses_illegal_moves(person: Callable[..., Player]):
    ann = person(None)
    answer = ann.context.request.post(
        f"{ann.url}/practice/jump", data={"actions": [{"type": "advance", "card": "skull", "from": 2}]}
    )
    assert answer.status == 409
    assert answer.json()["error"]["code"] == "illegal"
    assert ann.context.request.post(f"{ann.url}/practice/nothing", data={}).status == 404
    assert ann.context.request.post(f"{ann.url}/practice/jump", data={"actions": [{}] * 99}).status == 422
