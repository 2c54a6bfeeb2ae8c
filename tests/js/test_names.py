"""Whoever was deleted has no name any more: pages show a neutral word in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

NAMES = """async ({seatName, personName}, seats) => {
  const {useCatalogue} = await import("/static/js/core/i18n.js");
  const shown = () => [...seats.map((_, seat) => seatName(seats, seat)), personName(null), personName("")];
  const english = shown();
  useCatalogue({lang: "de", singles: {somebody: "jemand", blue: "blau"}});
  const german = shown();
  useCatalogue({});
  return [english, german];
}"""


def test_a_deleted_person_is_somebody_and_bots_and_others_keep_their_names(run: Run) -> None:
    seats = [
        {"person": "p1", "name": "Ann", "colour": "red", "bot": None},
        {"person": "p2", "name": None, "colour": "blue", "bot": None},
        {"person": None, "name": None, "colour": "yellow", "bot": None, "reserved": "p3"},
        {"person": None, "name": "Brita", "colour": "green", "bot": "sailor"},
    ]
    english, german = run("core/names.js", NAMES, seats)
    assert english == ["Ann", "somebody", "somebody", "Brita", "somebody", "somebody"]
    assert german == ["Ann", "jemand", "jemand", "Brita", "jemand", "jemand"]
