"""The options of one table: taken from a preset, changed, and checked against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from app.rules.catalogue import CATALOGUE, PRESETS, OptionSpec, Value
from app.rules.core.errors import BadOptions, Reason


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
    def has_sloop(self) -> bool:
        return self.scenario == "complete"

    @property
    def boards(self) -> int:
        return self.passage_boards + self.jungle_boards


class Why(Reason):
    """Why a table cannot be set up."""

    passage_boards_fit = "The passage scenario has 4 to 8 passage boards and no jungle boards."
    jungle_boards_fit = "The jungle scenario has 4 to 8 jungle boards and no passage boards."
    complete_boards_fit = (
        "The complete scenario has 3 to 5 passage boards and 3 to 5 jungle boards, at most 8 in all."
    )
    complete_needs_relief = (
        "The complete scenario needs the relief rest or start: without it some games cannot end."
    )
    printed_boards_fit = "Printed boards need the classic symbols and exactly six boards in all."
    min_actions_fit = "A turn cannot ask for more actions (min_actions) than it has (actions)."
    split_needs_complete = "The card gain split needs the complete scenario."
    black_magic_needs = "Black magic needs the escape symbols and the deck supply."
    first_seat_fit = "The seat that starts (first) must be one of the players' seats, counted from 0."
    options_no_object = "Options must be an object with names and values."
    option_unknown = "There is no option {option}; the options are {options}."
    option_missing = "The option {option} must be given."
    option_choice = "The option {option} must be one of {options}."
    option_number = "The option {option} must be a whole number from {low} to {high}."
    option_flag = "The option {option} must be true or false."
    option_seat = 'The option {option} must be the text "random" or the number of a seat, counted from 0.'


@dataclass(frozen=True, slots=True)
class Conflict:
    """A combination that is refused, with the reason that says what would be right."""

    options: tuple[str, ...]
    is_met: Callable[[Options], bool]
    why: Why


CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "passage" and not (4 <= o.passage_boards <= 8 and o.jungle_boards == 0),
        Why.passage_boards_fit,
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "jungle" and not (4 <= o.jungle_boards <= 8 and o.passage_boards == 0),
        Why.jungle_boards_fit,
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: (
            o.scenario == "complete"
            and not (3 <= o.passage_boards <= 5 and 3 <= o.jungle_boards <= 5 and o.boards <= 8)
        ),
        Why.complete_boards_fit,
    ),
    Conflict(
        ("scenario", "relief"),
        lambda o: o.scenario == "complete" and o.relief == "none",
        Why.complete_needs_relief,
    ),
    Conflict(
        ("board", "symbols", "passage_boards", "jungle_boards"),
        lambda o: o.board == "printed" and not (o.symbols == "classic" and o.boards == 6),
        Why.printed_boards_fit,
    ),
    Conflict(
        ("min_actions", "actions"),
        lambda o: o.min_actions > o.actions,
        Why.min_actions_fit,
    ),
    Conflict(
        ("card_gain", "scenario"),
        lambda o: o.card_gain == "split" and o.scenario != "complete",
        Why.split_needs_complete,
    ),
    Conflict(
        ("black_magic", "symbols", "supply"),
        lambda o: o.black_magic and not (o.symbols == "escape" and o.supply == "deck"),
        Why.black_magic_needs,
    ),
    Conflict(
        ("first", "players"),
        lambda o: isinstance(o.first, int) and not 0 <= o.first < o.players,
        Why.first_seat_fit,
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


def _out_of_range(spec: OptionSpec) -> BadOptions:
    match spec.kind:
        case "choice":
            options = ", ".join(value for value, _ in spec.choices)
            return BadOptions(Why.option_choice, option=spec.name, options=options)
        case "number":
            return BadOptions(Why.option_number, option=spec.name, low=spec.low, high=spec.high)
        case "flag":
            return BadOptions(Why.option_flag, option=spec.name)
        case "seat":
            return BadOptions(Why.option_seat, option=spec.name)


def parse_options(given: object) -> Options:
    """The options that were given, the rest from the preset; refused with a sentence if they do not fit."""
    if not isinstance(given, Mapping):
        raise BadOptions(Why.options_no_object)
    for name in given:
        if name not in _NAMES:
            raise BadOptions(Why.option_unknown, option=str(name)[:40], options=", ".join(sorted(_NAMES)))
    for name in ("preset", "players"):
        if name not in given:
            raise BadOptions(Why.option_missing, option=name)
    for spec in CATALOGUE:
        if spec.name in given and not _is_fitting(spec, given[spec.name]):
            raise _out_of_range(spec)
    values: dict[str, Value] = {**PRESETS[cast("str", given["preset"])].values, **given}
    options = Options(**values)  # type: ignore[arg-type]
    for conflict in CONFLICTS:
        if conflict.is_met(options):
            raise BadOptions(conflict.why)
    return options


def options_to_json(options: Options) -> dict[str, Value]:
    return {name: getattr(options, name) for name in _FIELD_NAMES}


_FIELD_NAMES = tuple(field.name for field in fields(Options))
assert tuple(spec.name for spec in CATALOGUE) == _FIELD_NAMES
