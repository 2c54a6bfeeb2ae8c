"""The subscriptions in table/parts.js list every field that a part reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.js.random_games import play_at_random

# Builds the table page with a store that records which fields each subscriber reads. Every state is used twice: lazily
# loaded parts exist the second time.
READ = """async ({buildParts}, states) => {
  const {emptyState} = await import("/static/js/table/store.js");
  const root = document.createElement("div");
  root.dataset.game = "g";
  root.append(Object.assign(document.createElement("div"), {className: "reserved"}));
  document.body.append(root);
  let current = emptyState();
  let read = new Set();
  const watched = (state) => new Proxy(state, {get: (target, name) => (read.add(name), target[name])});
  const subscribers = [];
  const store = {
    get state() { return watched(current); },
    set() {},
    subscribe: (fields, call) => subscribers.push({fields, call, unlisted: new Set()}),
  };
  const on = new Proxy({}, {get: (_, name) => (name === "now" ? () => 0 : () => Promise.resolve())});
  buildParts(root, store, on);
  const before = emptyState();
  for (const state of [...states, ...states]) {
    current = {...emptyState(), ...state};
    for (const {fields, call, unlisted} of subscribers) {
      read = new Set();
      call(watched(current), before, {});
      for (const name of read) if (!fields.includes(name)) unlisted.add(name);
    }
    read = new Set();
    await new Promise((done) => setTimeout(done, 300));
  }
  root.remove();
  return subscribers.map(({fields, unlisted}) => ({fields, unlisted: [...unlisted].sort()}));
}"""

SEAT = {"ready": True, "bot": None, "absent": False, "reserved": None}
TABLE: dict[str, Any] = {
    "id": "g",
    "title": "",
    "status": "running",
    "visibility": "open",
    "locked": False,
    "spectators": True,
    "clock": {"kind": "none"},
    "host": "p0",
    "commitment": "0" * 64,
    "scheme": 1,
    "nonces": [],
    "consents": {},
    "votes": {},
    "paused": False,
    "chat_closed": False,
    "hints": True,
    "bot_level": "sailor",
    "result": None,
    "next": None,
}


def states() -> list[dict[str, Any]]:
    """Return states before the start, in one's own and another's turn, with a pending choice, and after the end."""
    options = {"preset": "complete", "players": 3, "black_magic": True, "scoundrels": True}
    frames = play_at_random(options, "ab" * 32, 400, 5)
    seats = [
        {**SEAT, "person": f"p{seat}", "name": f"P{seat}", "colour": colour}
        for seat, colour in enumerate(("red", "blue", "green"))
    ]
    table = {**TABLE, "seats": seats, "options": frames[0]["views"]["0"]["options"]}
    common = {
        "seq": 9,
        "head": 9,
        "log": [],
        "connection": "open",
        "you": {"seat": 0, "person": "p0", "name": "P0", "muted": [], "removed": False},
        "presence": {"seats": [True, False, True], "watching": 1, "away": {"1": 5000}},
    }

    def in_game(frame: dict[str, Any], **more: Any) -> dict[str, Any]:
        view, choices = frame["views"]["0"], frame["choices"]["0"]
        return {**common, "table": table, "view": view, "choices": choices, "undo": bool(choices), **more}

    mine = next(frame for frame in frames if len(frame["choices"]["0"]) > 3)
    others = next(
        frame for frame in frames if not frame["choices"]["0"] and not frame["views"]["0"]["pending"]
    )
    owed = next(frame for frame in frames if frame["choices"]["0"] and frame["views"]["0"]["pending"])
    card = mine["views"]["0"]["players"][0]["hand"][0]
    line = {"n": 1, "at": 0, "channel": "players", "person": "p1", "name": "P1", "seat": 1, "preset": "hello"}
    over = {**table, "status": "finished", "result": {"winner": 1, "places": [2, 1, 3], "reason": "goal"}}
    return [
        {**common, "table": {**table, "status": "open"}},
        in_game(mine, chatLines=[line]),
        in_game(mine, selection={"card": card}),
        in_game(
            mine, candidates=mine["choices"]["0"][:1], hint=mine["choices"]["0"][0]["action"], hintWhy={}
        ),
        in_game(others),
        in_game(owed),
        in_game(others, table=over, view={**others["views"]["0"], "winner": 1}),
    ]


# Drawn once for a change, so not again when these fields change.
ONCE = {("chatLines",): {"view", "you"}, ("view", "past"): {"you"}}


def test_parts_subscribe_to_every_field_they_read(run: Callable[..., Any]) -> None:
    found = run("table/parts.js", READ, states())
    assert len(found) > 20
    for part in found:
        fields, unlisted = set(part["fields"]), set(part["unlisted"]) - ONCE.get(tuple(part["fields"]), set())
        if not fields & {"choices", "undo"}:
            unlisted -= {"isWaiting"}  # it takes nothing else away (`shown` in table/store.js)
        assert unlisted == set(), f"the part with {part['fields']} also reads these"
