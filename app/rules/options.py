"""The options of one table: taken from a preset, changed, and checked against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from app.rules.catalogue import CATALOGUE, PRESETS, OptionSpec, Value
from app.rules.core.errors import BadOptions

__all__ = ["CONFLICTS", "Conflict", "Options", "options_to_json", "parse_options"]


@dataclass(frozen=True, slots=True)
class Options:
    """How one table is set up. Made by `parse_options`, so it always holds together."""

    preset: str
    players: int
    symbols: str
    hands: str
    supply: str
    row_size: int
    copies: int
    scenario: str
    passage_boards: int
    jungle_boards: int
    board: str
    pirates: int
    actions: int
    min_actions: int
    relief: str
    card_gain: str
    scoundrels: bool
    black_magic: bool
    first: str | int

    @property
    def boards(self) -> int:
        return self.passage_boards + self.jungle_boards


@dataclass(frozen=True, slots=True)
class Conflict:
    """A combination that is refused, with the sentence that says what would be right."""

    options: tuple[str, ...]
    is_met: Callable[[Options], bool]
    sentence: str


CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "passage" and not (4 <= o.passage_boards <= 8 and o.jungle_boards == 0),
        "The passage scenario has 4 to 8 passage boards and no jungle boards.",
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "jungle" and not (4 <= o.jungle_boards <= 8 and o.passage_boards == 0),
        "The jungle scenario has 4 to 8 jungle boards and no passage boards.",
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: (
            o.scenario == "complete"
            and not (3 <= o.passage_boards <= 5 and 3 <= o.jungle_boards <= 5 and o.boards <= 8)
        ),
        "The complete scenario has 3 to 5 passage boards and 3 to 5 jungle boards, at most 8 in all.",
    ),
    Conflict(
        ("scenario", "relief"),
        lambda o: o.scenario == "complete" and o.relief == "none",
        "The complete scenario needs the relief rest or start: without it some games cannot end.",
    ),
    Conflict(
        ("board", "symbols", "passage_boards", "jungle_boards"),
        lambda o: o.board == "printed" and not (o.symbols == "classic" and o.boards == 6),
        "Printed boards need the classic symbols and exactly six boards in all.",
    ),
    Conflict(
        ("min_actions", "actions"),
        lambda o: o.min_actions > o.actions,
        "A turn cannot ask for more actions (min_actions) than it has (actions).",
    ),
    Conflict(
        ("card_gain", "scenario"),
        lambda o: o.card_gain == "split" and o.scenario != "complete",
        "The card gain split needs the complete scenario.",
    ),
    Conflict(
        ("black_magic", "symbols", "supply"),
        lambda o: o.black_magic and not (o.symbols == "escape" and o.supply == "deck"),
        "Black magic needs the escape symbols and the deck supply.",
    ),
    Conflict(
        ("first", "players"),
        lambda o: isinstance(o.first, int) and not 0 <= o.first < o.players,
        "The seat that starts (first) must be one of the players' seats, counted from 0.",
    ),
)

_NAMES = frozenset(spec.name for spec in CATALOGUE)


def _is_fitting(spec: OptionSpec, value: object) -> bool:
    match spec.kind:
        case "choice":
            return isinstance(value, str) and any(value == choice for choice, _ in spec.choices)
        case "number":
            return type(value) is int and spec.low <= value <= spec.high
        case "flag":
            return type(value) is bool
        case "seat":
            return value == "random" or type(value) is int


def parse_options(given: object) -> Options:
    """The options that were given, the rest from the preset; refused with a sentence if they do not fit."""
    if not isinstance(given, Mapping):
        raise BadOptions("Options must be an object with names and values.")
    for name in given:
        if name not in _NAMES:
            raise BadOptions(
                f"There is no option {str(name)[:40]!r}; the options are {', '.join(sorted(_NAMES))}."
            )
    for name in ("preset", "players"):
        if name not in given:
            raise BadOptions(f"The option {name} must be given.")
    for spec in CATALOGUE:
        if spec.name in given and not _is_fitting(spec, given[spec.name]):
            raise BadOptions(f"The option {spec.name} must be {spec.range_text()}.")
    values: dict[str, Value] = {**PRESETS[cast("str", given["preset"])].values, **given}
    options = Options(**values)  # type: ignore[arg-type]
    for conflict in CONFLICTS:
        if conflict.is_met(options):
            raise BadOptions(conflict.sentence)
    return options


def options_to_json(options: Options) -> dict[str, Value]:
    return {name: getattr(options, name) for name in _FIELD_NAMES}


_FIELD_NAMES = tuple(field.name for field in fields(Options))
assert tuple(spec.name for spec in CATALOGUE) == _FIELD_NAMES
