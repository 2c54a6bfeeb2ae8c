"""Waiting for strangers: a player waits on the front page, plays elsewhere, is called back, or stops."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import Player


def test_a_player_who_waits_may_play_elsewhere_and_is_called_back(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    for player in (ann, bo):  # an edition of its own, so that tables of other tests do not matter
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("hispaniola")
        player.page.get_by_label("Seats").select_option("4")
    expect(ann.page.locator("[data-queue]")).to_have_text("No one is waiting right now.")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(bo.page.locator("[data-queue]")).to_have_text("1 person is waiting.")
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    dialog.get_by_role("button", name="Play against bots").click()
    expect(ann.page.locator('#table[data-phase="running"]')).to_be_visible()
    bot_game = ann.page.url
    expect(ann.page.locator("[data-turns]")).to_be_hidden()
    bo.page.get_by_role("button", name="Play with strangers").click()
    bo.page.wait_for_url(re.compile(r"/g/"))
    toast = ann.page.locator(".toast-call")
    expect(toast).to_contain_text("Someone has joined you at your table.")
    expect(ann.page).to_have_title(re.compile(r"^\(1\) "))
    ann.page.goto(f"{ann.url}/rules")  # also after another page was opened; the bots may wait, too
    expect(ann.page).to_have_title(re.compile(r"^\([12]\) "))
    ann.page.goto(bot_game)
    expect(ann.page).to_have_title(re.compile(r"^\(1\) "))
    ann.page.goto(bo.page.url)
    expect(ann.page.locator("#table[data-phase]")).to_be_visible()
    ann.page.wait_for_function("() => !JSON.parse(localStorage.getItem('cartagena.keptSeat')).isCalled")


def test_a_new_visitor_who_waits_on_the_front_page_is_found_and_called(person: Callable[..., Player]):
    ann, bo, cy = person(None), person("Bo"), person("Cy")
    queues = [player.page.locator("[data-queue]") for player in (ann, bo, cy)]
    for player in (ann, bo, cy):
        player.page.goto(player.url)
        player.page.get_by_label("Edition").select_option("hispaniola")
        player.page.get_by_label("Seats").select_option("5")
    for queue in queues:
        expect(queue).to_have_text("No one is waiting right now.")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(queues[2]).to_have_text("1 person is waiting.")
    # A refusal is shown in the dialog, which would cover a toast.
    ann.page.route("**/api/v1/games", lambda route: route.abort())
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Play against bots").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    ann.complaints.clear()
    bo.page.get_by_role("button", name="Play with strangers").click()
    bo.page.wait_for_url(re.compile(r"/g/"))
    expect(queues[2]).to_have_text("2 people are waiting.")
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    expect(queues[0]).to_have_text("No one is waiting right now.")  # it does not count the visitor
    # The dialog is untrue now and would cover the toast.
    expect(dialog).to_have_count(0)
    toast = ann.page.locator(".toast-call")
    expect(toast).to_contain_text("Someone has joined you at your table.")
    toast.get_by_role("link", name="Go to the table").click()
    ann.page.wait_for_url(bo.page.url)
    # People who have left do not wait, and some filters hide tables that quick play finds.
    for player in (ann, bo):
        player.page.goto("about:blank")
    expect(queues[2]).to_have_text("No one is waiting right now.")
    cy.page.get_by_label("Clock").select_option("none")
    expect(queues[2]).to_be_empty()


def test_a_player_may_stop_waiting(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("first-escape")
    ann.page.get_by_role("button", name="Play with strangers").click()
    row = ann.page.locator('[data-list="mine"] [data-room]')
    expect(row).to_have_count(1)
    ann.page.get_by_role("button", name="Stop waiting").click()
    expect(row).to_have_count(0)
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    ann.page.get_by_role("button", name="Play with strangers").click()  # the button works again
    expect(ann.page.get_by_role("dialog")).to_be_visible()


def test_the_offer_to_wait_ends_with_the_seat(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("4")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    ann.game = row["id"]
    ann.command("close")  # on another page
    expect(dialog).to_have_count(0)


def test_stop_waiting_ends_the_dialog_if_the_table_has_been_closed(person: Callable[..., Player]):
    ann = person("Ann")
    ann.page.route_web_socket("**/ws/lobby", lambda lobby: None)  # no row comes through
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("4")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    ann.game = row["id"]
    ann.command("close")
    dialog.get_by_role("button", name="Stop waiting").click()
    expect(dialog).to_have_count(0)


def test_a_player_who_has_looked_at_the_table_is_not_called_again(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("jungle")
    ann.page.get_by_label("Seats").select_option("3")
    ann.page.get_by_role("button", name="Play with strangers").click()
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    bo.game = row["id"]
    bo.command("sit")
    ann.page.locator(".toast-call").get_by_role("link", name="Go to the table").click()
    expect(ann.page.locator("#table[data-phase]")).to_be_visible()
    # It is the only table of the player: the server counts none beside it.
    expect(ann.page.locator("[data-own-games]")).to_have_attribute("data-own-games", "0")
    ann.page.wait_for_function("() => !JSON.parse(localStorage.getItem('cartagena.keptSeat')).isCalled")
    ann.page.goto(ann.url)
    expect(ann.page.locator('[data-list="mine"] [data-room]')).to_have_count(1)
    expect(ann.page.locator("[data-turns]")).to_be_hidden()


def test_stop_waiting_does_not_close_the_table_on_a_stranger(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    # The list of the page is out of date: no row comes through.
    ann.page.route_web_socket("**/ws/lobby", lambda lobby: None)
    ann.page.goto(ann.url)
    ann.page.get_by_label("Edition").select_option("dungeon")
    ann.page.get_by_label("Seats").select_option("5")
    ann.page.get_by_role("button", name="Play with strangers").click()
    dialog = ann.page.get_by_role("dialog", name="No one is waiting right now")
    expect(dialog).to_be_visible()
    (row,) = ann.api("GET", "/games?list=mine")["games"]
    bo.game = row["id"]
    bo.command("sit")
    dialog.get_by_role("button", name="Stop waiting").click()
    expect(dialog).to_have_count(0)
    table = bo.state()["table"]
    assert table["status"] == "open"
    assert len([seat for seat in table["seats"] if seat["person"]]) == 1
