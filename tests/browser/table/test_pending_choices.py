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
        expect(sheet.locator(".button-main")).to_be_disabled()
        sheet.locator(".share-own .pick").first.press("Enter")  # the keyboard alternative
        expect(sheet.locator(".share-own .pick")).to_have_count(2)
    if kind == "stack":
        sheet.locator("li").first.get_by_role("button").last.click()
    sheet.locator(".button-main").click()
    chooser.wait_past(before)
    expect(chooser.page.get_by_role("dialog")).to_have_count(0)
    state = chooser.state()
    gained = {"steal": 1, "share": 2, "stack": 1}[kind]
    assert state["view"]["players"][state["you"]["seat"]]["cards"] == held + gained


# The four sizes at which the sheets must work.
SIZES = ((1280, 800), (390, 844), (844, 390), (320, 568))

# Cards and buttons of the sheet that are partly covered or cut off after scrolling to them.
UNREACHABLE = """() => {
  const isCovered = (node) => {
    node.scrollIntoView({ block: "nearest" });
    const at = node.getBoundingClientRect();
    const points = [[at.left + 4, at.top + 4], [at.right - 4, at.top + 4], [at.left + 4, at.bottom - 4],
      [at.right - 4, at.bottom - 4], [at.left + at.width / 2, at.top + at.height / 2]];
    return points.some(([x, y]) => {
      const hit = document.elementFromPoint(x, y);
      return !hit || !(node.contains(hit) || hit.contains(node)) || hit.matches(".sheet, .sheet-body");
    });
  };
  const nodes = [...document.querySelectorAll(".sheet .card, .sheet button")];
  return nodes.filter(isCovered).map((node) => `${node.className} ${node.closest("button, li")?.innerText}`);
}"""

# Buttons that overlap a card which is not their own.
OVERLAPS = """() => {
  const body = document.querySelector(".sheet-body").getBoundingClientRect();
  const visible = (node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    if (!node.closest(".sheet-body")) return { left, right, top, bottom };
    return { left, right, top: Math.max(top, body.top), bottom: Math.min(bottom, body.bottom) };
  };
  const found = [];
  for (const card of document.querySelectorAll(".sheet .card"))
    for (const button of document.querySelectorAll(".sheet button")) {
      if (button.contains(card)) continue;
      const [a, b] = [visible(card), visible(button)];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) found.push(button.innerText);
    }
  return found;
}"""

# By how much a sheet is too high whose cards are dragged: a finger cannot scroll it.
UNSCROLLABLE = """() => {
  const body = document.querySelector(".sheet-body:has(.share-slot)");
  return body ? body.scrollHeight - body.clientHeight : 0;
}"""


def check_sheet_at_all_sizes(player: Player) -> None:
    """Assert that no button of the open sheet overlaps a card and that everything in it can be clicked."""
    expect(player.page.locator(".sheet")).to_be_visible()
    for width, height in SIZES:
        player.page.set_viewport_size({"width": width, "height": height})
        expect(player.page.locator(".sheet .button-main")).to_be_in_viewport(ratio=1)
        assert player.page.evaluate(OVERLAPS) == [], (width, height)
        assert player.page.evaluate(UNREACHABLE) == [], (width, height)
        assert player.page.evaluate(UNSCROLLABLE) == 0, (width, height)


def give_by_dragging(player: Player, card: int, seat: int) -> None:
    """Drag a card of the rum sheet to a player."""
    player.page.locator(f'.sheet [data-key="card-{card}"]').hover()
    player.page.mouse.down()
    target = player.page.locator(f'.share-slot[data-seat="{seat}"]').bounding_box()
    assert target is not None
    x, y = target["x"] + target["width"] / 2, target["y"] + target["height"] / 2
    player.page.mouse.move(x, y, steps=4)
    expect(player.page.locator(".ghost")).to_be_visible()
    player.page.mouse.up()


def collect_cards(players: list[Player], rounds: int) -> None:
    """Play so that everyone's hand grows."""
    for _ in range(rounds):
        for player in players:
            state = player.state()
            if not state.get("choices") or answer_pending_choice(player, state):
                continue
            kinds = ("retreat", "draw", "end", "advance")
            choices = [choice for choice in state["choices"] if choice["action"]["type"] in kinds]
            gains = [choice for choice in choices if choice["action"]["type"] == "retreat"]
            player.act(best_choice(gains or choices)["action"], state["seq"])


def hand_of(player: Player) -> list[str]:
    state = player.state()
    hand: list[str] = state["view"]["players"][state["you"]["seat"]]["hand"]
    return hand


@pytest.mark.parametrize(("kind", "players"), [("steal", 2), ("share", 5), ("stack", 3)])
def test_no_button_of_a_sheet_covers_a_card(person: Callable[..., Player], kind: str, players: int) -> None:
    everyone = [person(name) for name in ("Ann", "Bartholomew", "Cecily", "Dagobert", "Eleonora")[:players]]
    game = begin(*everyone, options={**MAGIC, "players": players})
    collect_cards(everyone, 30 if kind == "steal" else 5)
    chooser = reach(POWERS[kind], *everyone)
    state = chooser.state()
    action = next(c["action"] for c in state["choices"] if c["action"]["type"] == POWERS[kind])
    chooser.act(action, state["seq"])
    chooser.open(game)
    check_sheet_at_all_sizes(chooser)
    if kind != "share":
        return
    # at 320 x 568: by dragging, by tapping, and back again
    sheet = chooser.page.locator(".sheet")
    slots = sheet.locator(".share-slot")
    seats = [int(each.get_attribute("data-seat") or -1) for each in slots.all()]
    give_by_dragging(chooser, 5, seats[2])
    expect(slots.nth(2)).to_have_class("pick share-slot filled")
    sheet.locator('[data-key="card-0"]').click()
    expect(slots.nth(0)).to_have_class("pick share-slot filled")
    slots.nth(0).click()  # takes the card back and marks this player
    expect(sheet.locator(".share-own .pick")).to_have_count(5)
    expect(sheet.locator("#owed-words")).to_contain_text("Choose a card for Ann" if seats[0] == 0 else "Bart")
    for card in (1, 2, 3):
        sheet.locator(f'[data-key="card-{card}"]').click()
    expect(sheet.locator("#owed-words")).to_contain_text("You keep 2 cards.")
    expect(sheet.locator(".share-slot.filled")).to_have_count(4)
    assert chooser.page.evaluate(UNSCROLLABLE) == 0
    held, rum = hand_of(chooser), chooser.state()["view"]["pending"]["cards"]
    before = chooser.seq()
    sheet.locator(".button-main").click()
    chooser.wait_past(before)
    assert sorted(hand_of(chooser)) == sorted([*held, rum[0], rum[4]])


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
    check_sheet_at_all_sizes(bo)
    before = bo.seq()
    for at in range(owing):
        sheet.locator("button.pick").nth(at).tap()
    expect(go).to_be_enabled()
    go.tap()
    bo.wait_past(before)
    expect(bo.page.get_by_role("dialog")).to_have_count(0)
    assert bo.state()["view"]["players"][1]["cards"] == 7
