"""Jamaica played twice with different hidden cards in the other hand: frames, page and heap are the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app import rules
from tests.browser.game_server import Player
from tests.choices import choices_of

OPTIONS = rules.parse_options({"preset": "jamaica", "players": 2, "first": 0})
SYMBOL = re.compile("bottle|dagger|hat|key|pistol|skull")
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
    """Swap the other hand with the lowest cards of the deck; the first seat sees no difference."""
    whole = rules.position_to_json(position)
    hand, deck = whole["players"][1]["hand"], whole["deck"]
    fresh = sorted(deck[-len(hand) :])
    assert fresh != hand
    whole["players"][1]["hand"], whole["deck"] = fresh, deck[: -len(hand)] + hand
    return rules.position_from_json(whole)


def frames_of(position: rules.Position, leak: bool) -> list[str]:
    """Return the frames of the first seat: it advances, retreats and passes, then the other retreats."""
    view = rules.view(position, 0)
    if leak:
        view["players"][1]["hint"] = rules.position_to_json(position)["players"][1]["hand"]
    frames: list[Any] = [
        {"t": "welcome", "v": 1, "game": "twice", "seq": 5, "chat": 0, "now": 1_000_000, "resumed": False,
         "you": {"person": "p0", "name": "Ann", "seat": 0}, "presets": ["hello"]},
        {"t": "state", "seq": 5, "at": 0, "you": {"seat": 0}, "table": TABLE, "view": view,
         "choices": choices_of(position, 0), "clock": None},
    ]  # fmt: skip
    seq = 5
    for wanted in ("advance", "advance", "retreat", "end"):
        seat = rules.seats_to_act(position)[0]
        action = next(a for a in rules.legal(position, seat) if rules.action_to_json(a)["type"] == wanted)
        position, events = rules.apply(position, seat, action)
        seq += 1
        frames.append({"t": "events", "seq": seq, "at": 0, "events": rules.events_for(events, 0, OPTIONS)})
    return [json.dumps(frame) for frame in frames]


def play(player: Player, frames: list[str]) -> tuple[str, Counter[str]]:
    """Return the page's markup and its heap contents after these frames.

    Frames are sent one at a time, each after the previous one is drawn, so that the runs are comparable.
    """
    page, wires = player.page, list[Any]()

    def serve(wire: Any) -> None:
        def answer(text: str) -> None:
            if '"hello"' in text:
                wires.append(wire)
                for frame in frames[:2]:
                    wire.send(frame)

        wire.on_message(answer)

    page.route_web_socket(re.compile("/ws/game/"), serve)
    page.goto(f"{player.url}/g/twice-twice-twice")
    expect(page.locator("#table")).to_have_attribute("data-seq", "5")
    # The history player is loaded after the first state and adds its buttons to the markup.
    expect(page.get_by_title("Replay what you missed")).to_be_attached()
    for seq, frame in enumerate(frames[2:], 6):
        wires[-1].send(frame)
        expect(page.locator("#table")).to_have_attribute("data-seq", str(seq))
        expect(page.locator(".log-line").nth(seq - 6)).to_be_attached()
    expect(page.get_by_role("button", name="Discards: ")).to_contain_text("2")
    markup = re.sub(r"/static/\w+/", "/static/", page.locator("#table").evaluate("node => node.outerHTML"))
    heap = heap_of(page)
    page.close()
    player.complaints.clear()  # the server knows no such game; the browser writes that down
    return markup, heap


def heap_of(page: Page) -> Counter[str]:
    """Return every string in the heap that names a symbol, with its number of references from lists and objects."""
    session = page.context.new_cdp_session(page)
    chunks: list[str] = []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: chunks.append(event["chunk"]))
    session.send("HeapProfiler.enable")
    # twice: objects freed in the first round may have held the last reference to others
    session.send("HeapProfiler.collectGarbage")
    session.send("HeapProfiler.collectGarbage")
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    heap = json.loads("".join(chunks))
    about, strings = heap["snapshot"]["meta"], heap["strings"]
    wide, kinds = len(about["node_fields"]), about["node_types"][0]
    texts = {
        at * wide: strings[name]
        for at, (kind, name) in enumerate(zip(heap["nodes"][::wide], heap["nodes"][1::wide], strict=True))
        if "string" in kinds[kind] and SYMBOL.search(strings[name])
    }
    ways = about["edge_types"][0]
    edges = zip(heap["edges"][::3], heap["edges"][1::3], heap["edges"][2::3], strict=True)
    found: Counter[str] = Counter()
    for way, name, to in edges:
        if to in texts and ways[way] in ("element", "property"):
            found[f"{'[]' if ways[way] == 'element' else strings[name]} {texts[to]}"] += 1
    return found


@pytest.mark.parametrize("leak", [False, True], ids=["as-it-is", "with-a-planted-leak"])
def test_hidden_cards_leave_no_trace_in_the_browser(person: Callable[..., Player], leak: bool) -> None:
    one = rules.new_game(OPTIONS, "7e" * 32)
    two = other_hand_swapped(one)
    assert rules.position_to_json(one) != rules.position_to_json(two)
    frames = [frames_of(position, leak) for position in (one, two)]
    assert (frames[0] == frames[1]) is not leak, "the check is blind" if leak else "the frames tell"
    # separate browsers: a heap may hold data of other pages of its process
    seen = [play(person("Ann", fresh=True), each) for each in frames]
    (page_one, heap_one), (page_two, heap_two) = seen
    differing_texts = {text for text in heap_one | heap_two if heap_one[text] != heap_two[text]}
    assert page_one == page_two
    if leak:
        assert differing_texts != set(), "the heap search finds nothing"
    else:
        assert differing_texts == set()
