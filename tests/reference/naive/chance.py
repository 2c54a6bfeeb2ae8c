"""Seeded randomness: streams of 64-bit numbers from SHA-256, and shuffles."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from .refusal import Refusal


def check_seed(seed: object) -> None:
    if not isinstance(seed, str) or not re.fullmatch(r"[0-9a-f]{64}", seed):
        raise Refusal("bad_seed", "a seed is 64 lower-case hex digits")


def stream(seed: str, label: str) -> Iterator[int]:
    counter = 0
    while True:
        block = hashlib.sha256(f"{seed}|{label}|{counter}".encode("ascii")).digest()
        for start in (0, 8, 16, 24):
            yield int.from_bytes(block[start : start + 8], "big")
        counter += 1


def below(numbers: Iterator[int], k: int) -> int:
    while True:
        x = next(numbers)
        if x < 2**64 - (2**64 % k):
            return x % k


def shuffle(seed: str, label: str, items: list[str]) -> list[str]:
    numbers = stream(seed, label)
    result = sorted(items)
    for i in range(len(result) - 1, 0, -1):
        j = below(numbers, i + 1)
        result[i], result[j] = result[j], result[i]
    return result
