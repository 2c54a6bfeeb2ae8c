"""Whole games by mouse, by touch at 390 px and by keyboard, with a spectator and a reload."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin, best_choice, move_via_api

MAX_ACTIONS = 500  # actions; a game of this size takes about a hundred and forty
MAX_API_ACTIONS = 600  # actions taken through the API in the middle of the game, to keep the test short
REQUIRED_KINDS = frozenset(
    {"advance", "retreat", "end"}
)  # what each way of playing does at least once on the page


def choose_new_kind(choices: list[Any], done: set[str]) -> Any:
    """Return the best choice of a kind not used yet, or the best of all."""
    return best_choice(
        [each for each in choices if each["action"]["type"] in REQUIRED_KINDS - done] or choices
    )


def press(player: Player, selector: str, *, touch: bool) -> None:
    target = player.page.locator(selector).first
    if touch:
        if selector.startswith("[data-place"):  # scroll it to the middle first, away from the hand
            target.evaluate("node => node.scrollIntoView({block: 'center'})")
        target.tap()
    else:
        target.click()


def move_on_the_page(
    player: Player, *, touch: bool = False, card_first: bool = True, done: set[str] | None = None
) -> None:
    """Take one action by clicking highlighted elements; it is chosen from the choices that the page received.

    `done` collects the kinds of action taken so far; other kinds are preferred.
    """
    state = player.state()
    player.wait_past(state["seq"] - 1)  # the page shows what the choice is made from
    before = player.seq()
    done = set(REQUIRED_KINDS) if done is None else done
    choice = choose_new_kind(state["choices"], done)
    action = choice["action"]
    kind = action["type"]
    done.add(kind)
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
        if "Skip" in player.page.locator(".end-turn").inner_text():
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
    pressed: dict[Player, set[str]] = {mouse: set(), thumb: set()}
    forwarded = False
    for turn in range(MAX_ACTIONS):
        if mouse.is_over() or thumb.is_over():
            break
        player = mouse if mouse.state().get("choices") else thumb
        player.wait_until_mine()
        # alternately the card first and the pirate first
        move_on_the_page(player, touch=player is thumb, card_first=turn % 2 == 0, done=pressed[player])
        if not forwarded and all(done >= REQUIRED_KINDS for done in pressed.values()):
            fast_forward(game, mouse, thumb, winners=(mouse, thumb), watching=(watcher,))
            forwarded = True
            lines = player.page.locator(".log-line")
            expect(lines.first).to_have_text("The game starts.")  # what was missed has been filled in
            line_count = lines.count()
            player.page.reload()
            expect(lines).to_have_count(line_count)
    assert forwarded, "the game ended before each had pressed every kind of action"
    for each in (mouse, thumb, watcher):
        expect(each.page.locator("#table")).to_have_attribute("data-phase", "finished")
        expect(each.page.locator(".ending")).to_be_visible()
        # after the end every hand lies open
        expect(each.page.locator(".plate-facts")).to_have_count(2)
    assert "won" in mouse.page.locator(".status-words").inner_text()
    for each in (mouse, thumb):
        figures = each.page.locator(".ending-figures dd")
        expect(figures).to_have_count(5)
        expect(figures.filter(has_text="…")).to_have_count(0)  # the review has been made
        # the board stays in sight, the sloop under the winner's flag; the card lies below, or over its lower part
        expect(each.page.locator(".board .victory-flag")).to_have_count(1)
        expect(each.page.locator(".board [data-place=start]")).to_be_in_viewport()
        expect(each.page.locator(".ending h2")).to_be_in_viewport()
        assert (
            each.page.locator(".ending").evaluate("e => e.getBoundingClientRect().height / innerHeight") < 0.5
        )
    expect(watcher.page.locator(".ending-figures")).to_have_count(0)


def last_steps(state: Any) -> list[Any]:
    """Return the choices that bring a player's last pirate to the goal."""
    pirates = state["view"]["players"][state["you"]["seat"]]["pirates"]
    if pirates.count("goal") < len(pirates) - 1:
        return []
    return [choice for choice in state["choices"] if choice.get("to") == "goal"]


