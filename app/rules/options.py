"""The options of one table: a preset with changes, parsed and checked for conflicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from app.rules.catalogue import CATALOGUE, PRESETS, OptionSpec, OptionValue
from app.rules.core.errors import BadOptions, Reason


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one table. `parse_options` creates them, so they are always valid and consistent."""

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
        """Return whether a sloop sails between passage and jungle."""
        return self.scenario == "complete"

    @property
    def boards(self) -> int:
        """Return the number of boards on the route."""
        return self.passage_boards + self.jungle_boards


class OptionReason(Reason):
    """Reasons why options are refused."""

    passage_boards_fit = "The passage scenario has 4 to 8 passage boards and no jungle boards."
    jungle_boards_fit = "The jungle scenario has 4 to 8 jungle boards and no passage boards."
    complete_boards_fit = (
        "The complete scenario has 3 to 5 passage boards and 3 to 5 jungle boards, at most 8 in all."
    )
    complete_needs_relief = "The complete scenario needs the relief card: without it some games cannot end."
    printed_boards_fit = "“Printed” boards need the “Classic” symbols and exactly six boards in all."
    min_actions_fit = "A turn cannot require more actions (min_actions) than it has (actions)."
    split_needs_complete = "Winning new cards by “Split” needs the complete scenario."
    black_magic_needs = "Black magic needs the “Escape” symbols and the “Deck” supply."
    first_seat_fit = "The first player (first) must be one of the players' seats, counted from 0."
    options_no_object = "Options must be an object with names and values."
    option_unknown = "There is no option {option}; the options are {options}."
    option_missing = "The option {option} is missing."
    option_choice = "The option {option} must be one of {options}."
    option_number = "The option {option} must be a whole number from {low} to {high}."
    option_flag = "The option {option} must be true or false."
    option_seat = 'The option {option} must be the text "random" or a seat number, counted from 0.'


@dataclass(frozen=True, slots=True)
class Conflict:
    """A combination of options that is refused."""

    options: tuple[str, ...]
    """Names of the options involved."""
    applies_to: Callable[[Options], bool]
    why: OptionReason


CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "passage" and not (4 <= o.passage_boards <= 8 and o.jungle_boards == 0),
        OptionReason.passage_boards_fit,
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: o.scenario == "jungle" and not (4 <= o.jungle_boards <= 8 and o.passage_boards == 0),
        OptionReason.jungle_boards_fit,
    ),
    Conflict(
        ("scenario", "passage_boards", "jungle_boards"),
        lambda o: (
            o.scenario == "complete"
            and not (3 <= o.passage_boards <= 5 and 3 <= o.jungle_boards <= 5 and o.boards <= 8)
        ),
        OptionReason.complete_boards_fit,
    ),
    Conflict(
        ("scenario", "relief"),
        lambda o: o.scenario == "complete" and o.relief == "none",
        OptionReason.complete_needs_relief,
    ),
    Conflict(
        ("board", "symbols", "passage_boards", "jungle_boards"),
        lambda o: o.board == "printed" and not (o.symbols == "classic" and o.boards == 6),
        OptionReason.printed_boards_fit,
    ),
    Conflict(
        ("min_actions", "actions"),
        lambda o: o.min_actions > o.actions,
        OptionReason.min_actions_fit,
    ),
    Conflict(
        ("card_gain", "scenario"),
        lambda o: o.card_gain == "split" and o.scenario != "complete",
        OptionReason.split_needs_complete,
    ),
    Conflict(
        ("black_magic", "symbols", "supply"),
        lambda o: o.black_magic and not (o.symbols == "escape" and o.supply == "deck"),
        OptionReason.black_magic_needs,
    ),
    Conflict(
        ("first", "players"),
        lambda o: isinstance(o.first, int) and not 0 <= o.first < o.players,
        OptionReason.first_seat_fit,
    ),
)

_OPTION_NAMES = frozenset(spec.name for spec in CATALOGUE)


def _is_valid(spec: OptionSpec, value: object) -> bool:
    match spec.kind:
        case "choice":
            return isinstance(value, str) and any(value == choice.value for choice in spec.choices)
        case "number":
            return type(value) is int and spec.low <= value <= spec.high
        case "flag":
            return type(value) is bool
        case "seat":
            return value == "random" or type(value) is int


def _range_error(spec: OptionSpec) -> BadOptions:
    match spec.kind:
        case "choice":
            options = ", ".join(choice.value for choice in spec.choices)
            return BadOptions(OptionReason.option_choice, option=spec.name, options=options)
        case "number":
            return BadOptions(OptionReason.option_number, option=spec.name, low=spec.low, high=spec.high)
        case "flag":
            return BadOptions(OptionReason.option_flag, option=spec.name)
        case "seat":
            return BadOptions(OptionReason.option_seat, option=spec.name)


def parse_options(given: object) -> Options:
    """Parse options; those not given come from the preset. Raise BadOptions if they are malformed or conflict."""
    if not isinstance(given, Mapping):
        raise BadOptions(OptionReason.options_no_object)
    for name in given:
        if name not in _OPTION_NAMES:
            raise BadOptions(
                OptionReason.option_unknown, option=str(name)[:40], options=", ".join(sorted(_OPTION_NAMES))
            )
    for name in ("preset", "players"):
        if name not in given:
            raise BadOptions(OptionReason.option_missing, option=name)
    for spec in CATALOGUE:
        if spec.name in given and not _is_valid(spec, given[spec.name]):
            raise _range_error(spec)
    values: dict[str, OptionValue] = {**PRESETS[cast("str", given["preset"])].values, **given}
    options = Options(**values)  # type: ignore[arg-type]
    for conflict in CONFLICTS:
        if conflict.applies_to(options):
            raise BadOptions(conflict.why)
    return options


def options_to_json(options: Options) -> dict[str, OptionValue]:
    """Return all options as JSON."""
    return {name: getattr(options, name) for name in _FIELD_NAMES}


_FIELD_NAMES = tuple(field.name for field in fields(Options))
assert tuple(spec.name for spec in CATALOGUE) == _FIELD_NAMES
