"""The error of the reference implementation: a stable code and a message."""

from typing import Any

Json = dict[str, Any]


class Refusal(Exception):
    """Raised for a request that the rules do not allow."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def is_number(thing: object) -> bool:
    """Return whether the value is an integer; booleans and floats are not."""
    return type(thing) is int
