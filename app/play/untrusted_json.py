"""Text that comes from outside: JSON that any part of the server and its store can hold.

A lone surrogate cannot be written as UTF-8, and PostgreSQL stores no NUL: either would be met first by
whoever writes it down, far from the door. msgspec and orjson refuse the one by themselves; the other is
looked for here.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

__all__ = ["has_nul", "read_json"]

# An escaped NUL whose own backslash is not escaped; an unescaped one is not JSON.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_NUL_BYTES = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(text: bytes | str) -> bool:
    """Whether some string in this JSON holds a NUL."""
    if isinstance(text, str):
        return "\\u0000" in text and _NUL.search(text) is not None
    return b"\\u0000" in text and _NUL_BYTES.search(text) is not None


def read_json(body: bytes) -> Any:
    """What this JSON says; raises json.JSONDecodeError."""
    if has_nul(body):
        raise orjson.JSONDecodeError("a string holds a NUL character", "", 0)
    return orjson.loads(body)
