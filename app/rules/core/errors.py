"""Errors of the rules. Each has a stable code, an optional reason key with parameters, and an English message.

RuleError
├── BadOptions     options that no table can have
├── BadSeed        a malformed seed or nonce
├── BadPosition    a malformed or impossible position
├── BadAction      a malformed action: unknown type, field or value
├── BadNotation    text that is neither the notation of an action nor a diagram
├── BadRecord      a malformed or inconsistent record
├── BadSeat        a seat number that the table does not have
├── NotYourTurn    another seat has to act
├── Illegal        an action that this position does not allow
└── GameOver       the game has been won

Errors that players meet while they play, set up a table or a position, or open a record (Illegal, BadOptions, some of
BadPosition and BadRecord) have a Reason, whose sentence is translated. The interface chooses the text of the others by
their code. Malformed input has an English message only.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import ClassVar

Param = str | int
"""A value inserted into a message, as in JSON: a number, a card, a symbol or a place."""


class Reason(Enum):
    """Base of the reason enums. A member's name is a stable key, its value an English sentence with {parameters}.

    Each file that refuses actions or input defines its own subclass.
    """


def reasons() -> Iterator[Reason]:
    """Yield the members of all reason enums."""
    for group in Reason.__subclasses__():
        yield from group


class RuleError(Exception):
    """Base of all errors of the rules. The position has not changed."""

    code: ClassVar[str] = "illegal"

    def __init__(self, why: str | None, sentence: str, /, **params: Param) -> None:
        self.why = why
        self.params = params
        self.message = sentence.format_map(params) if params else sentence
        super().__init__(why, sentence)

    def __str__(self) -> str:
        return self.message


class _TranslatedError(RuleError):
    """An error with a Reason, which the interface translates."""

    why: str

    def __init__(self, why: Reason, /, **params: Param) -> None:
        super().__init__(why.name, why.value, **params)
        self.args = (why,)  # for pickle


class _MalformedInput(RuleError):
    """Malformed input from a program, with a message that names the place."""

    def __init__(self, sentence: str) -> None:
        super().__init__(None, sentence)
        self.args = (sentence,)


class _ExplainedInput(_MalformedInput):
    """Malformed input whose message is for programs; the reason, if any, is for the person who sent it."""

    def __init__(self, sentence: str, why: Reason | None = None, /, **params: Param) -> None:
        super().__init__(sentence)
        if why is not None:
            self.why, self.params = why.name, params


class BadOptions(_TranslatedError):
    code = "bad_options"


class BadSeed(_MalformedInput):
    code = "bad_seed"


class BadPosition(_ExplainedInput):
    code = "bad_position"


class BadAction(RuleError):
    code = "bad_action"


class BadNotation(_MalformedInput):
    code = "bad_notation"


class BadRecord(_ExplainedInput):
    code = "bad_record"


class BadSeat(RuleError):
    code = "bad_seat"


class NotYourTurn(RuleError):
    code = "not_your_turn"


class Illegal(_TranslatedError):
    code = "illegal"


class GameOver(RuleError):
    code = "game_over"
