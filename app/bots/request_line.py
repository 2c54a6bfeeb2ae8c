"""Requests to a worker process: one line of JSON, encoded without blocking the event loop for long."""

from __future__ import annotations

import asyncio
import json
from asyncio import StreamWriter
from collections.abc import Iterator

__all__ = ["MAX_ITEMS_PER_PART", "encode_in_parts", "write_request"]

MAX_ITEMS_PER_PART = 500
"""Items of a list that are encoded at once, which takes about a millisecond. A record can have any number of actions,
because nothing ends a game of people."""
_CHARS_PER_WRITE = 1 << 15


async def write_request(stream: StreamWriter, request: object) -> None:
    """Write a request as one line, with a pause after each part of a long one."""
    parts: list[str] = []
    chars = 0
    for part in encode_in_parts(request):
        parts.append(part)
        chars += len(part)
        if chars >= _CHARS_PER_WRITE:
            stream.write("".join(parts).encode())
            parts, chars = [], 0
            await asyncio.sleep(0)
    parts.append("\n")
    stream.write("".join(parts).encode())
    await stream.drain()


def encode_in_parts(value: object) -> Iterator[str]:
    """Yield the JSON of a value in parts: long lists, such as the actions of a record, in slices."""
    if isinstance(value, dict) and any(isinstance(item, dict | list) for item in value.values()):
        before = "{"
        for name, item in value.items():
            yield f"{before}{json.dumps(name)}:"
            yield from encode_in_parts(item)
            before = ","
        yield "}"
    elif isinstance(value, list) and len(value) > MAX_ITEMS_PER_PART:
        before = "["
        for first in range(0, len(value), MAX_ITEMS_PER_PART):
            part = value[first : first + MAX_ITEMS_PER_PART]
            yield before + json.dumps(part, separators=(",", ":"))[1:-1]
            before = ","
        yield "]"
    else:
        yield json.dumps(value, separators=(",", ":"))
