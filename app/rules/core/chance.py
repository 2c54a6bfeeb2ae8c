"""Reproducible randomness: number streams from SHA-256, shuffles from streams, and the commit-reveal scheme."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import TypeVar

from app.rules.core.errors import BadSeed

Item = TypeVar("Item")

_DIGEST_NUMBERS = Struct(">4Q")
_NUMBER_RANGE = 1 << 64
_HEX_DIGITS = frozenset("0123456789abcdef")


def _is_hex(text: object, length: int) -> bool:
    return isinstance(text, str) and len(text) == length and _HEX_DIGITS.issuperset(text)


def check_seed(seed: object, what: str = "The seed") -> str:
    """Return the seed. Raise BadSeed if it is not 64 lower-case hexadecimal digits; `what` names it in the message."""
    if not _is_hex(seed, 64):
        raise BadSeed(f"{what} must be 64 lower-case hexadecimal digits.")
    assert isinstance(seed, str)
    return seed


def check_nonce(nonce: object) -> str:
    """Return the nonce. Raise BadSeed if it is not 32 lower-case hexadecimal digits."""
    if not _is_hex(nonce, 32):
        raise BadSeed("A nonce must be 32 lower-case hexadecimal digits.")
    assert isinstance(nonce, str)
    return nonce


def is_nonce(text: object) -> bool:
    """Return whether the value is 32 lower-case hexadecimal digits."""
    return _is_hex(text, 32)


def is_seal(text: object) -> bool:
    """Return whether the value is 64 lower-case hexadecimal digits."""
    return _is_hex(text, 64)


class Stream:
    """The sequence of 64-bit numbers that a seed produces for one label."""

    __slots__ = ("_block", "_counter", "_prefix")

    def __init__(self, seed: str, label: str) -> None:
        self._prefix = f"{seed}|{label}|".encode("ascii")
        self._counter = 0
        self._block: list[int] = []

    def next_number(self) -> int:
        """Return the next 64-bit number."""
        if not self._block:
            digest = sha256(self._prefix + b"%d" % self._counter).digest()
            self._counter += 1
            self._block = list(_DIGEST_NUMBERS.unpack(digest))
            self._block.reverse()
        return self._block.pop()

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound − 1, all equally likely."""
        limit = _NUMBER_RANGE - _NUMBER_RANGE % bound
        number = self.next_number()
        while number >= limit:
            number = self.next_number()
        return number % bound


def shuffle_sorted(seed: str, label: str, items: Iterable[Item]) -> list[Item]:
    """Return the items shuffled; they must be in text order already."""
    shuffled = list(items)
    below = Stream(seed, label).below
    for last in range(len(shuffled) - 1, 0, -1):
        other = below(last + 1)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled


def shuffle(seed: str, label: str, items: Iterable[str]) -> list[str]:
    """Sort the items as text and return them shuffled, so that their given order does not matter."""
    return shuffle_sorted(seed, label, sorted(items))


def commitment_of(server_seed: str) -> str:
    """Return the commitment that a room publishes before anyone sits down."""
    return sha256(check_seed(server_seed, "The server's seed").encode("ascii")).hexdigest()


def seal_of(commitment: str, nonce: str) -> str:
    """Return the seal of a nonce, which a seat publishes before the start. It is valid for one table only."""
    check_seed(commitment, "The commitment")
    return sha256(f"{commitment}|{check_nonce(nonce)}".encode("ascii")).hexdigest()


def seed_from(server_seed: str, nonces: Sequence[str]) -> str:
    """Return the seed of a game from the room's secret and the nonces in seat order."""
    check_seed(server_seed, "The server's seed")
    joined = "|".join(check_nonce(nonce) for nonce in nonces)
    return sha256(f"{server_seed}|{joined}".encode("ascii")).hexdigest()


def deal_seed(server_seed: str, day: str) -> str:
    """Return the seed of a deal of the day, which depends on the secret and the day alone."""
    check_seed(server_seed, "The server's seed")
    return sha256(f"{server_seed}|deal|{day}".encode("ascii")).hexdigest()


def bot_nonce(server_seed: str, seat: int) -> str:
    """Return the nonce of a bot's seat. The commitment fixes it, so the server cannot choose it later."""
    check_seed(server_seed, "The server's seed")
    return sha256(f"{server_seed}|bot|{seat}".encode("ascii")).hexdigest()[:32]
