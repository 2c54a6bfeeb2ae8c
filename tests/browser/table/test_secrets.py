"""Jamaica played twice with the unseen cards of the other hand swapped: frames, page and heap are the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app import rules
from tests.browser.table.house import Player

OPTIONS = rules.parse_options({"preset": "jamaica", "players": 2, "first": 0})
SYMBOL = re.compile("bottle|dagger|hat|key|pistol|skull")
OWN_WORDS = re.compile(r"@\d+")  # names the snapshot itself makes up: "part of key (… @8179)"
SEATS = [
    {
        "person": f"p{n}",
        "name": name,
        "colour": colour,
        "ready": True,
        "bot": None,
        "absent": False,
        "reserved": None,
    }
    for n, (name, colour) in enumerate((("Ann", "red"), ("Bo", "blue")))
]
TABLE = {
    "id": "twice", "title": "Twice", "status": "running", "options": rules.options_to_json(OPTIONS), "host": "p0",
    "commitment": "c" * 64, "server_seed": None, "nonces": [], "seats": SEATS, "consents": {}, "votes": {},
    "paused": False, "chat_closed": False, "clock": {"kind": "none"}, "result": None, "next": None,
}  # fmt: skip


def other_hand_swapped(position: rules.Position) -> rules.Position:
    """The same to the first seat: the other's hand changes places with the lowest cards of the deck."""
    whole = rules.position_to_json(position)
    hand, deck = whole["players"][1]["hand"], whole["deck"]
    fresh = sorted(deck[-len(hand) :])
    assert fresh != hand
    whole["players"][1]["hand"], whole["deck"] = fresh, deck[: -len(hand)] + hand
    return rules.position_from_json(whole)


def frames_of(position: rules.Position, leak: bool) -> list[str]:
    """What the first seat is sent while it walks, falls back and passes, and the other falls back."""
    view = rules.view(position, 0)
    if leak:
        view["players"][1]["hint"] = rules.position_to_json(position)["players"][1]["hand"]
    frames: list[Any] = [
        {"t": "welcome", "v": 1, "game": "twice", "seq": 5, "chat": 0, "now": 1_000_000, "resumed": False,
         "you": {"person": "p0", "name": "Ann", "seat": 0}, "presets": ["hello"]},
        {"t": "state", "seq": 5, "at": 0, "you": {"seat": 0}, "table": TABLE, "view": view,
         "choices": rules.choices(position, 0), "clock": None},
    ]  # fmt: skip
    seq = 5
    for wanted in ("advance", "advance", "retreat", "end"):
        seat = rules.seats_to_act(position)[0]
        action = next(a for a in rules.legal(position, seat) if rules.action_to_json(a)["type"] == wanted)
        position, events = rules.apply(position, seat, action)
        seq += 1
        frames.append({"t": "events", "seq": seq, "at": 0, "events": rules.events_for(events, 0, OPTIONS)})
    return [json.dumps(frame) for frame in frames]


def play(player: Player, frames: list[str]) -> tuple[str, set[str]]:
    """The page's markup and every string of its heap after these frames."""
    page = player.context.new_page()

    def serve(wire: Any) -> None:
        wire.on_message(lambda text: [wire.send(each) for each in frames] if '"hello"' in text else None)

    page.route_web_socket(re.compile("/ws/game/"), serve)
    page.goto(f"{player.url}/g/twice-twice-twice")
    expect(page.locator("#table")).to_have_attribute("data-seq", "9")
    markup = re.sub(r"/static/\w+/", "/static/", page.locator("#table").evaluate("node => node.outerHTML"))
    strings = heap_of(page)
    page.close()
    return markup, strings


def heap_of(page: Page) -> set[str]:
    session = page.context.new_cdp_session(page)
    chunks: list[str] = []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: chunks.append(event["chunk"]))
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    return set(json.loads("".join(chunks))["strings"])


@pytest.mark.parametrize("leak", [False, True], ids=["as-it-is", "with-a-planted-leak"])
def test_what_is_unseen_leaves_no_trace(person: Callable[..., Player], leak: bool) -> None:
    one = rules.new_game(OPTIONS, "7e" * 32)
    two = other_hand_swapped(one)
    assert rules.position_to_json(one) != rules.position_to_json(two)
    frames = [frames_of(position, leak) for position in (one, two)]
    if leak:
        assert frames[0] != frames[1], "the check is blind"
        return
    assert frames[0] == frames[1]
    ann = person("Ann")
    (page_one, heap_one), (page_two, heap_two) = (play(ann, each) for each in frames)
    assert page_one == page_two
    told = {text for text in heap_one ^ heap_two if SYMBOL.search(text) and not OWN_WORDS.search(text)}
    # The top of the discards is public; whether its label still lies in the heap is the collector's whim.
    told = {text for text in told if "Discards" not in text}
    assert told == set()
