"""The option catalogue: every option of a table as data. Form, docs and validation all read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Value = str | int | bool
Kind = Literal["choice", "number", "flag", "seat"]


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: what it may be and a sentence for people."""

    name: str
    kind: Kind
    label: str
    sentence: str
    choices: tuple[tuple[str, str], ...] = ()
    """For a choice: each value with its own sentence."""
    low: int = 0
    high: int = 0
    excludes: str = ""
    """A sentence on what it does not go together with; empty where it goes with everything."""

    def range_text(self) -> str:
        """What would be right, in words, for the form's hint and the refusal's sentence."""
        match self.kind:
            case "choice":
                return "one of " + ", ".join(value for value, _ in self.choices)
            case "number":
                return f"a whole number from {self.low} to {self.high}"
            case "flag":
                return "true or false"
            case "seat":
                return 'the text "random" or the number of a seat, counted from 0'


@dataclass(frozen=True, slots=True)
class Preset:
    """One edition as it lies in its box: a name and a value for every option but the number of players."""

    name: str
    title: str
    year: str
    sentence: str
    values: dict[str, Value]


_BASE: dict[str, Value] = {
    "symbols": "classic",
    "hands": "hidden",
    "supply": "deck",
    "row_size": 12,
    "copies": 17,
    "scenario": "passage",
    "passage_boards": 6,
    "jungle_boards": 0,
    "board": "printed",
    "pirates": 6,
    "actions": 3,
    "min_actions": 1,
    "relief": "none",
    "card_gain": "retreat",
    "scoundrels": False,
    "black_magic": False,
    "first": "random",
}

_ESCAPE: dict[str, Value] = _BASE | {"symbols": "escape", "board": "random", "relief": "rest"}

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("jamaica", "Jamaica", "2000", "Hands are hidden and cards come from the deck.", _BASE),
        Preset(
            "tortuga",
            "Tortuga",
            "2000",
            "Everything lies open: all hands, and the next twelve cards in a row.",
            _BASE | {"hands": "open", "supply": "row"},
        ),
        Preset(
            "hispaniola",
            "Hispaniola",
            "online",
            "Hidden hands, but the next cards lie in an open row; a turn may be passed.",
            _BASE | {"supply": "row", "min_actions": 0},
        ),
        Preset(
            "first-escape",
            "First Escape",
            "2023",
            "A row of ten cards, and whoever starts a turn with an empty hand may draw instead.",
            _BASE | {"supply": "row", "row_size": 10, "copies": 18, "min_actions": 0, "relief": "start"},
        ),
        Preset("dungeon", "The Dungeon", "2017", "Out of the prison with new symbols.", _ESCAPE),
        Preset(
            "jungle",
            "The Jungle",
            "2017",
            "From the half-sunk sloop through the jungle to the pirate bay.",
            _ESCAPE | {"scenario": "jungle", "passage_boards": 0, "jungle_boards": 6},
        ),
        Preset(
            "complete",
            "The Complete Escape",
            "2017",
            "Passage, sailing sloop and jungle in one long game.",
            _ESCAPE | {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3},
        ),
    )
}

