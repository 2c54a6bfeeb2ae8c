"""One anonymous socket against the server: floods, bytes after the end, peers that do not read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.play.join import PROTOCOL_VERSION
from app.settings import Settings
from app.web.ws.transport import protocol as transport
from tests.attack.raw_connection import RawConnection, close_code, until
from tests.attack.work import counted_work
from tests.sockets.running_server import RunningServer, in_process
from tools.fuzz.socket_client import CLOSE, MORE, PING, PONG, TEXT, Raw, frame

USUAL = {
    name: getattr(Settings(), name)
    for name in ("frames_per_second", "frames_burst", "sockets_per_address", "requests_per_second")
}
HELLO = frame(b'{"do":"hello","v":%d}' % PROTOCOL_VERSION)
MASKED = b"\x80\x00\x00\x00\x00"  # the rest of an empty frame
MOST_CALLS = 40_000  # six megabytes of small frames once took millions


@pytest.fixture
async def server(sqlite_url: str) -> Any:
    async with in_process(sqlite_url, **USUAL) as running:
        yield running


def sockets(server: RunningServer) -> int:
    assert server._app is not None
    return int(server._app.state.site.limits.open_sockets)


async def _serves(server: RunningServer, times: int = 5) -> None:
    other = await Raw(server.port, "/ws/lobby", "").open()
    for _ in range(times):
        assert await other.answers()
    await other.close()


@pytest.mark.parametrize(
    ("before", "flood"),
    [
        (b"", bytes((0x80 | PONG,)) + MASKED),
        (b"", bytes((0x80 | PING,)) + MASKED),
        (frame(b"{", TEXT, final=False), bytes((MORE,)) + MASKED),
        (b"", bytes((0x80 | TEXT,)) + MASKED),
    ],
    ids=["pongs", "pings", "empty continuations", "empty texts"],
)
async def test_a_flood_of_small_frames_is_charged(server: RunningServer, before: bytes, flood: bytes) -> None:
    async with RawConnection(server) as attacker:
        await attacker.open_socket()
        await attacker.send(HELLO + before)
        with counted_work() as work:
            await attacker.push(flood * 1_000_000)
            await _serves(server)
        assert work.calls < MOST_CALLS


async def test_without_limits_a_flood_does_not_starve_other_sockets(sqlite_url: str) -> None:
    """With a limit of a million frames per second, an event-loop iteration still parses only a few."""
    async with (
        in_process(sqlite_url, frames_per_second=1e6, frames_burst=10**6) as server,
        RawConnection(server) as attacker,
    ):
        await attacker.open_socket()
        await attacker.send(HELLO)
        pushing = asyncio.create_task(attacker.push((bytes((0x80 | PONG,)) + MASKED) * 200_000))
        other = await Raw(server.port, "/ws/lobby", "").open()
        for _ in range(5):
            with counted_work() as work:
                await asyncio.sleep(0)
            assert work.calls < MOST_CALLS
            assert await other.answers()
        await other.close()
        pushing.cancel()


@pytest.mark.parametrize(
    "bad",
    [frame(HELLO, 5), frame(b"x" * 5000), frame(b"\xff"), frame(b"x", masked=False)],
    ids=["no such opcode", "too long", "no text", "not masked"],  # masks are random, test ids must not be
)
async def test_bytes_after_an_invalid_frame_are_discarded(server: RunningServer, bad: bytes) -> None:
    async with RawConnection(server) as attacker:
        await attacker.open_socket()
        await attacker.send(HELLO + bad)
        with counted_work() as work:
            with pytest.raises(ConnectionError):
                await attacker.push_for_ever(b"\x81\x85" * 65536, 400)
            await _serves(server)
        assert work.calls < MOST_CALLS
        await until(lambda: server.connections == 0)
        assert sockets(server) == 0


async def test_an_oversized_frame_closes_the_connection_with_its_code(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CLOSE_TIMEOUT_SECONDS", 3600.0)
    async with RawConnection(server) as peer:
        await peer.open_socket()
        await peer.send(frame(b"x" * 5000))
        assert close_code(await peer.read_to_end()) == 1009
    await until(lambda: server.connections == 0)


async def _fill(server: RunningServer, peer: RawConnection) -> None:
    """Request more than the peer reads, until the server's output is buffered."""
    pings = frame(b"." * 125, PING) * 400
    watcher: Any = server.game_server.metrics
    while b"cartagena_outbox_drops_total 1.0" not in watcher.text():
        await peer.push(pings)
        await asyncio.sleep(0.01)


async def test_a_closed_slow_socket_counts_until_its_connection_is_aborted(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CLOSE_TIMEOUT_SECONDS", 1.0)
    async with in_process(sqlite_url) as server, RawConnection(server, receive_buffer=4096) as peer:
        await peer.open_socket()
        await peer.send(HELLO)
        await _fill(server, peer)
        assert (sockets(server), server.connections) == (1, 1), (
            "closed by the server, but the connection still exists"
        )
        await peer.push(frame(b"\x03\xe8", CLOSE))
        await until(lambda: server.connections == 0)
        assert sockets(server) == 0


async def test_a_peer_that_closes_and_does_not_read_is_aborted(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CLOSE_TIMEOUT_SECONDS", 1.0)
    async with in_process(sqlite_url) as server, RawConnection(server, receive_buffer=4096) as peer:
        await peer.open_socket()
        await peer.send(HELLO)
        for _ in range(60):  # several megabytes of pongs in kernel and transport buffers
            await peer.push(frame(b"." * 125, PING) * 400)
        await peer.push(frame(b"\x03\xe8", CLOSE))
        await until(lambda: server.connections == 0)
        assert sockets(server) == 0


async def test_frames_after_the_servers_close_are_charged_and_only_a_close_is_processed(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "CLOSE_TIMEOUT_SECONDS", 2.0)
    async with RawConnection(server) as attacker:
        await attacker.open_socket("/ws/game/NoSuchRoom")
        await attacker.send(HELLO)  # refused: 4003
        with counted_work() as work:
            await attacker.push(HELLO * 200_000)
            await until(lambda: server.connections == 0)
        assert work.calls < MOST_CALLS
    async with RawConnection(server) as peer:
        await peer.open_socket("/ws/game/NoSuchRoom")
        await peer.send(HELLO)
        said = b""
        while close_code(said) is None:
            said += await peer.read_some()
        assert close_code(said) == 4003
        await peer.send(frame(b"?", PING) + HELLO + frame(b"\x0f\xa3", CLOSE))
        assert await peer.read_to_end() == b"", "neither pong nor answer"
    await until(lambda: server.connections == 0)


CLOSES = {
    b"": 1005,
    b"\x03\xe8": 1000,
    b"\x0f\xa0bye": 4000,
    b"\x03": 1002,
    **{code.to_bytes(2, "big"): 1002 for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535)},
    b"\x03\xe8\xff\xfe": 1007,
}


async def test_a_close_frame_is_validated_before_it_is_echoed(server: RunningServer) -> None:
    for payload, answer in CLOSES.items():
        async with RawConnection(server) as peer:
            await peer.open_socket()
            await peer.send(frame(payload, CLOSE))
            assert close_code(await peer.read_to_end()) == answer, payload
