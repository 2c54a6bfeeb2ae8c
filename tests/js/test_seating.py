"""The seating before the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.js.test_subscriptions import states

DRAW = """async ({Seating}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  document.body.append(root);
  const nothing = () => {};
  const on = {game: "g", send: nothing, sit: nothing, voidRound: nothing, now: () => 0, onPerson: nothing};
  Seating(root, on).update({...emptyState(), ...state});
  const text = root.innerText;
  root.remove();
  return text;
}"""

BARRED = """async ({Seating}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  const nothing = () => {};
  let time = 0;
  const on = {game: "g", send: nothing, sit: nothing, voidRound: nothing, now: () => time, onPerson: nothing};
  const seating = Seating(root, on);
  const isDisabled = () => [...root.querySelectorAll(".free button")].every(({disabled}) => disabled);
  const found = [];
  for (time of [0, 2000]) {
    seating.update({...emptyState(), ...state});
    found.push(isDisabled());
  }
  return found;
}"""


def test_deleted_player_gets_a_placeholder_while_the_start_waits(run: Callable[..., Any]) -> None:
    state = states()[0]
    seats = [{**seat} for seat in state["table"]["seats"]]
    seats[1]["name"] = None
    opening = {"order": [0, 1], "seals": ["a", "b"], "nonces": [None, None], "asked": False, "until": 0}
    text = run(
        "table/seating.js", DRAW, {**state, "table": {**state["table"], "seats": seats, "opening": opening}}
    )
    assert "Waiting for confirmation from: someone." in text


def test_removed_player_cannot_press_the_seats_until_the_time_is_over(run: Callable[..., Any]) -> None:
    state = states()[0]
    free = {"person": None, "bot": None, "reserved": None, "ready": False, "colour": None, "name": None}
    seats = [{**state["table"]["seats"][0], "person": "other"}, {**state["table"]["seats"][1], **free}]
    table = {**state["table"], "seats": seats, "status": "open", "opening": None, "removed_until": 1000}
    you = {**state["you"], "seat": None, "person": "me", "removed": True}
    assert run("table/seating.js", BARRED, {**state, "table": table, "you": you}) == [True, False]


@pytest.mark.parametrize(
    ("last_seat", "spectators", "text"),
    [
        ({"person": None}, True, "Anyone with this link can join."),
        ({"person": "other"}, True, "Anyone with this link can watch."),
        ({"person": None, "bot": "sailor"}, True, "Anyone with this link can watch."),
        ({"person": "other"}, False, None),
    ],
)
def test_the_link_of_a_full_table_does_not_promise_a_seat(
    run: Callable[..., Any], last_seat: dict[str, Any], spectators: bool, text: str | None
) -> None:
    state = states()[0]
    seats = [*state["table"]["seats"][:-1], {**state["table"]["seats"][-1], **last_seat}]
    table = {**state["table"], "seats": seats, "status": "open", "opening": None, "spectators": spectators}
    drawn = run("table/seating.js", DRAW, {**state, "table": table})
    assert text is None or text in drawn
    assert drawn.count("Anyone with this link") == (text is not None)


SIT = """async ({SeatCommands}, {table, isAccepted}) => {
  const sent = [];
  const send = async (command) => (sent.push(command.do), isAccepted);
  const store = {state: {table, you: {seat: null, person: "me"}}};
  const socket = {reconnect() {}, resync() {}};
  const {sit} = SeatCommands({game: "g", store, socket, send, refuse() {}});
  await sit(0, async () => false);
  return sent;
}"""


@pytest.mark.parametrize("is_accepted", [True, False])
def test_refused_seat_is_followed_by_no_other_command(run: Callable[..., Any], is_accepted: bool) -> None:
    free = {"person": None, "bot": None, "reserved": None, "ready": False, "colour": None, "name": None}
    table = {**states()[0]["table"], "seats": [free, {**free, "bot": "sailor"}], "status": "open"}
    sent = run("table/seat_commands.js", SIT, {"table": table, "isAccepted": is_accepted})
    assert sent == (["sit", "ready", "start"] if is_accepted else ["sit"])


READMISSION_TIME = """async ({Seating}, state) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const {setCatalogue} = await import("/static/js/core/i18n.js");
  const root = document.createElement("div");
  setCatalogue({lang: "de"});
  Seating(root, {game: "g", now: () => 0}).update({...emptyState(), ...state});
  setCatalogue({});
  const time = new Date(Date.now() + state.table.removed_until);
  return [root.textContent, time.toLocaleTimeString("de", {timeStyle: "short"})];
}"""


def test_times_are_in_the_language_of_the_page(run: Callable[..., Any]) -> None:
    state = states()[0]
    table = {**state["table"], "removed_until": 3_600_000, "host": state["you"]["person"]}
    text, time = run("table/seating.js", READMISSION_TIME, {**state, "table": table})
    assert f"can sit down again at {time}." in text