CATALOGUE: tuple[OptionSpec, ...] = (
    OptionSpec(
        "preset",
        "choice",
        "Edition",
        "The edition the table starts from; every other option may then be changed.",
        tuple((preset.name, preset.sentence) for preset in PRESETS.values()),
    ),
    OptionSpec("players", "number", "Players", "How many seats the table has.", low=2, high=5),
    OptionSpec(
        "symbols",
        "choice",
        "Symbols",
        "Which six symbols are on the boards and cards.",
        (
            ("classic", "Bottle, dagger, hat, key, pistol and skull."),
            ("escape", "Chest, hook, lantern, parrot, pistol and rum."),
        ),
    ),
    OptionSpec(
        "hands",
        "choice",
        "Hands",
        "Whether everybody sees everybody's cards.",
        (("hidden", "Only the number of cards is known."), ("open", "All hands lie open.")),
    ),
    OptionSpec(
        "supply",
        "choice",
        "Supply",
        "Where new cards come from.",
        (
            ("deck", "From the top of a face-down deck."),
            ("row", "From the left end of a row of open cards."),
        ),
    ),
    OptionSpec("row_size", "number", "Row size", "How many cards are laid into an open row.", low=1, high=20),
    OptionSpec("copies", "number", "Copies", "How many cards there are of each symbol.", low=10, high=30),
    OptionSpec(
        "scenario",
        "choice",
        "Scenario",
        "Which way the pirates flee.",
        (
            ("passage", "From the prison through the passage to the sloop: 4 to 8 passage boards."),
            ("jungle", "From the wreck through the jungle to the bay: 4 to 8 jungle boards."),
            (
                "complete",
                "Passage, sloop and jungle: 3 to 5 boards of each, at most 8 in all; needs a relief.",
            ),
        ),
    ),
    OptionSpec(
        "passage_boards",
        "number",
        "Passage boards",
        "How many boards make the passage; it must fit the scenario.",
        low=0,
        high=8,
    ),
    OptionSpec(
        "jungle_boards",
        "number",
        "Jungle boards",
        "How many boards make the jungle; it must fit the scenario.",
        low=0,
        high=8,
    ),
    OptionSpec(
        "board",
        "choice",
        "Boards",
        "Which sequences of symbols the boards show.",
        (
            ("printed", "The six boards of the first edition, in random order and direction."),
            ("random", "Every board is freshly mixed."),
        ),
        excludes="Printed boards need the classic symbols and exactly six boards in all.",
    ),
    OptionSpec("pirates", "number", "Pirates", "How many pirates each player brings home.", low=4, high=8),
    OptionSpec("actions", "number", "Actions", "How many actions a turn has at most.", low=1, high=5),
    OptionSpec(
        "min_actions",
        "number",
        "Least actions",
        "How many actions must be taken before the turn may end; not more than the actions of a turn.",
        low=0,
        high=5,
    ),
    OptionSpec(
        "relief",
        "choice",
        "Relief",
        "Whether a player without cards may draw one and end the turn.",
        (
            ("rest", "At any point of the turn."),
            ("start", "Only before the first action."),
            ("none", "Never."),
        ),
    ),
    OptionSpec(
        "card_gain",
        "choice",
        "New cards",
        "How cards are won.",
        (
            ("retreat", "By moving an own pirate back to company."),
            ("morgan", "By sending another player's pirate ahead to company."),
            ("both", "Either way."),
            ("split", "Retreat in the passage, Morgan in the jungle; for the complete escape only."),
        ),
        excludes="Split needs the complete scenario.",
    ),
    OptionSpec(
        "scoundrels",
        "flag",
        "Scoundrels",
        "Playing a dark card makes everybody else discard down to seven cards.",
    ),
    OptionSpec(
        "black_magic",
        "flag",
        "Black magic",
        "A card may be played for its power instead of an advance.",
        excludes="Black magic needs the escape symbols and the deck supply.",
    ),
    OptionSpec("first", "seat", "Who starts", "A seat, or chance decides."),
)


def catalogue_to_json() -> dict[str, object]:
    """What `cartagena rules` prints and programs read."""
    return {
        "options": [
            {
                "name": spec.name,
                "kind": spec.kind,
                "label": spec.label,
                "sentence": spec.sentence,
                **({"choices": dict(spec.choices)} if spec.kind == "choice" else {}),
                **({"low": spec.low, "high": spec.high} if spec.kind == "number" else {}),
                **({"excludes": spec.excludes} if spec.excludes else {}),
            }
            for spec in CATALOGUE
        ],
        "presets": [
            {
                "name": preset.name,
                "title": preset.title,
                "year": preset.year,
                "sentence": preset.sentence,
                "values": dict(preset.values),
            }
            for preset in PRESETS.values()
        ],
    }
