"""Whole games by mouse, by touch at 390 px and by keyboard; with a spectator and a reload."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, Player, begin, best, move_beside

MOST = 500  # actions; a game of this size takes about a hundred and forty
BESIDE = 450  # of which most in the middle are taken beside the pages, to keep the test short


def press(player: Player, selector: str, *, touch: bool) -> None:
    target = player.page.locator(selector).first
    if touch:
        if selector.startswith("[data-place"):  # as a thumb would: bring it to the middle, clear of the hand
            target.evaluate("node => node.scrollIntoView({block: 'center'})")
        target.tap()
    else:
        target.click()


def move_on_the_page(player: Player, *, touch: bool = False, card_first: bool = True) -> None:
    """One action by pressing what is lit; the choice of which comes from the list the page was sent."""
    state = player.state()
    player.wait_past(state["seq"] - 1)  # the page shows what the choice is made from
    before = player.seq()
    action = best(state["choices"])["action"]
    kind = action["type"]
    if kind == "advance" and card_first:
        press(player, f'[data-card="{action["card"]}"]', touch=touch)
        press(player, f'[data-place="{action["from"]}"].is-source', touch=touch)
    elif kind == "advance":
        press(player, f'[data-place="{action["from"]}"].is-source', touch=touch)
        press(player, f'[data-card="{action["card"]}"]', touch=touch)
    elif kind == "retreat":
        press(player, f'[data-place="{action["from"]}"].is-source', touch=touch)
        press(player, ".choice:has(small)", touch=touch)
    elif kind == "end":
        press(player, ".end-turn", touch=touch)
    else:
        press(player, ".tray-extra .button", touch=touch)
    player.wait_past(before)


def test_two_browsers_play_a_game_to_its_end_and_a_third_watches(person: Callable[..., Player]) -> None:
    mouse, thumb, watcher = person("Mouse"), person("Thumb", phone=True), person("Watcher")
    game = begin(mouse, thumb, options=SHORT)
    for each in (mouse, thumb, watcher):
        each.open(game)
    expect(watcher.page.locator(".tray-hint")).to_contain_text("You are watching")
    expect(watcher.page.locator(".hand")).to_be_hidden()
    dice = random.Random(7)
    for turn in range(MOST):
        if mouse.is_over() or thumb.is_over():
            break
        player = mouse if mouse.state().get("choices") else thumb
        player.wait_until_mine()
        move_on_the_page(player, touch=player is thumb, card_first=dice.random() < 0.5)
        if turn == 16:
            fast_forward(game, mouse, thumb)
        if turn == 18:
            lines = player.page.locator(".log-line")
            expect(lines.first).to_have_text("The game begins.")  # what was missed has been filled in
            told = lines.count()
            player.page.reload()
            expect(lines).to_have_count(told)
    for each in (mouse, thumb, watcher):
        expect(each.page.locator("#table")).to_have_attribute("data-phase", "finished")
        expect(each.page.locator(".ending")).to_be_visible()
        # after the end every hand lies open
        expect(each.page.locator(".plate-facts")).to_have_count(2)
    assert "won" in mouse.page.locator(".status-words").inner_text()


def is_nearly_home(pirates: list[Any]) -> bool:
    """Three of four, and the last one on the second half of the way."""
    return pirates.count("goal") == 3 and any(place == "sloop" or place in range(12, 25) for place in pirates)


def fast_forward(game: str, *players: Player) -> None:
    """The middle of the game through the API, while their pages are closed; whoever watches follows."""
    first = players[0]
    shown = [player for player in players if player.page.url != "about:blank"]
    for player in shown:
        player.page.goto("about:blank")
    for _ in range(BESIDE):
        state = first.state()
        if any(is_nearly_home(player["pirates"]) for player in state["view"]["players"]):
            break
        assert move_beside(first, state) or any(move_beside(player) for player in players[1:])
    for player in shown:
        player.open(game)


def test_a_whole_game_with_the_keyboard_alone(person: Callable[..., Player]) -> None:
    keys, other = person("Keys"), person("Other")
    game = begin(keys, other, options=SHORT)
    keys.open(game)
    keyboard = keys.page.keyboard
    for turn in range(MOST):
        if keys.is_over():
            break
        if turn == 24:
            fast_forward(game, keys, other)
        if move_beside(other):
            continue
        keys.wait_until_mine()
        if keys.is_over():
            break
        state = keys.state()
        keys.wait_past(state["seq"] - 1)  # the page shows what the choice is made from
        before = keys.seq()
        choice = best(state["choices"])
        action = choice["action"]
        if action["type"] == "end":
            keyboard.press("e")
            keyboard.press("Enter")
        elif action["type"] == "advance":
            keyboard.press("h")
            for _step in range(12):
                if keys.page.evaluate("document.activeElement.dataset.card") == action["card"]:
                    break
                keyboard.press("Tab")
            keyboard.press("Enter")
            walk_to(keys, action["from"])
            keyboard.press("Enter")
        else:
            walk_to(keys, action["from"])
            keyboard.press("Enter")
            walk_to(keys, choice["to"])
            keyboard.press("Enter")
        keys.wait_past(before)
    expect(keys.page.locator("#table")).to_have_attribute("data-phase", "finished")


def walk_to(player: Player, wanted: object) -> None:
    """To a lit place by the Page keys, as somebody would who cannot see it."""
    player.page.keyboard.press("b")
    for _ in range(60):
        if player.page.evaluate("document.activeElement.dataset.place") == str(wanted):
            return
        player.page.keyboard.press("PageDown")
    raise AssertionError(f"{wanted} is not lit")


def test_a_card_is_dragged_onto_a_pirate(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    begin(ann, bo, options=SHORT)
    player = ann if ann.state().get("choices") else bo
    player.open(ann.game)
    before = player.seq()
    card = player.page.locator(".hand-card.playable").first
    start = player.page.locator('[data-place="start"]')
    a, b = card.bounding_box(), start.bounding_box()
    assert a is not None
    assert b is not None
    mouse = player.page.mouse
    mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    mouse.down()
    mouse.move(b["x"] + 30, b["y"] + 30, steps=6)
    expect(player.page.locator(".ghost")).to_be_visible()
    mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=6)
    mouse.up()
    player.wait_past(before)
    expect(player.page.locator(".ghost")).to_have_count(0)
    expect(player.page.locator(".log-line").last).to_contain_text("from the prison to space")


def test_undo_takes_the_last_action_back(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    begin(ann, bo, options=SHORT)
    player = ann if ann.state().get("choices") else bo
    player.open(ann.game)
    move_on_the_page(player)
    assert player.page.locator(".pip.taken").count() == 1
    before = player.seq()
    player.page.locator(".undo").click()
    player.wait_past(before)
    expect(player.page.locator(".pip.taken")).to_have_count(0)
    expect(player.page.locator(".log-line").last).to_contain_text("takes the last action back")
