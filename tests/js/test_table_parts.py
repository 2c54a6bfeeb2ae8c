"""Parts of the table page one by one: what they show while the state or the clock moves on, and what they send."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, expect

from tests.js.test_subscriptions import states

Run = Callable[..., Any]

BANNERS = """async ({Banners}, {states, times}) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const [root, flash] = [document.createElement("div"), document.createElement("div")];
  let now = 0, tick;
  const {setInterval} = window;
  window.setInterval = (call) => (tick = call);
  const banners = Banners(root, flash, {send() {}, now: () => now, onReload() {}, onSound() {}});
  window.setInterval = setInterval;
  const texts = [];
  for (const state of states) {
    banners.update({...emptyState(), ...state});
    texts.push(root.textContent);
  }
  for (const time of times) {
    now = time;
    tick();
    texts.push(root.textContent);
  }
  return texts;
}"""


def test_removed_player_is_told_their_own_time_until_it_is_over(run: Run) -> None:
    table = {**states()[0]["table"], "removed_until": 900}
    you: dict[str, object] = {
        "seat": None,
        "person": "p0",
        "name": "P0",
        "muted": [],
        "removed": True,
        "removed_until": 600,
    }
    state = {**states()[0], "table": table, "you": you, "presence": {"seats": [], "watching": 1, "away": {}}}
    readmitted = {**state, "table": states()[0]["table"]}
    earlier_server = {**state, "you": {key: you[key] for key in you if key != "removed_until"}}
    given = {"states": [readmitted, earlier_server, state], "times": [599, 700]}
    shown = ["ten minutes" in text for text in run("table/banners.js", BANNERS, given)]
    assert shown == [False, True, True, True, False]


READMISSION = """async ({Seating}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  document.body.append(root);
  let now = 599, tick;
  const {setInterval} = window;
  window.setInterval = (call) => (tick = call);
  Seating(root, {game: "g", now: () => now}).update({...emptyState(), ...state});
  window.setInterval = setInterval;
  const before = root.textContent;
  now = 600;
  tick();
  root.remove();
  return [before, root.textContent];
}"""


def test_offer_to_let_removed_players_sit_down_ends_with_their_time(run: Run) -> None:
    state = states()[0]
    table = {**state["table"], "removed_until": 600, "host": state["you"]["person"]}
    texts = run("table/seating.js", READMISSION, {**state, "table": table})
    assert ["Let them sit down now" in text for text in texts] == [True, False]


CONFIRM = """async (confirmed, {command, seats}) => {
  const sent = [], refused = [];
  const table = {
    send: (message) => sent.push(message),
    currentSeats: () => seats,
    refuse: (text) => refused.push(text),
  };
  const done = confirmed[command](table, "bo", "Bo", false);
  document.querySelector("dialog button[value=yes]").click();
  await done;
  return {sent, refused};
}"""


def test_confirmed_command_reaches_the_person_it_was_asked_about(run: Run) -> None:
    ann, bo, cy, free = ({"person": person} for person in ("ann", "bo", "cy", None))
    for command, do in (("removePlayer", "remove"), ("makeHost", "host")):
        for seats, seat in (([ann, bo], 1), ([ann, cy, bo], 2)):
            got = run("table/confirmed_commands.js", CONFIRM, {"command": command, "seats": seats})
            assert got == {"sent": [{"do": do, "seat": seat}], "refused": []}
        for seats in ([ann, cy], [ann, free]):
            got = run("table/confirmed_commands.js", CONFIRM, {"command": command, "seats": seats})
            assert got == {"sent": [], "refused": ["Bo no longer has a seat at this table."]}


SHEETS = """async ({PendingChoice}, {states, pick}) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  document.body.append(root);
  const answers = [];
  const sheet = PendingChoice(root, {onAnswer: (action) => answers.push(action)});
  const seen = [];
  for (const [at, state] of states.entries()) {
    sheet.update({...emptyState(), ...state});
    const focused = document.activeElement;
    seen.push({
      focused: root.contains(focused) ? focused.textContent : null,
      slots: root.querySelectorAll(".share-slot").length,
      pressed: root.querySelectorAll('.pick[aria-pressed="true"]').length,
    });
    if (at === 0 && pick) root.querySelector(".pick").click();
  }
  for (const button of root.querySelectorAll(".share-own .pick")) button.click();
  root.querySelector(".button-main").click();
  root.remove();
  return {seen, answers};
}"""


def pending_states(pending: dict[str, Any], action: str, *changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return states with a pending choice of seat 0: as given, then with each change of the pending choice."""
    state = states()[5]
    made = []
    for change in ({}, *changes):
        view = {**state["view"], "pending": {**pending, **change.get("pending", {})}}
        players = [{**player, "resigned": False} for player in view["players"]]
        players[0]["hand"] = ["key", "hook", "rum"]
        for seat in change.get("resigned", []):
            players[seat]["resigned"] = True
        made.append(
            {**state, "view": {**view, "players": players}, "choices": [{"action": {"type": action}}]}
        )
    return made


