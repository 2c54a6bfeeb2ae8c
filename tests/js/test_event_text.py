"""Every event of every kind of game has a sentence, and a sentence names no card its viewer may not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.js.random_games import PRESETS, play_at_random

TELL = """({eventLine, pendingText}, {frames, seats}) => frames.map(({events, view, pending}) => ({
  text: eventLine(events, view, seats).text, pending: pending ? pendingText(pending, seats) : ""}))"""

SYMBOLS = ("bottle", "dagger", "hat", "key", "skull", "chest", "hook", "parrot")
SILENT = {"choice_dealt", "pending_discarded"}


@pytest.mark.parametrize("options", PRESETS, ids=lambda options: options["preset"])
def test_every_action_is_told_in_words(run: Callable[..., Any], options: dict[str, Any]) -> None:
    frames = play_at_random(options, "0c" * 32, 200, chance=5)
    seats = [{"name": f"Player {n}", "colour": None} for n in range(options["players"])]
    given = [
        {"events": f["events"]["None"], "view": f["views"]["None"], "pending": f["views"]["None"]["pending"]}
        for f in frames[1:]
    ]
    told = run("core/event_text.js", TELL, {"frames": given, "seats": seats})
    for frame, line in zip(given, told, strict=True):
        kinds = {event["type"] for event in frame["events"]} - SILENT
        assert bool(line["text"]) == bool(kinds), frame["events"]
        assert "undefined" not in line["text"] + line["pending"]
        assert "{" not in line["text"] + line["pending"]
        assert bool(line["pending"]) == bool(frame["pending"])


def test_a_hidden_draw_names_no_card(run: Callable[..., Any]) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "0c" * 32, 0)[0]["views"]["None"]
    events = [{"type": "cards_drawn", "seat": 0, "source": "deck", "cards": None, "count": 2}]
    line = run(
        "core/event_text.js", TELL, {"frames": [{"events": events, "view": view}], "seats": [{"name": "Ann"}]}
    )
    assert line[0]["text"] == "Ann draws 2 cards."
    assert not any(symbol in line[0]["text"] for symbol in SYMBOLS)
