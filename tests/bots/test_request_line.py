"""Requests to a worker: one line of JSON, encoded in parts."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest

from app.bots.request_line import MAX_ITEMS_PER_PART, encode_in_parts, write_request

LONG = [{"seat": n % 3, "card": "clé “*”"} for n in range(10 * MAX_ITEMS_PER_PART + 1)]


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"seat": None},
        {"record": {"actions": LONG, "players": [{"name": "Ann"}], "empty": {}, "none": []}, "seat": 1},
        {"history": LONG[: MAX_ITEMS_PER_PART + 1], "view": {"deck": 3, "hand": ["hat"]}, "hint": True},
        LONG[: 2 * MAX_ITEMS_PER_PART],
    ],
)
def test_the_parts_are_the_json_of_the_value(value: Any) -> None:
    parts = list(encode_in_parts(value))
    assert json.loads("".join(parts)) == value
    assert max(map(len, parts)) <= len(json.dumps(LONG[:MAX_ITEMS_PER_PART])) + 1


class Lines:
    """A stream that notes what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)

    async def drain(self) -> None:
        pass


async def test_other_tasks_run_while_a_long_request_is_written() -> None:
    stream, ticks = Lines(), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await write_request(cast("asyncio.StreamWriter", stream), {"record": {"actions": LONG}})
    ticking.cancel()
    assert ticks >= 5
    line = b"".join(stream.written)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"record": {"actions": LONG}}
