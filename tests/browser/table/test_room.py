"""Before, around and after the game: sitting down, inviting, chat, banners, connection, the end, rematch."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, House, Player, begin, move_beside


def test_people_sit_choose_colours_get_ready_and_begin(person: Callable[..., Player]) -> None:
    host, guest = person("Host"), person(None, phone=True)  # the guest has no name yet: sitting gives one
    # the host begins, so that the bot does not move before anybody has looked
    game = host.create({"preset": "jamaica", "players": 3, "first": 0})
    host.open(game)
    guest.open(game)
    host.page.get_by_role("button", name="Sit here").first.click()
    expect(guest.page.locator(".berth").first).to_contain_text("Host")  # else both may want the same seat
    guest.page.get_by_role("button", name="Sit here").first.tap()
    expect(guest.page.locator(".berth.mine")).to_be_visible()
    host.page.get_by_role("radio", name="violet").click()
    expect(guest.page.locator(".berth").first).to_contain_text("violet")
    expect(guest.page.get_by_role("radio", name="violet")).to_be_disabled()
    host.page.get_by_role("button", name="Add a bot").click()
    expect(host.page.locator(".berth", has_text="bot")).to_be_visible()
    begin_button = host.page.get_by_role("button", name="Begin the game")
    expect(begin_button).to_be_disabled()
    host.page.get_by_role("button", name="I am ready").click()
    guest.page.get_by_role("button", name="I am ready").tap()
    expect(begin_button).to_be_enabled()
    begin_button.click()
    for each in (host, guest):
        expect(each.page.locator(".plate")).to_have_count(3)
        expect(each.page.locator('[data-place="start"]')).to_have_attribute(
            "aria-label", re.compile("18 pirates: 6 × violet")
        )


def test_the_link_and_its_qr_code_are_offered(person: Callable[..., Player]) -> None:
    host = person("Host")
    game = host.create({"preset": "jamaica", "players": 3})
    host.open(game)
    expect(host.page.get_by_label("Whoever has this link can join.")).to_have_value(
        f"{host.url}/g/{game}?edition=jamaica"
    )
    qr = host.page.get_by_alt_text("The link as a QR code")
    host.page.wait_for_function("node => node.complete && node.naturalWidth > 0", arg=qr.element_handle())


def test_what_is_said_is_heard_and_can_be_hidden(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.get_by_role("tab", name="Chat").click()
    ann.page.get_by_label("Write a message").fill("<b>Ahoy</b> & well met")
    ann.page.get_by_role("button", name="Send").click()
    expect(bo.page.get_by_role("tab", name="Chat, 1 new")).to_be_visible()
    bo.page.get_by_role("tab", name="Chat").click()
    line = bo.page.locator(".chat-line")
    expect(line).to_contain_text("<b>Ahoy</b> & well met")
    line.get_by_role("button", name="Hide what").click()
    expect(line).to_have_count(0)
    # somebody hidden stays hidden, also after a reload, until one wants to read them again
    ann.page.get_by_role("button", name="Good move!").click()
    bo.page.reload()
    again = bo.page.get_by_role("button", name=re.compile("Show again what Ann"))
    expect(again).to_be_visible()
    expect(line).to_have_count(0)
    again.click()
    expect(line).to_have_count(2)
    expect(line.last).to_contain_text("Good move!")
    expect(again).to_have_count(0)
    bo.page.get_by_role("button", name="Good luck!").click()
    expect(ann.page.locator(".chat-line").last).to_contain_text("Good luck!")


def test_the_host_hands_the_role_on_during_the_game(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    bo.page.locator(".table-menu > summary").click()
    offer = re.compile("Make .* host")
    expect(bo.page.get_by_role("button", name=offer)).to_have_count(0)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name=offer).click()
    expect(ann.page.locator(".log-line").last).to_contain_text("is now the host")
    expect(bo.page.get_by_role("button", name=offer)).to_have_count(1)
    ann.page.locator(".table-menu > summary").click()
    expect(ann.page.get_by_role("button", name=offer)).to_have_count(0)


def test_a_log_line_shows_its_move_on_the_board(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    before = ann.seq()
    assert move_beside(ann) or move_beside(bo)
    ann.wait_past(before)
    line = ann.page.locator(".log-line.has-trace").last
    line.hover()
    expect(ann.page.locator(".trace")).to_have_count(1)
    ann.page.mouse.move(5, 5)
    expect(ann.page.locator(".trace")).to_have_count(0)
    line.focus()
    expect(ann.page.locator(".trace")).to_have_count(1)


def test_giving_up_is_asked_about_and_a_rematch_seats_whoever_presses_it(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Give up").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(ann.page.locator("#table")).to_have_attribute("data-phase", "running")
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Give up").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Give up").click()
    expect(bo.page.locator(".ending h2")).to_have_text("You have won!")
    expect(ann.page.locator(".ending h2")).to_have_text("You have given up.")
    expect(ann.page.get_by_role("link", name="A new game")).to_be_visible()
    bo.page.get_by_role("button", name="Rematch").click()
    expect(bo.page.locator(".berth.mine")).to_contain_text("ready")
    expect(bo.page.locator(".berth", has_text="Kept for Ann")).to_be_visible()
    expect(ann.page.locator(".rematch-note")).to_contain_text("wait for you")
    ann.page.get_by_role("button", name="Rematch").click()
    ann.page.wait_for_url(bo.page.url)


def test_a_lost_line_is_told_and_mended_without_a_reload(person: Callable[..., Player], house: House) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    house.stop(signal.SIGKILL)
    expect(ann.page.locator(".banner")).to_contain_text("the server cannot be reached")
    house.start()
    expect(ann.page.locator(".banner-bad")).to_have_count(0)
    expect(bo.page.locator(".banner-bad")).to_have_count(0)
    before = ann.seq()
    assert move_beside(ann) or move_beside(bo)
    ann.wait_past(before)
    bo.wait_past(before)
    # the browser itself reports refused connections; that is what happened
    for each in (ann, bo):
        each.complaints.clear()


def test_a_refusal_is_shown_with_its_sentence(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    mover = ann if ann.state().get("choices") else bo
    mover.open(game)
    mover.page.evaluate("document.getElementById('table').scrollTop = 0")
    # the same seat on two devices: the other one ends up a step behind by a held-back frame
    second = mover.context.new_page()
    second.route_web_socket(re.compile("/ws/game/"), lambda wire: held_back(wire))
    second.goto(f"{mover.url}/g/{game}")
    expect(second.locator(".hand-card.playable").first).to_be_visible()
    before = mover.seq()
    assert move_beside(mover)
    mover.wait_past(before)
    second.locator(".hand-card.playable").first.click()
    second.locator(".place.is-source").first.click()
    expect(second.locator(".banner")).to_contain_text("moved on")
    expect(second.locator(".pip.taken")).to_have_count(1)
    second.close()


def held_back(wire: object) -> None:
    """Everything passes but news of the game."""
    server = wire.connect_to_server()  # type: ignore[attr-defined]
    server.on_message(lambda text: None if '"t":"events"' in text else wire.send(text))  # type: ignore[attr-defined]


def test_a_pause_is_agreed_on_and_ended_by_the_banner(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Ask for a pause").click()
    expect(bo.page.locator(".banner")).to_contain_text("would like to pause")
    bo.page.get_by_role("button", name="Agree").click()
    for each in (ann, bo):
        expect(each.page.locator(".banner")).to_contain_text("The game is paused.")
    bo.page.get_by_role("button", name="Go on").click()
    ann.page.get_by_role("button", name="Agree").click()
    for each in (ann, bo):
        expect(each.page.locator(".banner")).to_have_count(0)


def test_a_hint_is_shown_as_a_choice_to_take(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT, hints=True)
    player = ann if ann.state().get("choices") else bo
    player.open(game)
    player.page.locator(".table-menu > summary").click()
    player.page.get_by_role("button", name="Ask for a hint").click()
    # and says why in one clause, not only that it is good
    expect(player.page.locator(".tray-hint")).to_have_text(re.compile("^A hint: (this|nothing) (?!is what)"))
    before = player.seq()
    player.page.locator(".choice").click()
    player.wait_past(before)


def test_a_locked_table_asks_for_its_password_once(person: Callable[..., Player]) -> None:
    host, guest = person("Host"), person("Guest")
    game = host.create({"preset": "jamaica", "players": 3}, visibility="password", password="open sesame")
    guest.page.goto(f"{guest.url}/g/{game}")
    dialog = guest.page.get_by_role("dialog")
    dialog.get_by_label("Password").fill("open barley")
    dialog.get_by_role("button", name="Go in").click()
    expect(dialog).to_contain_text("not its password")
    dialog.get_by_label("Password").fill("open sesame")
    dialog.get_by_role("button", name="Go in").click()
    expect(guest.page.locator(".berth")).to_have_count(3)
    guest.page.reload()
    expect(guest.page.locator(".berth")).to_have_count(3)
