"""Oversized and invalid frames; other sites' pages; fifty people behind one address."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from websockets.exceptions import InvalidStatus

from app.settings import Settings
from app.web.security.limits import Limits
from tests.sockets.client import Clients, advance
from tests.sockets.running_server import RunningServer, in_process
from tools.fuzz.frames import fuzz_frames
from tools.fuzz.lines import fuzz_lines, fuzz_records
from tools.fuzz.server import Server
from tools.fuzz.socket_client import MORE, TEXT, Raw, frame

BROKEN = b"\xff\xfe not UTF-8"


async def _closed_with(server: RunningServer, *data: bytes) -> int | None:
    raw = await Raw(server.port, "/ws/lobby", "").open()
    for each in data:
        await raw.send(each)
    assert await raw.answers()
    code = raw.code
    await raw.close()
    return code


async def test_invalid_frames_are_closed_with_a_documented_code(sqlite_url: str) -> None:
    faults: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    hello = b'{"do":"hello","v":2}'
    async with in_process(sqlite_url) as server:
        assert await _closed_with(server, frame(hello), frame(b'{"do":"ping","n":1}')) is None
        assert await _closed_with(server, frame(b"x" * 4096)) is None, (
            "4 KiB are read and refused with a reason"
        )
        assert await _closed_with(server, frame(b"x" * 4097)) == 1009
        assert await _closed_with(server, frame(b'"' + "ü".encode() * 2050 + b'"')) == 1009, (
            "the limit is in bytes"
        )
        pieces = [frame(b"x" * 1500, TEXT if n == 0 else MORE, final=n == 2) for n in range(3)]
        assert await _closed_with(server, *pieces) == 1009, "fragmented as well"
        assert await _closed_with(server, frame(BROKEN)) == 1007
        for reserved in (0x10, 0x20, 0x40):
            assert await _closed_with(server, frame(hello, reserved=reserved)) == 1002
        assert await _closed_with(server, frame(hello, 5)) == 1002, "an unknown opcode"
        assert await _closed_with(server, frame(hello, masked=False)) == 1002
        # These arrive together; the second once raised because the connection was closing.
        assert await _closed_with(server, frame(b"", 8) + frame(BROKEN)) == 1005
        assert await _closed_with(server, frame(hello, 5) + frame(BROKEN)) == 1002
        assert await _closed_with(server, frame(BROKEN) + frame(BROKEN)) == 1007
    assert faults == []


@pytest.mark.parametrize("path", ["/ws/lobby", "/ws/game/AnyRoomWillDo"])
async def test_no_other_sites_page_gets_a_socket(light: RunningServer, path: str) -> None:
    ann = await Clients(light).person()
    foreign: list[dict[str, str]] = [
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{light.port + 1}"},
        {"Origin": f"http://127.0.0.1.evil.example:{light.port}"},
        {"Origin": f"http://evil.example:{light.port}"},
        {"Origin": f"ftp://127.0.0.1:{light.port}"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    for headers in foreign:
        with pytest.raises(InvalidStatus) as refused:
            await ann.open(path, **headers)
        assert refused.value.response.status_code == 403, headers
    await (await ann.open(path)).close()
    await ann.http.aclose()


@pytest.fixture
async def light(sqlite_url: str) -> Any:
    async with in_process(sqlite_url) as server:
        yield server


async def test_fifty_people_behind_one_address_can_play(sqlite_url: str) -> None:
    """With default limits, all from 127.0.0.1: names, lobbies, tables, moves."""
    usual = Settings()
    limits = {
        name: getattr(usual, name)
        for name in (
            "requests_per_second", "requests_burst", "writes_per_second", "writes_burst", "guests_per_hour",
            "frames_per_second", "frames_burst", "sockets_per_address",
        )
    }  # fmt: skip
    async with in_process(sqlite_url, **limits) as server:
        clients = Clients(server)
        tables = [await clients.game(5) for _ in range(5)]
        for number in range(25):
            await (await clients.person()).join(tables[number % 5][0].game)
        lobbies = [await client.open("/ws/lobby") for client in clients.everyone]
        for table in tables:
            for _ in range(2):
                await table[0].act(advance(table[0]))
            await asyncio.gather(*(client.reaches(table[0].seq) for client in table))
        assert all(client.closed_with is None for client in clients.everyone)
        assert not any(message["t"] == "refused" for client in clients.everyone for message in client.log)
        assert server._app is not None
        assert server._app.state.site.limits.open_sockets == 100
        for lobby in lobbies:
            await lobby.close()
        await clients.close()


def test_fifty_first_visits_fit_into_the_limit_of_one_address() -> None:
    limits = Limits(Settings(), lambda: 0.0)

    def ask(path: str) -> None:
        scope = {"type": "http", "path": path, "client": ("203.0.113.9", 1), "headers": []}
        limits.take_request(HTTPConnection({**scope, "scheme": "http", "server": None, "query_string": b""}))

    for _ in range(50):
        for path in ("/", "/api/v1/me", "/g/SomeTableAmongFriends", "/ws/lobby", "/ws/game/x"):
            ask(path)
        for number in range(80):
            ask(f"/static/abc/js/{number}.js")
    assert limits.requests.try_take("203.0.113.9", 100.0) == 0.0


def test_slightly_invalid_lines_and_records_are_refused_with_a_reason() -> None:
    seed = random.Random(5).getrandbits(30)
    assert fuzz_lines(400, seed) == []
    assert fuzz_records(150, seed) == []


def test_slightly_invalid_frames_cause_no_fault() -> None:
    """The short form of `python -m tools.fuzz frames`, against a server process."""
    with Server() as server:
        outcome = asyncio.run(fuzz_frames(server, 800, 2))
        assert outcome.wrong == []
        assert outcome.frames >= 800
        assert outcome.answers > 200
        assert fuzz_records(40, 6, server) == []
