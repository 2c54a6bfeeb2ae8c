"""The room of a game: sitting down, inviting, chat, banners, connection, the end, rematch."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api


def test_players_sit_choose_colours_get_ready_and_start(person: Callable[..., Player]) -> None:
    host, guest = person("Host"), person(None, phone=True)  # the guest has no name yet: sitting gives one
    # the host moves first, so that the bot does not act before the page is open
    game = host.create({"preset": "jamaica", "players": 3, "first": 0})
    host.open(game)
    guest.open(game)
    host.page.get_by_role("button", name="Sit here").first.click()
    expect(guest.page.locator(".berth").first).to_contain_text(
        "Host"
    )  # otherwise both may choose the same seat
    guest.page.get_by_role("button", name="Sit here").first.tap()
    expect(guest.page.locator(".berth.mine")).to_be_visible()
    host.page.get_by_role("radio", name="violet").click()
    expect(guest.page.locator(".berth").first).to_contain_text("violet")
    expect(guest.page.get_by_role("radio", name="violet")).to_be_disabled()
    host.page.get_by_role("button", name="Add a bot").click()
    expect(host.page.locator(".berth", has_text="bot")).to_be_visible()
    begin_button = host.page.get_by_role("button", name="Start the game")
    expect(begin_button).to_be_disabled()
    host.page.get_by_role("button", name="I'm ready").click()
    guest.page.get_by_role("button", name="I'm ready").tap()
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
    expect(host.page.get_by_label("Anyone with this link can join.")).to_have_value(
        f"{host.url}/g/{game}?edition=jamaica"
    )
    qr = host.page.get_by_alt_text("The link as a QR code")
    host.page.wait_for_function("node => node.complete && node.naturalWidth > 0", arg=qr.element_handle())


def test_chat_reaches_other_players_and_can_be_muted(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.get_by_role("tab", name="Chat").click()
    ann.page.get_by_label("Write a message").fill("<b>Ahoy</b> & well met")
    ann.page.get_by_role("button", name="Send").click()
    expect(bo.page.get_by_role("tab", name="Chat, 1 new message")).to_be_visible()
    bo.page.get_by_role("tab", name="Chat").click()
    line = bo.page.locator(".chat-line")
    expect(line).to_contain_text("<b>Ahoy</b> & well met")
    line.get_by_role("button", name="Hide messages").click()
    expect(line).to_have_count(0)
    # a muted player stays muted, also after a reload, until unmuted
    ann.page.get_by_role("button", name="Good move!").click()
    bo.page.reload()
    again = bo.page.get_by_role("button", name=re.compile("Show messages from Ann"))
    expect(again).to_be_visible()
    expect(line).to_have_count(0)
    again.click()
    expect(line).to_have_count(2)
    expect(line.last).to_contain_text("Good move!")
    expect(again).to_have_count(0)
    bo.page.get_by_role("button", name="Good luck!").click()
    expect(ann.page.locator(".chat-line").last).to_contain_text("Good luck!")


def test_host_can_pass_on_the_role_during_the_game(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    bo.page.locator(".table-menu > summary").click()
    offer = re.compile("Make .* host")
    expect(bo.page.get_by_role("button", name=offer)).to_have_count(0)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name=offer).click()
    ann.page.get_by_role("dialog").get_by_role("button", name=offer).click()
    expect(ann.page.locator(".log-line").last).to_contain_text("is now the host")
    expect(bo.page.get_by_role("button", name=offer)).to_have_count(1)
    ann.page.locator(".table-menu > summary").click()
    expect(ann.page.get_by_role("button", name=offer)).to_have_count(0)


def test_a_log_line_shows_its_move_on_the_board(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    before = ann.seq()
    assert move_via_api(ann) or move_via_api(bo)
    ann.wait_past(before)
    line = ann.page.locator(".log-line.has-trace").last
    line.hover()
    expect(ann.page.locator(".trace")).to_have_count(1)
    ann.page.mouse.move(5, 5)
    expect(ann.page.locator(".trace")).to_have_count(0)
    line.focus()
    expect(ann.page.locator(".trace")).to_have_count(1)


def test_resigning_asks_for_confirmation_and_rematch_seats_the_player(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Resign").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(ann.page.locator("#table")).to_have_attribute("data-phase", "running")
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Resign").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(bo.page.locator(".ending h2")).to_have_text("You have won!")
    expect(ann.page.locator(".ending h2")).to_have_text("You have resigned.")
    expect(ann.page.get_by_role("link", name="Start a new game")).to_be_visible()
    bo.page.get_by_role("button", name="Rematch").click()
    expect(bo.page.locator(".berth.mine")).to_contain_text("ready")
    expect(bo.page.locator(".berth", has_text="Reserved for Ann")).to_be_visible()
    expect(ann.page.locator(".rematch-note")).to_contain_text("A table for the rematch has been opened.")
    ann.page.get_by_role("button", name="Rematch").click()
    ann.page.wait_for_url(bo.page.url)


def test_lost_connection_is_shown_and_restored_without_a_reload(
    person: Callable[..., Player], game_server: GameServer
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    game_server.stop(signal.SIGKILL)
    expect(ann.page.locator(".banner")).to_contain_text("the server cannot be reached")
    game_server.start()
    expect(ann.page.locator(".banner-bad")).to_have_count(0)
    expect(bo.page.locator(".banner-bad")).to_have_count(0)
    before = ann.seq()
    assert move_via_api(ann) or move_via_api(bo)
    ann.wait_past(before)
    bo.wait_past(before)
    # the browser logs the refused connections
    for each in (ann, bo):
        each.complaints.clear()


def test_move_made_offline_is_sent_after_the_page_was_closed(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    for is_still_possible in (True, False):
        ann.open(game)
        seq = ann.seq()
        ann.context.set_offline(True)
        ann.page.locator(".hand-card.playable").first.click()
        ann.page.locator(".choice").first.click()
        expect(ann.page.locator(".tray-hint")).to_contain_text("will be sent when the connection is back")
        ann.page.goto("about:blank")
        ann.context.set_offline(False)
        if not is_still_possible:
            move_via_api(ann)
        sent = ann.state()["seq"]
        ann.open(game)
        ann.wait_past(seq)
        expect(ann.page.locator(".log-line").last).to_contain_text("plays a")
        assert ann.seq() == seq + 1, "the move was made once"
        assert sent == (seq if is_still_possible else seq + 1)
        expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
        if not is_still_possible:
            expect(ann.page.locator(".banner")).to_contain_text("moved on")
    ann.complaints.clear()  # the browser logs the refused connections


def test_refusal_is_shown_with_its_message(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    mover = ann if ann.state().get("choices") else bo
    mover.open(game)
    mover.page.evaluate("document.getElementById('table').scrollTop = 0")
    # the same seat on two devices: a withheld frame leaves one of them a step behind
    second = mover.context.new_page()
    second.route_web_socket(re.compile("/ws/game/"), lambda wire: hold_back_game_frames(wire))
    second.goto(f"{mover.url}/g/{game}")
    expect(second.locator(".hand-card.playable").first).to_be_visible()
    before = mover.seq()
    assert move_via_api(mover)
    mover.wait_past(before)
    second.locator(".hand-card.playable").first.click()
    second.locator(".place.is-source").first.click()
    expect(second.locator(".banner")).to_contain_text("moved on")
    expect(second.locator(".pip.taken")).to_have_count(1)
    second.close()


def hold_back_game_frames(wire: object) -> None:
    """Forward all frames except those with game events."""
    server = wire.connect_to_server()  # type: ignore[attr-defined]
    server.on_message(lambda text: None if '"t":"events"' in text else wire.send(text))  # type: ignore[attr-defined]


def test_pause_is_agreed_on_and_ended_from_the_banner(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Ask for a pause").click()
    expect(bo.page.locator(".banner")).to_contain_text("wants to pause")
    bo.page.get_by_role("button", name="Agree").click()
    for each in (ann, bo):
        expect(each.page.locator(".banner")).to_contain_text("The game is paused.")
    bo.page.get_by_role("button", name="Continue").click()
    ann.page.get_by_role("button", name="Agree").click()
    for each in (ann, bo):
        expect(each.page.locator(".banner")).to_have_count(0)


def test_hint_is_shown_as_a_choice(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT, hints=True)
    player = ann if ann.state().get("choices") else bo
    player.open(game)
    # It replaces a selection only if the player asks for it.
    player.page.locator(".hand-card.playable").first.click()
    expect(player.page.locator(".put-back")).to_be_visible()
    player.page.locator(".table-menu > summary").click()
    player.page.get_by_role("button", name="Ask for a hint").click()
    # and says why in one clause, not only that it is good
    expect(player.page.locator(".tray-hint")).to_have_text(re.compile("^Hint: (?!This is what)[A-Z]"))
    expect(player.page.locator(".put-back")).to_be_hidden()
    before = player.seq()
    player.page.locator(".choice").click()
    player.wait_past(before)


def test_hint_on_a_phone_covers_no_card_and_lights_where_it_leads(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0}, hints=True)
    ann.open(game)
    page = ann.page
    page.locator(".ask-hint").tap()
    hint = page.locator(".tray-hint")
    expect(hint).to_have_text(re.compile("^Hint: "))
    box, tray = hint.bounding_box(), page.locator(".tray").bounding_box()
    assert box
    assert tray
    assert box["height"] > 15
    assert box["y"] + box["height"] <= tray["y"], "above the tray, not over the hand"
    choice = page.locator(".choice").bounding_box()
    assert choice
    assert choice["height"] <= tray["height"]
    before = ann.seq()
    page.locator(".choice").tap(position={"x": choice["width"] / 2, "y": choice["height"] / 2})
    ann.wait_past(before)
    page.locator(".ask-hint").tap()
    expect(page.locator(".is-target")).to_have_count(1)
    before = ann.seq()
    page.locator(".is-target").tap(force=True)
    ann.wait_past(before)


def test_ending_a_turn_with_actions_left_is_asked_once(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    ann.open(game)
    first = next(choice for choice in ann.state()["choices"] if choice["action"]["type"] == "advance")
    ann.act(first["action"])
    before = ann.seq()
    end = ann.page.locator(".end-turn")
    end.click()
    expect(end).to_have_text("Skip 4 actions?")
    ann.page.locator(".status").click()
    expect(end).to_have_text("End turn")
    end.click()
    expect(end).to_have_text("Skip 4 actions?")
    end.click()
    ann.wait_past(before)


def test_locked_table_asks_for_its_password_once(person: Callable[..., Player]) -> None:
    host, guest = person("Host"), person("Guest")
    game = host.create({"preset": "jamaica", "players": 3}, visibility="password", password="open sesame")
    guest.page.goto(f"{guest.url}/g/{game}")
    dialog = guest.page.get_by_role("dialog")
    dialog.get_by_label("Password").fill("open barley")
    dialog.get_by_role("button", name="Open the table").click()
    expect(dialog).to_contain_text("That password is wrong")
    dialog.get_by_label("Password").fill("open sesame")
    dialog.get_by_role("button", name="Open the table").click()
    expect(guest.page.locator(".berth")).to_have_count(3)
    guest.page.reload()
    expect(guest.page.locator(".berth")).to_have_count(3)
