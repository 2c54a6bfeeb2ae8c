"""Mutations: values that are almost valid, and bytes that almost encode them."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

__all__ = ["ODD", "mutated", "spoilt"]

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    9,
    2**31,
    2**53,
    2**53 + 1,
    2**63,
    -(2**63) - 1,
    10**40,
    0.5,
    1e308,
    -0.0,
    "",
    "0",
    "key",
    "start",
    "goal",
    "__proto__",
    "constructor",
    "\x00",
    "\u202e",
    "\ufeff",
    "\U0001f3f4\u200d\u2620\ufe0f",
    "'; DROP TABLE games; --",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "%s%n%x",
    "../../etc/passwd",
    "x" * 300,
    "ü" * 1500,
    [],
    [[]],
    {},
    {"type": "end"},
    {"": {}},
    ["key", "key*"],
)
_CUTS = ("drop", "double", "swap", "odd", "rename", "wrap", "borrow")


def mutated(value: Any, chance: random.Random) -> Any:
    """Return the value with one to four changes somewhere in it."""
    changed = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        changed = _changed(changed, chance)
    return changed


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        return _changed_object(value, chance)
    if isinstance(value, list) and value and chance.random() < 0.8:
        return _changed_list(value, chance)
    if isinstance(value, str) and value and chance.random() < 0.5:
        at = chance.randrange(len(value))
        return value[:at] + chance.choice(("", "\u0000", "é", "*", " ", value)) + value[at + 1 :]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.5:
        return value + chance.choice((-1, 1, 2, 1000, -(2**40), 2**40))
    return copy.deepcopy(chance.choice(ODD))


def _changed_object(value: dict[str, Any], chance: random.Random) -> Any:
    name = chance.choice(list(value))
    match chance.choice(_CUTS):
        case "drop":
            del value[name]
        case "double":
            value[name + chance.choice(("", " ", "_", "2"))] = value[name]
        case "odd":
            value[name] = copy.deepcopy(chance.choice(ODD))
        case "rename":
            value[chance.choice(("id", "do", "seat", "x", "", "__class__"))] = value.pop(name)
        case "wrap":
            value[name] = [value[name]] if chance.random() < 0.5 else {"value": value[name]}
        case "borrow":
            value[name] = value[chance.choice(list(value))]
        case _:
            value[name] = _changed(value[name], chance)
    return value


def _changed_list(value: list[Any], chance: random.Random) -> Any:
    at = chance.randrange(len(value))
    match chance.choice(_CUTS):
        case "drop":
            del value[at]
        case "double":
            value.insert(at, copy.deepcopy(value[at]))
        case "swap":
            other = chance.randrange(len(value))
            value[at], value[other] = value[other], value[at]
        case "odd":
            value[at] = copy.deepcopy(chance.choice(ODD))
        case _:
            value[at] = _changed(value[at], chance)
    return value


def spoilt(value: Any, chance: random.Random) -> bytes:
    """Return the value as JSON, or as something close to it."""
    if chance.random() < 0.1:
        return chance.randbytes(chance.choice((0, 1, 7, 60, 400)))
    given = value if chance.random() < 0.15 else mutated(value, chance)
    text = json.dumps(given, ensure_ascii=chance.random() < 0.5, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.7 or not data:
        return data
    at = chance.randrange(len(data))
    match chance.randrange(8):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + 1 :]
        case 2:
            return data[:at] + bytes((data[at] ^ (1 << chance.randrange(8)),)) + data[at + 1 :]
        case 3:
            return data[:at] + chance.randbytes(3) + data[at:]
        case 4:
            return data + data[at:]
        case 5:
            return b"[" * chance.choice((3, 900, 3000)) + data
        case 6:
            return data.replace(b'"', b'"\\ud800', 1)
        case _:
            return data[:at] + chance.choice((b"NaN", b"1e999", b"-", b"\xff", b"\xed\xa0\x80")) + data[at:]