def fast_forward(
    game: str, *players: Player, winners: tuple[Player, ...], watching: tuple[Player, ...] = ()
) -> None:
    """Play the middle of the game through the API with all pages closed, until one action is left to win.

    Simulated: 144 actions, 360 at most; without luck one game in a hundred never ends.
    """
    shown = [player for player in (*players, *watching) if player.page.url != "about:blank"]
    for player in shown:
        player.page.goto("about:blank")
    luck = random.Random(7)
    for _ in range(MAX_API_ACTIONS):
        states = ((player, player.state()) for player in players)
        in_turn = next(((player, state) for player, state in states if state.get("choices")), None)
        if in_turn is None:
            break
        player, state = in_turn
        last = last_steps(state)
        if last and player in winners:
            break
        others = [choice for choice in state["choices"] if choice not in last] or last
        chosen = luck.choice(others) if luck.random() < 0.2 else best_choice(others)
        player.act(chosen["action"], state["seq"])
    for player in shown:
        player.open(game)


def test_a_whole_game_can_be_played_by_keyboard(person: Callable[..., Player]) -> None:
    keys, other = person("Keys"), person("Other")
    game = begin(keys, other, options=SHORT)
    keys.open(game)
    keyboard = keys.page.keyboard
    done: set[str] = set()
    forwarded = False
    for _turn in range(MAX_ACTIONS):
        if keys.is_over():
            break
        if not forwarded and done >= REQUIRED_KINDS:
            fast_forward(game, keys, other, winners=(keys,))
            forwarded = True
        if move_via_api(other):
            continue
        keys.wait_until_mine()
        if keys.is_over():
            break
        state = keys.state()
        keys.wait_past(state["seq"] - 1)  # the page shows what the choice is made from
        before = keys.seq()
        choice = choose_new_kind(state["choices"], done)
        done.add(choice["action"]["type"])
        action = choice["action"]
        if action["type"] == "end":
            keyboard.press("e")
            keyboard.press("Enter")
            if "Skip" in keys.page.locator(".end-turn").inner_text():
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
    assert forwarded, "the game ended before every kind of action was pressed"
    expect(keys.page.locator("#table")).to_have_attribute("data-phase", "finished")


def walk_to(player: Player, wanted: object) -> None:
    """Move focus to a highlighted place with the Page keys, as a screen-reader user would."""
    player.page.keyboard.press("b")
    for _ in range(60):
        if player.page.evaluate("document.activeElement.dataset.place") == str(wanted):
            return
        player.page.keyboard.press("PageDown")
    raise AssertionError(f"{wanted} is not lit")


def record_commands(player: Player) -> list[str]:
    """Return a list that collects the kinds of the commands which the page sends from now on."""
    sent: list[str] = []
    player.page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda text: sent.append(json.loads(text)["do"])),
    )
    return sent


def test_card_can_be_dragged_onto_a_pirate(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    begin(ann, bo, options=SHORT)
    player = ann if ann.state().get("choices") else bo
    sent = record_commands(player)
    player.open(ann.game)
    before = player.seq()
    card = player.page.locator(".hand-card.playable").first
    start = player.page.locator('[data-place="start"]')
    a, b = card.bounding_box(), start.bounding_box()
    assert a is not None
    assert b is not None
    mouse = player.page.mouse
    # A lifted card is only selected, although the card and the selected pirate together are an action.
    start.click()
    mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    mouse.down()
    mouse.move(b["x"] + 30, b["y"] + 30, steps=6)
    expect(player.page.locator(".ghost")).to_be_visible()
    expect(card).to_have_attribute("aria-pressed", "true")
    assert "act" not in sent
    mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=6)
    mouse.up()
    player.wait_past(before)
    expect(player.page.locator(".ghost")).to_have_count(0)
    expect(player.page.locator(".log-line").last).to_contain_text("from the prison to space")
    assert sent.count("act") == 1


def test_undo_takes_the_last_action_back(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    begin(ann, bo, options=SHORT)
    player = ann if ann.state().get("choices") else bo
    sent = record_commands(player)
    player.open(ann.game)
    move_on_the_page(player)
    assert player.page.locator(".pip.taken").count() == 1
    before = player.seq()
    player.page.locator(".undo").evaluate("(button) => { button.click(); button.click(); }")
    player.wait_past(before)
    assert sent.count("undo") == 1
    expect(player.page.locator(".pip.taken")).to_have_count(0)
    expect(player.page.locator(".log-line").last).to_contain_text("undoes their last action")
