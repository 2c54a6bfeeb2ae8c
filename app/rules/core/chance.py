"""Seeded chance that anyone can recompute: streams of numbers out of SHA-256, shuffles out of streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import TypeVar

from app.rules.core.errors import BadSeed

Item = TypeVar("Item")

_FOUR_NUMBERS = Struct(">4Q")
_RANGE = 1 << 64
_HEX = frozenset("0123456789abcdef")


def _is_hex(text: object, length: int) -> bool:
    return isinstance(text, str) and len(text) == length and _HEX.issuperset(text)


def check_seed(seed: object, what: str = "The seed") -> str:
    if not _is_hex(seed, 64):
        raise BadSeed(f"{what} must be a text of 64 hexadecimal digits in lower case.")
    assert isinstance(seed, str)
    return seed


def check_nonce(nonce: object) -> str:
    if not _is_hex(nonce, 32):
        raise BadSeed("A nonce must be a text of 32 hexadecimal digits in lower case.")
    assert isinstance(nonce, str)
    return nonce


def is_nonce(text: object) -> bool:
    return _is_hex(text, 32)


def is_seal(text: object) -> bool:
    return _is_hex(text, 64)


class Stream:
    """The numbers that one seed gives under one label, from the first on."""

    __slots__ = ("_counter", "_left", "_prefix")

    def __init__(self, seed: str, label: str) -> None:
        self._prefix = f"{seed}|{label}|".encode("ascii")
        self._counter = 0
        self._left: list[int] = []

    def number(self) -> int:
        """The next 64-bit number."""
        if not self._left:
            block = sha256(self._prefix + b"%d" % self._counter).digest()
            self._counter += 1
            self._left = list(_FOUR_NUMBERS.unpack(block))
            self._left.reverse()
        return self._left.pop()

    def below(self, bound: int) -> int:
        """A number from 0 to bound − 1, every one as likely as the other."""
        limit = _RANGE - _RANGE % bound
        number = self.number()
        while number >= limit:
            number = self.number()
        return number % bound


def shuffle_sorted(seed: str, label: str, items: Iterable[Item]) -> list[Item]:
    """Shuffle items that stand in text order already."""
    shuffled = list(items)
    below = Stream(seed, label).below
    for last in range(len(shuffled) - 1, 0, -1):
        other = below(last + 1)
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled


def shuffle(seed: str, label: str, items: Iterable[str]) -> list[str]:
    """Sort the items as text, then shuffle them: the order they came in plays no part."""
    return shuffle_sorted(seed, label, sorted(items))


def commitment_of(server_seed: str) -> str:
    """What the room shows before anyone sits down."""
    return sha256(check_seed(server_seed, "The server's seed").encode("ascii")).hexdigest()


def seal_of(commitment: str, nonce: str) -> str:
    """What a seat shows before the start instead of its nonce; it fits that nonce at that table only."""
    check_seed(commitment, "The commitment")
    return sha256(f"{commitment}|{check_nonce(nonce)}".encode("ascii")).hexdigest()


def seed_from(server_seed: str, nonces: Sequence[str]) -> str:
    """The game's seed: the room's secret and every seat's nonce, in seat order."""
    check_seed(server_seed, "The server's seed")
    joined = "|".join(check_nonce(nonce) for nonce in nonces)
    return sha256(f"{server_seed}|{joined}".encode("ascii")).hexdigest()


def deal_seed(server_seed: str, day: str) -> str:
    """The seed of a deal that everybody plays: the secret that was fixed before and the day, and nobody's nonce."""
    check_seed(server_seed, "The server's seed")
    return sha256(f"{server_seed}|deal|{day}".encode("ascii")).hexdigest()


def bot_nonce(server_seed: str, seat: int) -> str:
    """The nonce of a seat that a bot holds: fixed by the commitment, so that nobody can choose it later."""
    check_seed(server_seed, "The server's seed")
    return sha256(f"{server_seed}|bot|{seat}".encode("ascii")).hexdigest()[:32]
