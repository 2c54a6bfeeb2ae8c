"""Feedback at the table: motion, sound, countdowns, title, favicon, restarts and lost connections."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable

from playwright.sync_api import WebSocketRoute, expect

from tests.browser.game_server import SHORT, GameServer, Player, begin, move_via_api
from tests.browser.table.test_play import move_on_the_page

# Counts animations and sounds without changing them.
COUNT_MOTION_AND_SOUND = """
window.moved = 0;
window.sounded = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) { window.moved += 1; return animate.apply(this, all); };
const oscillator = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.sounded += 1; return oscillator.call(this); };
"""

# Figures that are drawn in the wrong place.
MISPLACED_FIGURES = """() => [...document.querySelectorAll('.figure')].filter((node) => {
  const [x, y] = node.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);
  const { e, f } = node.parentNode.getScreenCTM().inverse().multiply(node.getScreenCTM());
  return Math.hypot(e - x, f - y) > 1;
}).length ? [document.querySelectorAll('.figure').length] : []"""


def in_turn(one: Player, other: Player) -> tuple[Player, Player]:
    """Return the player whose turn it is, then the other."""
    return (one, other) if one.state().get("choices") else (other, one)


def test_motion_and_sound_follow_the_settings(person: Callable[..., Player]) -> None:
    lively, still = person("Lively", reduced_motion="no-preference"), person("Still")
    game = begin(lively, still, options=SHORT)
    for each in (lively, still):
        each.page.add_init_script(COUNT_MOTION_AND_SOUND)
        each.open(game)
    mover, _ = in_turn(lively, still)
    for _ in range(3):  # without waiting: each action ends the animation of the previous one
        move_on_the_page(mover)
    for each in (lively, still):
        each.page.wait_for_function("() => document.querySelectorAll('.log-line').length >= 3")
    assert still.page.evaluate("window.moved") == 0
    lively.page.wait_for_function("() => window.moved > 0")
    # every figure is at its place, and no card is still flying
    lively.page.wait_for_function(
        "() => document.getAnimations().length === 0 && !document.querySelector('.flying')"
    )
    assert lively.page.evaluate(MISPLACED_FIGURES) == []
    # sound is off by default
    assert lively.page.evaluate("window.sounded") == 0
    lively.page.locator(".table-menu > summary").click()
    lively.page.get_by_role("button", name="Sound is off").click()
    expect(lively.page.get_by_role("button", name="Sound is on")).to_have_attribute("aria-pressed", "true")
    before = lively.seq()
    assert move_via_api(lively) or move_via_api(still)
    lively.wait_past(before)
    lively.page.wait_for_function("() => window.sounded > 0")
    assert still.page.evaluate("window.sounded") == 0


def test_title_and_favicon_show_the_turn_and_a_turn_can_end_automatically(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "actions": 1})
    first, second = in_turn(ann, bo)
    for each in (first, second):
        each.open(game)
    favicon = "document.querySelector('link[rel=icon]').getAttribute('href').split('/').pop()"
    expect(first.page).to_have_title(re.compile("^Your turn – "))
    assert first.page.evaluate(favicon) == "favicon-turn.svg"
    expect(second.page).to_have_title(re.compile("^(?!Your turn)"))
    assert second.page.evaluate(favicon) == "favicon.svg"
    first.page.locator(".table-menu > summary").click()
    first.page.get_by_label("End my turn").select_option("3")
    first.page.keyboard.press("Escape")
    move_on_the_page(first)
    expect(first.page.locator(".end-turn")).to_contain_text(re.compile(r"End turn in \d second"))
    # a click elsewhere cancels it: a turn does not end while its player is still thinking
    first.page.locator(".status-words").click()
    expect(first.page.locator(".end-turn")).to_have_text("End turn")
    first.page.reload()
    expect(first.page.locator(".end-turn")).to_contain_text(re.compile(r"End turn in \d second"))
    expect(second.page).to_have_title(re.compile("^Your turn – "), timeout=15000)
    assert second.page.evaluate(favicon) == "favicon-turn.svg"
    expect(first.page).to_have_title(re.compile("^(?!Your turn)"))
    assert first.page.evaluate(favicon) == "favicon.svg"


def test_absent_player_has_a_countdown_and_a_restart_is_announced(
    person: Callable[..., Player], game_server: GameServer
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT, absence=3600)
    here, gone = in_turn(bo, ann)[::-1]  # the player whose turn it is has left
    here.open(game)
    waited = here.page.locator(".banners .banner")
    expect(waited).to_contain_text(re.compile(r"is away; the table can decide in \d+ seconds"))
    left = waited.inner_text()
    expect(waited).not_to_have_text(left)  # and the number decreases
    assert gone.game == game
    game_server.stop(signal.SIGTERM)
    expect(here.page.locator(".flash .banner")).to_contain_text(
        "The server is restarting. Nothing at this table is lost."
    )
    game_server.start()
    expect(here.page.locator(".flash .banner")).to_contain_text("Connected again.", timeout=30000)
    expect(here.page.locator(".flash .banner")).to_have_count(0)
    here.complaints.clear()  # the browser reports the refused connections meanwhile


def test_action_is_resent_while_the_server_cannot_store_it(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    mover, _ = in_turn(ann, bo)
    refused: list[str] = []

    def cannot_store_twice(wire: WebSocketRoute) -> None:
        server = wire.connect_to_server()

        def on_message(text: str | bytes) -> None:
            message = json.loads(text)
            if message["do"] == "act" and len(refused) < 2:
                refused.append(message["id"])
                answer = {"t": "refused", "id": message["id"], "code": "try_again", "message": "", "seq": 0}
                wire.send(json.dumps(answer))
            else:
                server.send(text)

        wire.on_message(on_message)

    mover.page.route_web_socket(re.compile("/ws/game/"), cannot_store_twice)
    mover.open(game)
    before = mover.seq()
    mover.page.locator(".hand-card.playable").first.click()
    mover.page.locator(".place.is-source").first.click()
    expect(mover.page.locator(".flash .banner")).to_contain_text(
        "The server cannot save anything at the moment."
    )
    mover.wait_past(before)
    assert len(refused) == 2, "resent"
    assert len(set(refused)) == 1, "with the same id, so that it is applied once"
    expect(mover.page.locator(".flash .banner")).to_contain_text("Connected again.")
    expect(mover.page.locator(".pip.taken")).to_have_count(1)


def test_lost_network_is_shown_at_once_and_queued_actions_are_sent_later(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    mover, _ = in_turn(ann, bo)
    mover.open(game)
    before = mover.seq()
    menu = mover.page.locator(".table-menu > summary")
    menu.click()
    resign = mover.page.get_by_role("button", name="Resign")
    expect(resign).to_be_visible()
    menu.click()
    mover.context.set_offline(True)
    expect(mover.page.locator(".flash .banner")).to_contain_text("No network: this device is offline.")
    mover.page.locator(".hand-card.playable").first.click()
    mover.page.locator(".place.is-source").first.click()
    expect(mover.page.locator(".flash .banner")).to_contain_text("No network: this device is offline.")
    expect(mover.page.locator(".tray-hint")).to_have_text(
        "You're offline. Your move will be sent when the connection is back."
    )
    menu.click()
    resign.click()
    mover.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    mover.context.set_offline(False)
    expect(mover.page.locator(".flash .banner")).to_contain_text("Connected again.")
    expect(mover.page.locator(".ending h2")).to_have_text("You have resigned.")
    expect(mover.page.locator(".log-line", has_text="from the prison to space")).to_have_count(1)
    assert mover.seq() == before + 2
    mover.complaints.clear()  # the browser reports the attempts without a network
