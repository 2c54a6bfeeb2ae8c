"""Every event of every kind of game has a sentence, and a sentence names no card its viewer may not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from app.paths import LOCALES
from app.web.i18n import Languages
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


IN_LANGUAGE = """async ({eventLine}, {catalogue, view, moves}) => {
    const {useCatalogue} = await import("/static/js/core/i18n.js");
    useCatalogue(catalogue);
    try { return moves.map((move) => eventLine([move], view, [{name: "Ann"}]).text); } finally { useCatalogue({}); }
}"""

LINES = {
    "en": (
        "from the prison to space 4.",
        "from space 36 to the sloop.",
        "Ann falls back from the sloop to space 9.",
    ),
    "sv": (
        "från fängelset till ruta 4.",
        "från ruta 36 till slupen.",
        "Ann flyttar bakåt från slupen till ruta 9.",
    ),
    "nb": (
        "fra fengselet til rute 4.",
        "fra rute 36 til sluppen.",
        "Ann flytter bakover fra sluppen til rute 9.",
    ),
    "nl": (
        "uit de gevangenis naar veld 4.",
        "van veld 36 naar de sloep.",
        "achteruit uit de sloep naar veld 9.",
    ),
    "de": (
        "aus dem Gefängnis auf Feld 4.",
        "von Feld 36 auf die Schaluppe.",
        "von der Schaluppe auf Feld 9 zurück.",
    ),
    "fr": ("va de la prison à la case 4.", "va de la case 36 au sloop.", "Ann recule du sloop à la case 9."),
    "es": (
        "va de la prisión a la casilla 4.",
        "de la casilla 36 a la balandra.",
        "de la balandra a la casilla 9.",
    ),
    "it": (
        "va dalla prigione alla casella 4.",
        "dalla casella 36 alla scialuppa.",
        "dalla scialuppa alla casella 9.",
    ),
}


@pytest.mark.parametrize("code", LINES)
def test_places_are_inflected_as_the_language_inflects_them(run: Callable[..., Any], code: str) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "0c" * 32, 0)[0]["views"]["None"]
    moves = [
        {"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 4},
        {"type": "advanced", "seat": 0, "card": "key", "from": 36, "to": "goal"},
        {"type": "retreated", "seat": 0, "from": "goal", "to": 9},
    ]
    catalogue = orjson.loads(Languages(LOCALES).catalogue(code).script_json)
    told = run("core/event_text.js", IN_LANGUAGE, {"catalogue": catalogue, "view": view, "moves": moves})
    assert [line.endswith(end) for line, end in zip(told, LINES[code], strict=True)] == [True] * 3, told
