"""The option catalogue: all table options and presets as data, read by forms, docs and validation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

OptionValue = str | int | bool
OptionKind = Literal["choice", "number", "flag", "seat"]


class Choice(NamedTuple):
    """One value of an option."""

    value: str
    word: str
    """Label of a button."""
    sentence: str
    """Description for players."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a table: its values and its texts for players."""

    name: str
    kind: OptionKind
    label: str
    sentence: str
    group: str = ""
    """Heading of the form section that contains the option; empty if the form shows it elsewhere."""
    default: OptionValue | None = None
    """Value in the first edition; None if every table must set the option."""
    choices: tuple[Choice, ...] = ()
    low: int = 0
    high: int = 0
    excludes: str = ""
    """Sentence about options that it cannot be combined with; empty if there are none."""

    def describe_range(self) -> str:
        """Return a phrase for the valid values, such as "a whole number from 2 to 5"."""
        match self.kind:
            case "choice":
                return "one of " + ", ".join(choice.value for choice in self.choices)
            case "number":
                return f"a whole number from {self.low} to {self.high}"
            case "flag":
                return "true or false"
            case "seat":
                return 'the text "random" or a seat number, counted from 0'


@dataclass(frozen=True, slots=True)
class Preset:
    """One published edition: a value for every option except the number of players."""

    name: str
    title: str
    year: str
    sentence: str
    values: dict[str, OptionValue]


ROUTE_GROUP, CARDS_GROUP, TURN_GROUP, MODULES_GROUP = "The route", "The cards", "The turn", "Modules"

_OPTIONS: tuple[OptionSpec, ...] = (
    OptionSpec("players", "number", "Players", "How many seats the table has.", low=2, high=5),
    OptionSpec(
        "symbols",
        "choice",
        "Symbols",
        "Which six symbols are on the boards and cards.",
        ROUTE_GROUP,
        "classic",
        (
            Choice("classic", "Classic", "Bottle, dagger, hat, key, pistol and skull."),
            Choice("escape", "Escape", "Chest, hook, lantern, parrot, pistol and rum."),
        ),
    ),
    OptionSpec(
        "hands",
        "choice",
        "Hands",
        "Whether everyone can see everyone's cards.",
        CARDS_GROUP,
        "hidden",
        (
            Choice("hidden", "Hidden", "You only see how many cards each player has."),
            Choice("open", "Face up", "All hands are face up."),
        ),
    ),
    OptionSpec(
        "supply",
        "choice",
        "Supply",
        "Where new cards come from.",
        CARDS_GROUP,
        "deck",
        (
            Choice("deck", "Deck", "From the top of a face-down deck."),
            Choice("row", "Face-up row", "From the left end of a face-up row."),
        ),
    ),
    OptionSpec(
        "row_size",
        "number",
        "Row size",
        "How many cards are laid out in a face-up row.",
        CARDS_GROUP,
        12,
        low=1,
        high=20,
    ),
    OptionSpec(
        "copies",
        "number",
        "Cards per symbol",
        "How many cards there are of each symbol.",
        CARDS_GROUP,
        17,
        low=10,
        high=30,
    ),
    OptionSpec(
        "scenario",
        "choice",
        "Scenario",
        "Which way the pirates escape.",
        ROUTE_GROUP,
        "passage",
        (
            Choice(
                "passage",
                "Passage",
                "From the prison through the passage to the sloop: 4 to 8 passage boards.",
            ),
            Choice(
                "jungle",
                "Jungle",
                "From the wreck through the jungle to the pirate bay: 4 to 8 jungle boards.",
            ),
            Choice(
                "complete",
                "Complete",
                "Passage, sloop and jungle: 3 to 5 boards each, at most 8 in all; needs the relief card.",
            ),
        ),
    ),
    OptionSpec(
        "passage_boards",
        "number",
        "Passage boards",
        "How many boards make up the passage; the number must suit the scenario.",
        ROUTE_GROUP,
        6,
        low=0,
        high=8,
    ),
    OptionSpec(
        "jungle_boards",
        "number",
        "Jungle boards",
        "How many boards make up the jungle; the number must suit the scenario.",
        ROUTE_GROUP,
        0,
        low=0,
        high=8,
    ),
    OptionSpec(
        "board",
        "choice",
        "Boards",
        "In which order the boards show the symbols.",
        ROUTE_GROUP,
        "printed",
        (
            Choice(
                "printed", "Printed", "The six boards of the first edition, in random order and direction."
            ),
            Choice("random", "Random", "Each board shows the six symbols in random order."),
        ),
        excludes="“Printed” boards need the “Classic” symbols and exactly six boards in all.",
    ),
    OptionSpec(
        "pirates",
        "number",
        "Pirates",
        "How many pirates each player has to bring to the goal.",
        ROUTE_GROUP,
        6,
        low=4,
        high=8,
    ),
    OptionSpec(
        "actions",
        "number",
        "Actions",
        "How many actions you may take in a turn.",
        TURN_GROUP,
        3,
        low=1,
        high=5,
    ),
    OptionSpec(
        "min_actions",
        "number",
        "Minimum actions",
        "How many actions you must take before you may end your turn; no more than a turn has.",
        TURN_GROUP,
        1,
        low=0,
        high=5,
    ),
    OptionSpec(
        "relief",
        "choice",
        "Relief card",
        "Whether a player with an empty hand may draw a card and end the turn.",
        TURN_GROUP,
        "none",
        (
            Choice("rest", "Any time", "At any point in the turn."),
            Choice("start", "At the start of the turn", "Only before the first action."),
            Choice("none", "None", "Never."),
        ),
    ),
    OptionSpec(
        "card_gain",
        "choice",
        "New cards",
        "How you win new cards.",
        CARDS_GROUP,
        "retreat",
        (
            Choice("retreat", "Retreat", "By moving one of your pirates back to a space with other pirates."),
            Choice(
                "morgan",
                "Morgan",
                "By sending another player's pirate forward to a space with other pirates.",
            ),
            Choice("both", "Both", "Either way."),
            Choice(
                "split",
                "Split",
                "Retreat in the passage, Morgan in the jungle; only for the complete scenario.",
            ),
        ),
        excludes="“Split” needs the complete scenario.",
    ),
    OptionSpec(
        "scoundrels",
        "flag",
        "Scoundrels",
        "When you play a dark card, everyone else has to discard down to seven cards.",
        MODULES_GROUP,
        False,
    ),
    OptionSpec(
        "black_magic",
        "flag",
        "Black magic",
        "You may play a card for its power instead of moving a pirate.",
        MODULES_GROUP,
        False,
        excludes="Black magic needs the “Escape” symbols and the “Deck” supply.",
    ),
    OptionSpec(
        "first", "seat", "First player", "A seat, or a player chosen at random.", TURN_GROUP, "random"
    ),
)

