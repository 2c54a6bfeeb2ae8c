"""Access to a table: password, presence before the start, closing, reporting and blocking."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api

PASSWORD = "open sésame ☠"  # not ASCII: the header must encode it


def enter_password(page: Page, word: str) -> None:
    page.get_by_role("dialog").get_by_label("Password").fill(word)
    page.get_by_role("dialog").get_by_role("button", name="Open the table").click()


def test_host_can_see_and_change_the_table_password(person: Callable[..., Player]) -> None:
    host, guest = person("Host"), person("Guest")
    host.page.goto(f"{host.url}/new")
    host.page.locator('[name="visibility"][value="password"]').check(force=True)
    host.page.locator("#password").fill(PASSWORD)
    host.page.locator('[data-new-table] [type="submit"]').click()
    host.page.wait_for_url(re.compile("/g/"))
    invite = host.page.locator(".invite")
    expect(invite).to_contain_text(f"Password: {PASSWORD}")
    expect(invite).to_contain_text("Anyone with this link and the password can join.")
    host.page.reload()
    expect(invite).to_contain_text(f"Password: {PASSWORD}")
    invite.get_by_text("Set a new password").click()
    invite.get_by_label("Table password").fill("parrot")
    invite.get_by_role("button", name="Set the password").click()
    expect(invite).to_contain_text("Password: parrot")
    expect(host.page.locator(".log-line")).to_have_count(0)  # no log line about a new host
    guest.page.goto(host.page.url)
    door = guest.page.get_by_role("dialog")
    expect(door).to_contain_text("This table needs a password.")
    expect(guest.page.locator("#table")).to_be_hidden()  # no empty table behind the door
    expect(guest.page.locator(".banner")).to_have_count(0)
    enter_password(guest.page, PASSWORD)
    expect(door).to_contain_text("That password is wrong.")
    expect(guest.page.locator(".banner")).to_have_count(0)
    enter_password(guest.page, "parrot")
    expect(guest.page.locator(".berth.mine, .berth.free").first).to_be_visible()
    expect(guest.page.locator(".banner")).to_have_count(0)
    expect(guest.page.locator(".host-password")).to_be_hidden()


def test_spectator_with_password_reaches_replay_review_and_fairness(
    person: Callable[..., Player],
) -> None:
    ann, wim, late = person("Ann"), person("Wim"), person("Late")
    game = begin(ann, options=SHORT, visibility="unlisted", password=PASSWORD, bots=["cabin-boy"])
    wim.page.goto(f"{wim.url}/g/{game}")
    wim.page.get_by_role("dialog").get_by_role("button", name="It has a password").click()
    expect(wim.page.get_by_role("dialog").get_by_label("Password")).to_be_focused()
    enter_password(wim.page, PASSWORD)
    expect(wim.page.locator('#table[data-phase="running"]')).to_be_visible()
    wim.page.locator(".table-menu > summary").click()
    wim.page.get_by_role("link", name="Replay the game so far").click()
    expect(wim.page.locator("[data-stage]")).to_be_visible()
    for _ in range(6):
        move_via_api(ann)
    ann.act({"type": "resign"})
    for place in ("replay", "review", "fairness"):
        wim.page.goto(f"{wim.url}/g/{game}/{place}")
        shown = "[data-check]:not([disabled])" if place == "fairness" else "[data-stage]:not([hidden])"
        expect(wim.page.locator(shown)).to_be_visible(timeout=20_000)
    # a mistyped link looks like an unlisted table with a password
    door = late.page.get_by_role("dialog")
    for path in (
        "g/NoSuchTableAnywhere1",
        "g/NoSuchTableAnywhere1/screen",
        f"g/{game}/review",
        f"g/{game}/replay",
    ):
        late.page.goto(f"{late.url}/{path}")
        expect(door).to_contain_text("We can't find this table. Check the link or ask for a new one.")
        expect(door.get_by_label("Password")).to_have_count(0)
        expect(door.get_by_role("link", name="Go to the lobby")).to_be_focused()
        expect(late.page.locator("main > *").first).to_be_hidden()
    door.get_by_role("button", name="It has a password").click()
    enter_password(late.page, PASSWORD)
    expect(late.page.locator("[data-stage]")).to_be_visible()
    for player in (wim, late):
        player.complaints.clear()  # the browser logs the refused requests


def test_presence_full_table_removal_and_closing_are_shown(person: Callable[..., Player]) -> None:
    ann, bo, wim = person("Ann"), person("Bo"), person("Wim")
    game = ann.create({"preset": "jamaica", "players": 2})
    for player in (ann, bo):
        player.game = game
        player.command("sit")
    ann.open(game)
    row = ann.page.locator(".berth").nth(1)
    expect(row).to_contain_text("offline")
    bo.open(game)
    expect(row).to_contain_text("here now")
    wim.open(game)
    expect(wim.page.locator(".host-controls")).to_contain_text("This table is full.")
    dialog = ann.page.get_by_role("dialog")
    for name, seats in (("No", 2), (re.compile("^Remove Bo"), 1)):
        ann.page.get_by_role("button", name=re.compile("^Remove Bo")).click()
        expect(dialog).to_contain_text("can't sit down here for ten minutes")
        expect(dialog.get_by_role("button", name="No")).to_be_focused()
        dialog.get_by_role("button", name=name).click()
        expect(ann.page.locator(".berth:not(.free)")).to_have_count(seats)
    removed = "The host has removed you from your seat. You can sit down again after ten minutes"
    expect(bo.page.locator(".banner")).to_contain_text(removed)
    bo.page.reload()
    expect(bo.page.locator(".banner")).to_contain_text(removed)
    expect(bo.page.get_by_role("button", name="Sit here")).to_be_disabled()
    ann.page.get_by_role("button", name="Let them sit down now").click()
    expect(ann.page.get_by_role("button", name="Let them sit down now")).to_have_count(0)
    bo.page.get_by_role("button", name="Sit here").click()
    expect(bo.page.locator(".berth.mine")).to_be_visible()
    ann.page.get_by_role("button", name=re.compile("^Make Bo .* the host")).click()
    expect(dialog).to_contain_text("can make you the host again")
    dialog.get_by_role("button", name="No").click()
    ann.page.get_by_role("button", name="Stand up").click()
    expect(dialog).to_contain_text("Another player becomes the host.")
    ann.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert ann.state()["table"]["host"] == ann.state()["table"]["seats"][0]["person"]
    ann.page.get_by_role("button", name="Close the table").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Close the table").click()
    for player in (ann, bo, wim):
        expect(player.page.locator(".banners")).to_have_text("The host has closed this table.")
        expect(player.page.get_by_role("button", name="Sit here")).to_have_count(0)


def test_plate_and_chat_offer_report_and_block_with_the_table(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    bo.command("chat", preset="hello")
    ann.open(game)
    sent: list[object] = []
    ann.page.on(
        "request", lambda asked: sent.append(asked.post_data_json) if "/reports" in asked.url else None
    )
    ann.page.get_by_role("button", name=re.compile("^More about Bo")).click()
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_text("Report to the operator").click()
    dialog.get_by_label("In your own words").fill("never moves")
    dialog.get_by_role("button", name="Send").click()
    expect(ann.page.get_by_text("Thank you. The operator will read it.")).to_be_visible()
    person_of_bo = ann.state()["table"]["seats"][1]["person"]
    assert sent == [{"player": person_of_bo, "room": game, "reason": "insult", "words": "never moves"}]
    ann.page.get_by_role("tab", name=re.compile("Chat")).click()
    ann.page.locator(".chat-line .person").click()
    dialog.get_by_role("button", name="Block").click()
    expect(ann.page.get_by_text("This player is blocked.")).to_be_visible()
    assert [each["id"] for each in ann.api("GET", "/blocks")["blocked"]] == [person_of_bo]


def test_menu_lists_the_table_options_and_links_to_its_rules(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    magic = {"board": "random", "symbols": "escape", "supply": "deck", "black_magic": True}
    game = begin(ann, bo, options={"preset": "tortuga", "players": 2, **magic})
    ann.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_text("The rules of this table").click()
    expect(ann.page.locator(".menu-terms")).to_contain_text("Black magic: cards have powers.")
    expect(ann.page.get_by_role("link", name="Rules", exact=True).last).to_have_attribute(
        "href", "/rules/black-magic"
    )
