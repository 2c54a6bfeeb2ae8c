"""Pending choices in their sheets: steal, share, stack, discard; the others see who is choosing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import Player, answer_pending_choice, begin, best_choice

MAGIC: dict[str, Any] = {"preset": "dungeon", "players": 2, "black_magic": True, "scoundrels": True}
POWERS = {"steal": "pistol", "share": "rum", "stack": "lantern"}


def reach(power: str, *players: Player) -> Player:
    """Play through the API until a player can use that power; return the player."""
    for _ in range(300):
        for player in players:
            state = player.state()
            choices = state.get("choices", [])
            if not choices or answer_pending_choice(player, state):
                continue
            if any(choice["action"]["type"] == power for choice in choices):
                return player
            # collect cards: retreat rather than play them
            kinds = ("retreat", "draw", "end", "advance")
            choices = [choice for choice in choices if choice["action"]["type"] in kinds]
            gains = [c for c in choices if c["action"]["type"] == "retreat"]
            player.act((best_choice(gains) if gains else best_choice(choices))["action"], state["seq"])
    raise AssertionError(f"no player ever held a {power}")


def use(player: Player, power: str) -> None:
    before = player.seq()
    card = next(c["action"]["card"] for c in player.state()["choices"] if c["action"]["type"] == power)
    player.page.locator(f'[data-card="{card}"]').click()
    words = {"pistol": "take a card from", "rum": "keep two", "lantern": "look at the top four"}[power]
    player.page.locator(".choice", has_text=words).first.click()
    player.wait_past(before)


@pytest.mark.parametrize("kind", ["steal", "share", "stack"])
def test_pending_choice_is_made_in_its_sheet_and_shown_to_the_other_player(
    person: Callable[..., Player], kind: str
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=MAGIC)
    chooser = reach(POWERS[kind], ann, bo)
    other = bo if chooser is ann else ann
    chooser.open(game)
    other.open(game)
    use(chooser, POWERS[kind])
    sheet = chooser.page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    expect(other.page.locator(".tray-hint")).to_contain_text("is choosing")
    expect(other.page.get_by_role("dialog")).to_have_count(0)
    held = chooser.state()["view"]["players"][chooser.state()["you"]["seat"]]["cards"]
    before = chooser.seq()
    if kind == "steal":
        sheet.locator("button.pick").first.click()
    if kind == "share":
        first = sheet.locator("select").first
        first.select_option(index=1)  # give the first card away: another comes back to me
        assert [each.input_value() for each in sheet.locator("select").all()].count("keep") == 2
    if kind == "stack":
        sheet.locator("li").first.get_by_role("button").last.click()
    sheet.locator(".button-main").click()
    chooser.wait_past(before)
    expect(chooser.page.get_by_role("dialog")).to_have_count(0)
    state = chooser.state()
    gained = {"steal": 1, "share": 2, "stack": 1}[kind]
    assert state["view"]["players"][state["you"]["seat"]]["cards"] == held + gained


def test_excess_cards_are_discarded_in_the_sheet(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo", phone=True)
    game = begin(ann, bo, options={**MAGIC, "black_magic": False})
    bo.open(game)
    owing = None
    for _ in range(400):
        for player in (ann, bo):
            state = player.state()
            choices = state.get("choices", [])
            if not choices:
                continue
            if choices[0]["action"]["type"] == "discard":
                if player is bo:
                    owing = choices[0]["action"]["count"]
                    break
                answer_pending_choice(player, state)
                continue
            dark = [c for c in choices if str(c["action"].get("card", "")).endswith("*")]
            gains = [c for c in choices if c["action"]["type"] == "retreat"]
            rich = state["view"]["players"][1]["cards"] > 7
            if player is ann and dark and rich:
                player.act(dark[0]["action"], state["seq"])
            else:
                player.act((best_choice(gains) if gains else best_choice(choices))["action"], state["seq"])
        if owing:
            break
    assert owing, "no discard became pending"
    sheet = bo.page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    go = sheet.locator(".button-main")
    expect(go).to_be_disabled()
    hidden = "rows => rows.filter((row) => row.scrollWidth > row.clientWidth + 1).length"
    assert sheet.locator(".picks").evaluate_all(hidden) == 0, "no card is out of sight to the right"
    before = bo.seq()
    for at in range(owing):
        sheet.locator("button.pick").nth(at).tap()
    expect(go).to_be_enabled()
    go.tap()
    bo.wait_past(before)
    expect(bo.page.get_by_role("dialog")).to_have_count(0)
    assert bo.state()["view"]["players"][1]["cards"] == 7
