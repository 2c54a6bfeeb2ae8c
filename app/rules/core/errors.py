"""Everything the rules refuse: a stable code, why, what it is about, and an English sentence made of the two.

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

What people meet while they play, set up a table or open a record (Illegal, BadOptions, BadRecord) has a Reason,
whose sentence is translated; people are told the others by their code. What is merely malformed has an English
sentence alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import ClassVar

Param = str | int
"""What a sentence is about: a number, a card, a symbol, a place, as JSON has it."""


class Reason(Enum):
    """Reasons, each a stable key and its English sentence; {card}, {symbol} and numbers are put in.

    Every file that refuses something has a subclass of its own with its sentences.
    """


def reasons() -> Iterator[Reason]:
    """All there are."""
    for group in Reason.__subclasses__():
        yield from group


class RuleError(Exception):
    """A refusal: nothing has changed."""

    code: ClassVar[str] = "illegal"

    def __init__(self, why: str | None, sentence: str, /, **params: Param) -> None:
        self.why = why
        self.params = params
        self.message = sentence.format_map(params) if params else sentence
        super().__init__(why, sentence)

    def __str__(self) -> str:
        return self.message


class _Reasoned(RuleError):
    """Refused for a reason that people are told in their language."""

    why: str

    def __init__(self, why: Reason, /, **params: Param) -> None:
        super().__init__(why.name, why.value, **params)
        self.args = (why,)  # what pickle makes it from again


class _Malformed(RuleError):
    """What a program wrote has not the form of what it should be; a sentence says where."""

    def __init__(self, sentence: str) -> None:
        super().__init__(None, sentence)
        self.args = (sentence,)


class BadOptions(_Reasoned):
    code = "bad_options"


class BadSeed(_Malformed):
    code = "bad_seed"


class BadPosition(_Malformed):
    code = "bad_position"


class BadAction(RuleError):
    code = "bad_action"


class BadNotation(_Malformed):
    code = "bad_notation"


class BadRecord(_Malformed):
    """The sentence says to a program what is wrong where; the reason says it to whoever chose the file."""

    code = "bad_record"

    def __init__(self, sentence: str, why: Reason | None = None, /, **params: Param) -> None:
        super().__init__(sentence)
        if why is not None:
            self.why, self.params = why.name, params


class BadSeat(RuleError):
    code = "bad_seat"


class NotYourTurn(RuleError):
    code = "not_your_turn"


class Illegal(_Reasoned):
    code = "illegal"


class GameOver(RuleError):
    code = "game_over"