_FIRST_EDITION: dict[str, OptionValue] = {
    spec.name: spec.default for spec in _OPTIONS if spec.default is not None
}

_ESCAPE_EDITION: dict[str, OptionValue] = _FIRST_EDITION | {
    "symbols": "escape",
    "board": "random",
    "relief": "rest",
}

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "jamaica",
            "Jamaica",
            "2000",
            "Hands are hidden, and new cards come from the deck.",
            _FIRST_EDITION,
        ),
        Preset(
            "tortuga",
            "Tortuga",
            "2000",
            "Everything is face up: all hands, and the next twelve cards in a row.",
            _FIRST_EDITION | {"hands": "open", "supply": "row"},
        ),
        Preset(
            "hispaniola",
            "Hispaniola",
            "online",
            "Hands are hidden, but the next cards are face up in a row; you may pass your turn.",
            _FIRST_EDITION | {"supply": "row", "min_actions": 0},
        ),
        Preset(
            "first-escape",
            "First Escape",
            "2023",
            "A row of ten cards; if you start your turn with an empty hand, you may draw a relief card.",
            _FIRST_EDITION
            | {"supply": "row", "row_size": 10, "copies": 18, "min_actions": 0, "relief": "start"},
        ),
        Preset(
            "dungeon", "The Dungeon", "2017", "An escape from the prison with new symbols.", _ESCAPE_EDITION
        ),
        Preset(
            "jungle",
            "The Jungle",
            "2017",
            "From the wreck through the jungle to the pirate bay.",
            _ESCAPE_EDITION | {"scenario": "jungle", "passage_boards": 0, "jungle_boards": 6},
        ),
        Preset(
            "complete",
            "The Complete Escape",
            "2017",
            "Passage, sloop and jungle in one long game.",
            _ESCAPE_EDITION | {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3},
        ),
    )
}

CATALOGUE: tuple[OptionSpec, ...] = (
    OptionSpec(
        "preset",
        "choice",
        "Edition",
        "The edition the table is based on; you can then change every other option.",
        choices=tuple(Choice(preset.name, preset.title, preset.sentence) for preset in PRESETS.values()),
    ),
    *_OPTIONS,
)


def catalogue_to_json() -> dict[str, object]:
    """Return all options and presets as JSON."""
    return {
        "options": [
            {
                "name": spec.name,
                "kind": spec.kind,
                "label": spec.label,
                "sentence": spec.sentence,
                **(
                    {"choices": {choice.value: choice.sentence for choice in spec.choices}}
                    if spec.kind == "choice"
                    else {}
                ),
                **({"low": spec.low, "high": spec.high} if spec.kind == "number" else {}),
                **({"excludes": spec.excludes} if spec.excludes else {}),
            }
            for spec in CATALOGUE
        ],
        "presets": [asdict(preset) for preset in PRESETS.values()],
    }
