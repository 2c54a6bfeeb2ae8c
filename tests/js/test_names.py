"""The name of a deleted person is a translated placeholder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

NAMES = """async ({seatName, personName}, seats) => {
  const {setCatalogue} = await import("/static/js/core/i18n.js");
  const shown = () => [...seats.map((_, seat) => seatName(seats, seat)), personName(null), personName("")];
  const english = shown();
  setCatalogue({lang: "de", singles: {someone: "jemand", blue: "blau"}});
  const german = shown();
  setCatalogue({});
  return [english, german];
}"""


def test_deleted_person_gets_a_placeholder_and_all_others_keep_their_names(run: Run) -> None:
    seats = [
        {"person": "p1", "name": "Ann", "colour": "red", "bot": None},
        {"person": "p2", "name": None, "colour": "blue", "bot": None},
        {"person": None, "name": None, "colour": "yellow", "bot": None, "reserved": "p3"},
        {"person": None, "name": "Brita", "colour": "green", "bot": "sailor"},
    ]
    english, german = run("core/names.js", NAMES, seats)
    assert english == ["Ann", "someone", "someone", "Brita", "someone", "someone"]
    assert german == ["Ann", "jemand", "jemand", "Brita", "jemand", "jemand"]
