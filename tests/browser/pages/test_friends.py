"""Friends on the pages: from the end of a game to an invitation, with notes, presence, blocks and guests."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import find_violations_at
from tests.browser.game_server import SHORT, Player, begin
from tests.browser.pages.test_layout_shift import MAX_LAYOUT_SHIFT, SLOW_NETWORK, first_load

PASSWORD = "plank, parrot, doubloon"
PHONE = {"width": 390, "height": 844}


def make_account(person: Callable[..., Player], name: str, **options: object) -> Player:
    player = person(name, **options)
    player.api("POST", "/account/register", {"password": PASSWORD})
    return player


def id_of(player: Player) -> str:
    return str(player.api("GET", "/me")["person"]["id"])


def name_of(player: Player) -> str:
    return str(player.api("GET", "/me")["person"]["name"])


def befriend(one: Player, two: Player) -> None:
    one.api("PUT", f"/friends/{id_of(two)}")
    assert two.api("PUT", f"/friends/{id_of(one)}") == {"relation": "friends"}


def open_friends(player: Player) -> Page:
    player.page.goto(f"{player.url}/friends")
    expect(player.page.locator("[data-friends]")).not_to_have_attribute("data-loading", "")
    return player.page


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_two_people_become_friends_and_one_invites_the_other(
    person: Callable[..., Player], phone: bool
) -> None:
    ann, bo = (make_account(person, name, phone=phone) for name in ("Ann", "Bo"))
    ann.open(begin(ann, bo, options=SHORT))
    bo.act({"type": "resign"})
    ann.page.get_by_role("button", name=f"Add friend: {name_of(bo)}").click()
    expect(ann.page.locator(".ending")).to_contain_text("Friend request sent.")

    page = open_friends(bo)
    link = page.locator(".friends-link")
    expect(link).to_contain_text("1 friend request or invitation is waiting for you.")
    page.get_by_role("button", name=f"Accept {name_of(ann)}'s request").click()
    expect(page.locator('[data-section="friends"]')).to_contain_text(name_of(ann))
    expect(page.locator('[data-section="requests"]')).to_be_hidden()
    expect(page.locator("[data-friend-news]")).to_be_hidden()
    expect(page.locator(".friend")).to_contain_text(f"You against {name_of(ann)}: 0 – 1 in 1 game")

    # Two clicks: the friend, and what to play.
    page = open_friends(ann)
    page.get_by_role("button", name=f"Invite {name_of(bo)}").click()
    page.get_by_role("button", name=re.compile("Open the same table again")).click()
    page.wait_for_url(re.compile("/g/"))
    expect(page.locator(".berth", has_text=f"Reserved for {name_of(bo)}")).to_be_visible()
    expect(page.locator(".berth.mine")).to_be_visible()
    page = open_friends(bo)
    expect(page.locator("[data-friend-news]")).to_contain_text("1")
    page.get_by_role("link", name="Go to the table").click()
    page.wait_for_url(ann.page.url)
    page.get_by_role("button", name="Sit here").click()
    expect(page.locator(".berth.mine")).to_be_visible()


def test_the_host_frees_a_seat_that_is_kept_for_a_friend(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    game = begin(ann, bo, options=SHORT)
    bo.act({"type": "resign"})
    table = ann.api("POST", f"/games/{game}/again", {})["id"]
    ann.take_seat(table)
    ann.open(table)
    expect(ann.page.get_by_role("button", name="Add a bot")).to_have_count(0)
    ann.page.get_by_role("button", name=f"Free {name_of(bo)}'s seat").click()
    ann.page.get_by_role("button", name="Add a bot").click()
    expect(ann.page.locator(".berth", has_text="Sailor")).to_be_visible()


def test_an_open_table_invites_friends_in_two_clicks(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    ann.take_seat(ann.create({"preset": "jamaica", "players": 3}))
    ann.open(ann.game)
    ann.page.get_by_role("button", name="Invite friends").click()
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_role("button", name=f"Invite {name_of(bo)}").click()
    expect(dialog).to_contain_text("Invited.")
    ann.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page = open_friends(bo)
    expect(page.locator('[data-section="invitations"]')).to_contain_text(
        f"{name_of(ann)} invites you: Jamaica"
    )
    page.get_by_role("button", name="Dismiss this invitation").click()
    expect(page.locator('[data-section="invitations"]')).to_be_hidden()


def test_a_new_table_invites_the_friend_it_was_opened_for(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    page = open_friends(ann)
    page.get_by_role("button", name=f"Invite {name_of(bo)}").click()
    page.get_by_role("link", name=re.compile("Open a new table")).click()
    expect(page.get_by_text(f"{name_of(bo)} is invited as soon as the table is open.")).to_be_visible()
    page.locator('[data-new-table] [type="submit"]').click()
    page.wait_for_url(re.compile("/g/"))
    expect(page.locator(".toast")).to_contain_text("Invitation sent")
    assert [each["by"]["id"] for each in bo.api("GET", "/friends")["invitations"]] == [id_of(ann)]


def test_a_note_survives_a_reload_and_is_shown_everywhere(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    page = open_friends(ann)
    page.get_by_role("button", name=f"Write a note about {name_of(bo)}").click()
    page.get_by_label("Your note").fill("Bluffs a lot.")
    page.get_by_role("button", name="Save the note").click()
    expect(page.locator(".person-note .field-said")).to_have_text("Saved.")
    page = open_friends(ann)
    expect(page.locator(".friend-note")).to_have_text("Bluffs a lot.")
    page.goto(f"{ann.url}/players/{id_of(bo)}")
    expect(page.get_by_label("Your note")).to_have_value("Bluffs a lot.")
    ann.open(begin(ann, bo, options=SHORT))
    ann.page.get_by_role("button", name=f"More about {name_of(bo)}").click()
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_contain_text("You are friends.")
    dialog.get_by_label("Your note").fill("")
    dialog.get_by_role("button", name="Save the note").click()
    expect(dialog).to_contain_text("The note has been deleted.")
    expect(open_friends(ann).locator(".friend-note")).to_be_hidden()


def test_a_block_hides_everything(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    game = begin(ann, bo, options=SHORT)
    bo.api("PUT", "/me/visibility", {"online": True, "seen": True})
    ann.open(game)
    bo.command("chat", text="Ahoy there")
    ann.page.get_by_role("tab", name=re.compile("Chat")).click()
    expect(ann.page.locator(".chat-line", has_text="Ahoy there")).to_be_visible()
    ann.page.locator(".chat-line .person", has_text=name_of(bo)).click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    expect(ann.page.locator(".chat-line", has_text="Ahoy there")).to_have_count(0)
    bo.command("chat", text="Are you there?")
    bo.command("chat", preset="hello")
    ann.page.reload()
    expect(ann.page.locator('#table[data-phase="running"]')).to_be_visible()
    ann.command("chat", text="Talking to myself")
    expect(ann.page.locator(".chat-line")).to_have_count(1)
    expect(open_friends(ann).locator("[data-empty]")).to_be_visible()
    expect(open_friends(bo).locator("[data-empty]")).to_be_visible()
    ann.page.goto(f"{ann.url}/players/{id_of(bo)}")
    expect(ann.page.locator("[data-blocked]")).to_be_visible()
    expect(ann.page.get_by_role("button", name=re.compile("Add friend"))).to_have_count(0)
    ann.page.get_by_role("button", name="Unblock").click()
    expect(ann.page.get_by_role("button", name="Block", exact=True)).to_be_focused()
    expect(ann.page.get_by_role("button", name=re.compile("Add friend"))).to_be_visible()


def test_presence_is_shown_once_it_is_switched_on(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    presence = open_friends(ann).locator(".friend-presence")
    expect(presence).to_have_text("")
    page = open_friends(bo)
    page.get_by_label("When I am online, and where I play").check()
    expect(page.locator(".visibility [data-said]")).to_have_text("Saved.")
    bo.take_seat(bo.create({"preset": "jamaica", "players": 3}))
    expect(open_friends(ann).locator(".friend-presence")).to_have_text("online")
    expect(ann.page.locator(".friend-tables")).to_contain_text("waits at a table: Jamaica, 1 of 3 seats")
    ann.page.get_by_role("link", name="Join").click()
    ann.page.wait_for_url(re.compile(bo.game))
    page.goto(f"{bo.url}/account")
    switch = page.get_by_label("When I am online, and where I play")
    expect(switch).to_be_checked()
    switch.uncheck()
    expect(page.locator(".visibility [data-said]")).to_have_text("Saved.")
    expect(open_friends(ann).locator(".friend-presence")).to_have_text("")
    expect(ann.page.locator(".friend-tables li")).to_have_count(0)


def test_two_quick_changes_and_a_double_click_count_once(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    held: list[Route] = []
    ann.page.route("**/api/v1/me/visibility", lambda route: held.append(route))
    page = open_friends(ann)
    page.get_by_role("button", name=f"Invite {name_of(bo)}").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Open a new table")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    switch = page.get_by_label("When I am online, and where I play")
    switch.check()
    switch.uncheck()
    for _ in range(2):
        while not held:
            page.wait_for_timeout(20)
        (request,) = held  # the second change waits for the first
        held.clear()
        request.continue_()
    expect(page.locator(".visibility [data-said]")).to_have_text("Saved.")
    expect(switch).not_to_be_checked()
    assert ann.api("GET", "/me/visibility") == {"online": False, "seen": False}


def test_removing_a_friend_is_confirmed_and_keeps_the_focus(person: Callable[..., Player]) -> None:
    ann, bo = make_account(person, "Ann"), make_account(person, "Bo")
    befriend(ann, bo)
    page = open_friends(ann)
    remove = page.get_by_role("button", name=f"Remove {name_of(bo)} from your friends")
    remove.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="No")).to_be_focused()
    page.keyboard.press("Escape")
    expect(remove).to_be_focused()
    remove.click()
    dialog.get_by_role("button", name="Remove").click()
    expect(page.locator("[data-empty]")).to_be_visible()
    expect(page.locator("#friends-title")).to_be_focused()


def test_a_guest_is_told_what_to_do(person: Callable[..., Player]) -> None:
    guest, bo = person("Gus"), make_account(person, "Bo")
    guest.open(begin(guest, bo, options=SHORT))
    bo.act({"type": "resign"})
    guest.page.get_by_role("button", name=f"Add friend: {name_of(bo)}").click()
    answer = guest.page.locator(".friend-answer")
    expect(answer).to_contain_text("To have friends, you need an account.")
    expect(answer.get_by_role("link")).to_have_attribute("href", "/account")
    guest.complaints[:] = [line for line in guest.complaints if "403" not in line]
    page = open_friends(guest)
    expect(page.get_by_role("link", name="Create one or log in")).to_be_visible()
    expect(page.locator(".friends-link")).to_have_count(0)


def test_a_page_that_cannot_load_says_so(person: Callable[..., Player]) -> None:
    ann = make_account(person, "Ann")
    ann.page.route("**/api/v1/friends", lambda route: route.abort())
    page = open_friends(ann)
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    expect(page.get_by_role("link", name="Try again")).to_be_visible()
    ann.complaints.clear()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_is_accessible_and_steady(person: Callable[..., Player], width: int) -> None:
    ann, bo, cy = (make_account(person, name, bypass_csp=name == "Ann") for name in ("Ann", "Bo", "Cy"))
    befriend(ann, bo)
    cy.api("PUT", f"/friends/{id_of(ann)}")
    ann.api("PUT", f"/notes/{id_of(bo)}", {"text": "Bluffs a lot."})
    bo.api("PUT", "/me/visibility", {"online": True})
    bo.take_seat(bo.create({"preset": "jamaica", "players": 3}))
    bo.api("POST", f"/games/{bo.game}/invitations", {"player": id_of(ann)})
    ann.page.set_viewport_size({"width": width, "height": 800})
    session = ann.context.new_cdp_session(ann.page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", SLOW_NETWORK)
    shift, moved = first_load(ann, "/friends")
    assert shift < MAX_LAYOUT_SHIFT, moved
    page = ann.page
    expect(page.locator(".friend")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for theme in ("light", "dark"):
        assert find_violations_at(page, width, theme) == []
