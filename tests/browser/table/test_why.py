"""Every click that does nothing says why, powers are explained on request, and hidden choices are counted."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.game_server import SHORT, Player, answer_pending_choice, begin

MAGIC: dict[str, Any] = {
    "preset": "complete", "players": 2, "black_magic": True, "scoundrels": True, "card_gain": "split",
}  # fmt: skip

# Click each element that offers nothing, after `select` (a selector or null), and return [element, sentence] pairs.
CLICK_ALL = """async ([wanted, select]) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const found = [];
  for (const node of document.querySelectorAll(wanted)) {
    if (select) {
      const chosen = document.querySelector(select);
      if (!chosen.matches('.selected, .is-selected'))
        chosen.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      if (node.matches('.playable, .is-source, .is-target, .is-selected')) continue;
    }
    const note = () => document.querySelector('.why-note:not(.lesson)');
    if (note()) note().hidden = true;
    node.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    for (let n = 0; n < 2000 && !(note() && !note().hidden); n += 1) await wait(10);
    found.push([node.dataset.card ?? node.dataset.place ?? node.className, note()?.hidden ? '' : note()?.textContent]);
  }
  return found;
}"""
INERT_CARDS = ".hand-card:not(.playable)"
INERT_PLACES = ".place:not(.is-source, .is-target)"
SUPPLY = ".deck, .row:not([hidden])"


def sentences(page: Page, wanted: str, select: str | None = None) -> set[str]:
    """Return the sentences after clicking all these elements. Each must have one."""
    said: list[list[str]] = page.evaluate(CLICK_ALL, [wanted, select])
    silent = [element for element, sentence in said if not sentence or "{" in sentence]
    assert silent == [], said
    return {sentence for _, sentence in said}


def map_box(page: Page) -> Any:
    return page.locator(".map").bounding_box()


def play_randomly(players: tuple[Player, ...], moves: int, seed: int) -> Player:
    """Play random actions through the API and return the player whose turn it then is, at its start."""
    dice = random.Random(seed)
    for n in range(100 + moves):
        for player in players:
            state = player.state()
            choices = state.get("choices")
            if not choices or answer_pending_choice(player, state):
                continue
            hand = state["view"]["players"][state["you"]["seat"]]["hand"]
            if n >= moves and state["view"]["turn"]["taken"] == 0 and len(hand) > 2:
                return player
            gains = [choice for choice in choices if choice.get("draws") or len(hand) > 3]
            player.act(dice.choice(gains or choices)["action"], state["seq"])
    raise AssertionError("no turn began")


@pytest.mark.parametrize(
    ("options", "moves"),
    [({**SHORT, "relief": "start"}, 25), (MAGIC, 35), ({**MAGIC, "card_gain": "both", "players": 3}, 25)],
    ids=["row", "split", "both"],
)
def test_every_inert_element_says_why(
    person: Callable[..., Player], options: dict[str, Any], moves: int
) -> None:
    players = tuple(person(name) for name in ("Ann", "Bo", "Cleo")[: options["players"]])
    game = begin(*players, options=options)
    own = play_randomly(players, moves, 5)
    page = own.page
    own.open(game)
    page.wait_for_selector(".place.is-source, .looking-back:not([hidden])")
    if page.locator(".looking-back").is_visible():  # what was missed is replayed
        page.keyboard.press("Escape")
        page.wait_for_selector(".place.is-source")
    before = map_box(page)
    sentences(page, f"{INERT_CARDS}, {INERT_PLACES}, {SUPPLY}")
    sentences(page, INERT_PLACES, ".hand-card.playable")
    sentences(page, INERT_PLACES, ".place.is-source, .place.is-selected")
    assert map_box(page) == before
    # a resting line, announced politely, that disappears with the next action
    expect(page.locator("#live-polite")).to_contain_text(page.locator(".why-note:not(.lesson)").inner_text())
    other = next(player for player in players if player is not own)
    other.open(game)
    turn = own.page.locator(".plate.own .plate-who").inner_text()
    assert sentences(other.page, f".hand-card, .place, {SUPPLY}") == {f"It's {turn}'s turn."}


def test_spectators_ended_games_lost_connections_and_used_up_turns_say_why(
    person: Callable[..., Player],
) -> None:
    ann, bo, watcher = person("Ann"), person("Bo"), person("Watcher")
    game = begin(ann, bo, options={**SHORT, "actions": 1})
    own = play_randomly((ann, bo), 4, 3)
    own.open(game)
    watcher.open(game)
    assert sentences(watcher.page, f".place, {SUPPLY}") == {
        "You are watching. Only the players can move pirates and play cards."
    }
    own.act(next(c for c in own.state()["choices"] if c["action"]["type"] == "advance")["action"])
    expect(own.page.locator(".pip.taken")).to_have_count(1)
    assert sentences(own.page, f"{INERT_CARDS}, .place, {SUPPLY}") == {
        "You have used all your actions: end your turn."
    }
    own.context.set_offline(True)
    expect(own.page.locator(".banner").first).to_be_visible()
    assert sentences(own.page, ".place") == {
        "The server cannot be reached. Check your connection and try again."
    }
    own.context.set_offline(False)
    own.act({"type": "resign"})
    watcher.page.wait_for_selector('#table[data-phase="finished"]')
    assert sentences(watcher.page, ".place") == {"The game is over."}
    own.complaints[:] = [line for line in own.complaints if "ERR_INTERNET_DISCONNECTED" not in line]


def test_reason_disappears_when_the_window_changes_its_shape(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options={**SHORT, "first": 0}))
    assert sentences(ann.page, SUPPLY)
    note = ann.page.locator(".why-note:not(.lesson)")
    expect(note).to_be_visible()
    ann.page.set_viewport_size({"width": 390, "height": 844})
    expect(note).to_be_hidden(timeout=2000)


def test_a_pending_choice_says_so_to_all(person: Callable[..., Player]) -> None:
    players = (person("Ann"), person("Bo"))
    game = begin(*players, options=MAGIC)
    for seed in range(20):
        own = play_randomly(players, 1, seed)
        asks = [
            c["action"] for c in own.state()["choices"] if c["action"]["type"] in ("pistol", "rum", "lantern")
        ]
        if asks:
            break
    own.act(asks[0])
    for player in players:
        player.open(game)
    expect(own.page.locator(".owed")).to_be_visible()
    assert sentences(own.page, f".hand-card, .place, {SUPPLY}") == {"You have a choice to make first."}
    other = next(player for player in players if player is not own)
    assert len(sentences(other.page, f".hand-card, .place, {SUPPLY}")) == 1


def test_powers_are_explained_on_request_and_at_their_first_offer(person: Callable[..., Player]) -> None:
    players = (person("Ann"), person("Bo"))
    game = begin(*players, options=MAGIC, hints=True)
    own = play_randomly(players, 1, 2)
    page = own.page
    page.set_viewport_size({"width": 390, "height": 844})
    own.open(game)
    lesson = page.locator(".why-note.lesson")
    page.mouse.move(9, 9)  # lessons wait for a sign of life
    expect(lesson).to_be_visible()
    first = lesson.inner_text()
    assert page.evaluate("JSON.parse(localStorage['cartagena.table']).lessons.length") == 1
    expect(page.locator("#live-polite")).to_contain_text(first)
    expect(page.locator(".ask-hint")).to_be_visible()
    # choices that do not fit are counted and can be shown, without moving the board
    page.locator('.place[data-place="start"]').click()
    more = page.locator(".more-choices")
    count = page.locator(".choice").count()
    expect(more).to_contain_text("more")
    before = map_box(page)
    more.click()
    expect(more).to_have_text("Show fewer")
    expect(page.locator(".choices.expanded > .choice")).to_have_count(count)
    assert map_box(page) == before
    page.keyboard.press("Escape")
    expect(page.locator(".choices.expanded")).to_have_count(0)
    page.keyboard.press("Escape")
    # press and hold: the explanation, and no click
    card = page.locator(".hand-card").first
    card.evaluate(
        """(node) => {
          const at = { bubbles: true, pointerType: 'touch', clientX: 5, clientY: 5 };
          node.dispatchEvent(new PointerEvent('pointerdown', at));
          setTimeout(() => {
            node.dispatchEvent(new PointerEvent('pointerup', at));
            node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
          }, 700);
        }"""
    )
    dialog = page.locator("dialog.explain")
    expect(dialog).to_contain_text("Its power")
    page.wait_for_timeout(400)
    expect(card).to_have_attribute("aria-pressed", "false")
    dialog.get_by_role("button", name="Close").click()
    # the keyboard: on a place, with why it offers nothing; elsewhere the list of shortcuts
    page.locator('.place[data-place="30"]').focus()
    page.keyboard.press("?")
    # Which reason it is depends on the hand: the space is empty and across the water.
    reason = re.compile(
        r"^Not now: (You have no (pirate on|card with the symbol of) space 30\b|A card does not take a pirate across)"
    )
    expect(dialog.locator(".explain-not-now")).to_have_text(reason)
    page.keyboard.press("Escape")
    for explained in (".plate", ".deck", ".pips", ".place.has-chest"):
        page.locator(explained).first.dispatch_event("contextmenu")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    page.locator(".ask-hint").focus()
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_be_visible()


def test_tap_that_ends_before_the_explanations_have_loaded_is_not_a_long_press(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    page = ann.page

    def answer_late(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/help.js*", answer_late)
    ann.open(game)
    with page.expect_response(lambda response: "/help.js" in response.url):
        page.locator(".hand-card.playable").first.tap()
    page.wait_for_timeout(900)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".hand-card.is-selected, .hand-card.selected")).to_have_count(1)


def repeat_until_visible(act: Callable[[], None], wanted: Locator) -> None:
    """Act again until the locator is visible: a browser that remembers failed modules first reloads the page."""
    for _ in range(3):
        act()
        try:
            expect(wanted).to_be_visible(timeout=4000)
            return
        except AssertionError:
            continue
    expect(wanted).to_be_visible()


def test_lesson_that_could_not_be_loaded_is_taught_later(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0})
    ann.page.route("**/lesson_texts.js*", lambda route: route.abort())
    ann.open(game)
    with ann.page.expect_event("requestfailed", lambda request: "lesson_texts" in request.url):
        ann.page.mouse.move(9, 9)
    lesson = ann.page.locator(".why-note.lesson")
    expect(lesson).to_be_hidden()
    ann.page.unroute_all()
    ann.complaints.clear()
    card = ann.page.locator(".hand-card.playable").first
    repeat_until_visible(card.click, lesson)
    assert ann.page.evaluate("JSON.parse(localStorage['cartagena.table']).lessons.length") == 1
    ann.complaints.clear()  # a browser that remembers failed modules logs another one


def test_help_and_clocks_that_could_not_be_loaded_are_tried_again(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0}, clock={"kind": "turn", "seconds": 3000}, hints=True)
    page = ann.page
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    late = re.compile(r"/(why|help|lessons|signs_of_presence|more_choices|own_clock|shortcuts_dialog)\.js")
    page.route(late, lambda route: route.abort())
    ann.open(game)
    banner = page.locator(".banner").filter(has_text="The server cannot be reached.")
    # Without a word the player would think that the page is broken.
    page.locator(SUPPLY).first.dispatch_event("click")
    expect(banner).to_be_visible()
    expect(banner).to_have_count(0)
    page.keyboard.press("?")
    expect(banner).to_be_visible()
    page.unroute(late)
    repeat_until_visible(lambda: page.keyboard.press("?"), page.locator(".keys"))
    page.keyboard.press("Escape")
    page.locator(SUPPLY).first.dispatch_event("click")
    expect(page.locator(".why-note:not(.lesson)")).to_be_visible()
    assert any('"here"' in frame for frame in sent)
    # A part that shows the state is tried again with the next change.
    ann.act(ann.state()["choices"][0]["action"])
    expect(page.locator(".own-clock")).to_be_visible()
    ann.complaints.clear()  # the browser logs the failed loads
