"""Everything the rules refuse, each with a stable code and a sentence a player can act on.

RuleError
├── BadOptions     a table that cannot be set up
├── BadSeed        not 64 lower-case hexadecimal digits
├── BadPosition    a position that cannot be on a table
├── BadAction      not an action at all: unknown type, field or value
├── BadNotation    a text that is neither an action nor a drawing
├── BadRecord      a record of a game that does not hold together
├── BadSeat        a seat that is not at this table
├── NotYourTurn    somebody else has to act
├── Illegal        an action that this position does not allow
└── GameOver       the game has been won
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "BadAction",
    "BadNotation",
    "BadOptions",
    "BadPosition",
    "BadRecord",
    "BadSeat",
    "BadSeed",
    "GameOver",
    "Illegal",
    "NotYourTurn",
    "RuleError",
]


class RuleError(Exception):
    """A refusal: nothing has changed."""

    code: ClassVar[str] = "illegal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadOptions(RuleError):
    code = "bad_options"


class BadSeed(RuleError):
    code = "bad_seed"


class BadPosition(RuleError):
    code = "bad_position"


class BadAction(RuleError):
    code = "bad_action"


class BadNotation(RuleError):
    code = "bad_notation"


class BadRecord(RuleError):
    code = "bad_record"


class BadSeat(RuleError):
    code = "bad_seat"


class NotYourTurn(RuleError):
    code = "not_your_turn"


class Illegal(RuleError):
    code = "illegal"


class GameOver(RuleError):
    code = "game_over"