def test_share_sheet_follows_a_resignation(run: Run) -> None:
    cards = ["key", "hook", "rum", "skull"]
    given = pending_states({"kind": "share", "seat": 0, "cards": cards}, "share", {"resigned": [2]})
    got = run("table/pending_choice.js", SHEETS, {"states": given, "pick": True})
    assert [seen["slots"] for seen in got["seen"]] == [2, 1]
    assert got["answers"] == [{"type": "share", "keep": ["hook", "rum", "skull"], "give": {"1": "key"}}]


def test_discard_sheet_keeps_its_choice_while_others_discard_or_resign(run: Run) -> None:
    pending = {"kind": "discard", "owed": {"0": 1, "1": 2, "2": 1}}
    given = pending_states(
        pending, "discard", {"pending": {"owed": {"0": 1, "1": 2}}}, {"pending": {"owed": {"0": 1}}}
    )
    given[-1]["view"]["players"][1]["resigned"] = True
    got = run("table/pending_choice.js", SHEETS, {"states": given, "pick": True})
    assert [seen["pressed"] for seen in got["seen"]] == [0, 1, 1]
    assert got["answers"] == [{"type": "discard", "cards": ["key"]}]


def test_lantern_sheet_focuses_a_button_that_can_be_pressed(run: Run) -> None:
    given = pending_states({"kind": "stack", "seat": 0, "cards": ["key", "hook"]}, "stack")
    got = run("table/pending_choice.js", SHEETS, {"states": given, "pick": False})
    assert got["seen"][0]["focused"] == "↓"


LONG_PRESS = """({Explanations}) => {
  const root = document.createElement("div");
  root.innerHTML = "<button data-face='key'>card</button>";
  const close = document.createElement("button");
  document.body.append(root, close);
  const explained = [];
  let clicks = 0;
  close.addEventListener("click", () => clicks++);
  Explanations(root, (element) => explained.push(element.textContent), new Event("pointermove"));
  root.firstChild.dispatchEvent(
    new PointerEvent("contextmenu", {pointerType: "touch", bubbles: true, cancelable: true}));
  close.dispatchEvent(new PointerEvent("pointerdown", {pointerType: "touch", bubbles: true}));
  close.click();
  root.remove();
  close.remove();
  return {explained, clicks};
}"""


def test_first_tap_after_a_long_press_counts(run: Run) -> None:
    assert run("table/help.js", LONG_PRESS) == {"explained": ["card"], "clicks": 1}


LIFT = """async ({Hand}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  document.body.append(root);
  const calls = [];
  const note = (name) => (card) => calls.push([name, card]);
  const hand = Hand(root, {onCard: note("card"), onLift: note("lift"), onDrop: note("drop")});
  hand.update({...emptyState(), ...state});
  const button = root.querySelector(".hand-card");
  const fire = (type, x) =>
    button.dispatchEvent(new PointerEvent(type, {bubbles: true, button: 0, clientX: x, clientY: 0}));
  fire("pointerdown", 0);
  fire("pointermove", 50);
  fire("pointerup", 50);
  button.click();
  await new Promise((done) => setTimeout(done, 0));
  button.click();
  root.remove();
  return {calls, card: button.dataset.card};
}"""


def test_dragged_card_is_lifted_and_dropped_but_not_clicked(run: Run) -> None:
    got = run("table/hand.js", LIFT, states()[1])
    assert got["calls"] == [[name, got["card"]] for name in ("lift", "drop", "card")]


