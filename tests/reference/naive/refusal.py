"""The one way the reference says no: a stable code and a sentence."""

from typing import Any

Json = dict[str, Any]


class Refusal(Exception):
    """A request the rules do not allow."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def is_number(thing: object) -> bool:
    """True and false are not numbers; neither is 3.0 a space."""
    return type(thing) is int
