"""Sentences of events: one for every event, without cards that the viewer may not know, inflected in every language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from app.paths import LOCALES
from app.web.i18n import Languages
from tests.js.random_games import PRESETS, play_at_random

DESCRIBE = """({describeEvents, describePending}, {frames, seats}) => frames.map(({events, view, pending}) => ({
  text: describeEvents(events, view, seats).text, pending: pending ? describePending(pending, seats) : ""}))"""

SYMBOLS = ("bottle", "dagger", "hat", "key", "skull", "chest", "hook", "parrot")
SILENT = {"choice_dealt", "pending_discarded"}


@pytest.mark.parametrize("options", PRESETS, ids=lambda options: options["preset"])
def test_every_event_has_a_sentence(run: Callable[..., Any], options: dict[str, Any]) -> None:
    frames = play_at_random(options, "0c" * 32, 200, chance=5)
    seats = [{"name": f"Player {n}", "colour": None} for n in range(options["players"])]
    given = [
        {"events": f["events"]["None"], "view": f["views"]["None"], "pending": f["views"]["None"]["pending"]}
        for f in frames[1:]
    ]
    lines = run("core/event_text.js", DESCRIBE, {"frames": given, "seats": seats})
    for frame, line in zip(given, lines, strict=True):
        kinds = {event["type"] for event in frame["events"]} - SILENT
        assert bool(line["text"]) == bool(kinds), frame["events"]
        assert "undefined" not in line["text"] + line["pending"]
        assert "{" not in line["text"] + line["pending"]
        assert bool(line["pending"]) == bool(frame["pending"])


def test_hidden_draw_names_no_card(run: Callable[..., Any]) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "0c" * 32, 0)[0]["views"]["None"]
    events = [{"type": "cards_drawn", "seat": 0, "source": "deck", "cards": None, "count": 2}]
    line = run(
        "core/event_text.js",
        DESCRIBE,
        {"frames": [{"events": events, "view": view}], "seats": [{"name": "Ann"}]},
    )
    assert line[0]["text"] == "Ann draws 2 cards."
    assert not any(symbol in line[0]["text"] for symbol in SYMBOLS)


IN_LANGUAGE = """async ({describeEvents}, {catalogue, view, moves}) => {
    const {setCatalogue} = await import("/static/js/core/i18n.js");
    setCatalogue(catalogue);
    const say = (move) => describeEvents([move], view, [{name: "Ann"}]).text;
    try { return moves.map(say); } finally { setCatalogue({}); }
}"""

LINES = {
    "en": (
        "from the prison to space 4.",
        "from space 36 to the sloop.",
        "Ann retreats from the sloop to space 9.",
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
    lines = run("core/event_text.js", IN_LANGUAGE, {"catalogue": catalogue, "view": view, "moves": moves})
    assert [line.endswith(end) for line, end in zip(lines, LINES[code], strict=True)] == [True] * 3, lines


CARDS = {
    "en": ("Ann plays a key and moves", "Ann draws 2 skulls (dark cards) and a hat."),
    "sv": ("Ann spelar en nyckel och går", "Ann drar 2 dödskallar (mörka kort) och en hatt."),
    "nb": ("Ann spiller en nøkkel og går", "Ann trekker 2 hodeskaller (mørke kort) og en hatt."),
    "nl": ("Ann speelt een sleutel en gaat", "Ann trekt 2 doodskoppen (donkere kaarten) en een hoed."),
    "de": ("Ann spielt einen Schlüssel und geht", "Ann zieht 2 Totenköpfe (dunkle Karten) und einen Hut."),
    "fr": ("Ann joue une clé et va", "Ann pioche 2 crânes (cartes sombres) et un chapeau."),
    "es": ("Ann juega una llave y va", "Ann roba 2 calaveras (cartas oscuras) y un sombrero."),
    "it": ("Ann gioca una chiave e va", "Ann pesca 2 teschi (carte scure) e un cappello."),
}


@pytest.mark.parametrize("code", CARDS)
def test_cards_are_inflected_as_the_object_of_a_sentence(run: Callable[..., Any], code: str) -> None:
    view = play_at_random({"preset": "jamaica", "players": 2}, "0c" * 32, 0)[0]["views"]["None"]
    moves = [
        {"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 4},
        {"type": "cards_drawn", "seat": 0, "cards": ["skull*", "skull*", "hat"], "count": 3},
    ]
    catalogue = orjson.loads(Languages(LOCALES).catalogue(code).script_json)
    played, drawn = run(
        "core/event_text.js", IN_LANGUAGE, {"catalogue": catalogue, "view": view, "moves": moves}
    )
    assert played.startswith(CARDS[code][0])
    assert drawn == CARDS[code][1]


def test_a_resignation_does_not_say_who_is_next(run: Callable[..., Any]) -> None:
    events = [{"type": "resigned", "seat": 0}, {"type": "turn_passed", "seat": 0, "next": 1}]
    script = """({describeEvents}, {view, events}) =>
      describeEvents(events, view, [{name: "Ann"}, {name: "Brita"}]).text"""
    view = play_at_random({"preset": "jamaica", "players": 2}, "0c" * 32, 0)[0]["views"]["None"]
    assert run("core/event_text.js", script, {"view": view, "events": events}) == "Ann resigns."