TRAY = """async ({Tray}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  const nothing = () => {};
  const tray = Tray(root, {onAction: nothing, onUndo: nothing, onClear: nothing, onHint: nothing});
  tray.update({...emptyState(), ...state});
  return root.querySelectorAll(".choice").length;
}"""


def test_tray_shows_every_choice(run: Run) -> None:
    state = states()[1]
    walk = next(choice for choice in state["choices"] if choice["action"]["type"] == "advance")
    candidates = [{**walk, "to": to} for to in range(60)]
    assert run("table/tray.js", TRAY, {**state, "candidates": candidates}) == 60


MENU = """async (state) => {
  const {MenuButton} = await import("/static/js/table/menu_button.js");
  const {emptyState} = await import("/static/js/table/store.js");
  window.refused = [];
  const menu = MenuButton(document.body, {refuseUnreachable: () => refused.push("unreachable")});
  menu.update({...emptyState(), ...JSON.parse(state)});
}"""


def test_menu_that_could_not_be_loaded_is_loaded_by_the_next_press(browser: Browser, static_url: str) -> None:
    page = browser.new_page()
    page.goto(f"{static_url}/tests/js/blank.html")
    for file in ("**/menu.js", "**/menu.css"):
        page.route(file, lambda route: route.abort(), times=1)
    page.evaluate(MENU, json.dumps(states()[1]))
    menu, button = page.locator(".table-menu"), page.locator(".table-menu > summary")
    button.click()
    page.wait_for_function("() => refused.length")
    assert page.evaluate("refused") == ["unreachable"]
    expect(menu).not_to_have_attribute("open", "")
    button.click()
    # A browser that remembers failed modules reloads the page, and only then can load the menu.
    page.wait_for_function("() => !window.refused || document.querySelector('.menu-body:not([hidden])')")
    if page.evaluate("() => !window.refused"):
        page.evaluate(MENU, json.dumps(states()[1]))
        button.click()
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    assert page.evaluate("() => document.querySelector('link[href$=\"menu.css\"]').sheet !== null")
    page.close()


def test_page_is_reloaded_if_a_module_fails_twice_while_the_server_answers(
    browser: Browser, static_url: str
) -> None:
    page = browser.new_page()
    page.goto(f"{static_url}/tests/js/blank.html")
    page.route("**/menu.js", lambda route: route.abort())
    page.evaluate(MENU, json.dumps(states()[1]))
    button = page.locator(".table-menu > summary")
    button.click()
    page.wait_for_function("() => refused.length")
    with page.expect_event("framenavigated"):
        button.click()
    # Something may block the module for good: the page is not reloaded again and again.
    navigations: list[str] = []
    page.on("framenavigated", lambda frame: navigations.append(frame.url))
    page.evaluate(MENU, json.dumps(states()[1]))
    for count in (1, 2, 3):
        button.click()
        page.wait_for_function("(count) => refused.length === count", arg=count)
    assert navigations == []
    page.close()


TRAY_WAITS = """async ({Tray}, {state, connections}) => {
  const root = document.createElement("section");
  document.body.replaceChildren(root);
  const tray = Tray(root, {onAction() {}, onUndo() {}, onClear() {}, onHint() {}});
  const said = (change) => {
    tray.update({selection: {}, candidates: null, hint: null, ...state, ...change});
    return root.querySelector(".tray-hint").textContent;
  };
  const asked = said({isWaiting: false, connection: "open"});
  return [asked, connections.map((connection) => said({isWaiting: true, choices: [], connection}))];
}"""


def test_tray_promises_to_send_a_move_only_while_that_is_true(run: Run) -> None:
    state = next(state for state in states() if state.get("choices") and state["view"]["pending"] is None)
    connections = [
        "open",
        "offline",
        "unstored",
        "lost",
        "resumed",
        "restarting",
        "open",
        "lost",
        "signed_out",
    ]
    asked, said = run("table/tray.js", TRAY_WAITS, {"state": state, "connections": connections})
    offline = "You're offline. Your move will be sent when the connection is back."
    lost = "The server can't be reached. Your move will be sent when the connection is back."
    # While the page retries, the sentence that asked for the move stays; the banner has the rest.
    assert said == [asked, offline, asked, lost, asked, lost, asked, lost, ""]
    for final in ("reload", "stopped"):
        assert run("table/tray.js", TRAY_WAITS, {"state": state, "connections": ["lost", final]})[1] == [
            lost,
            "",
        ]
