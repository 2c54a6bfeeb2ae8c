"""Important cases of RFC 6455 against a running server: answers and close codes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.attack.raw_connection import RawConnection, close_code
from tests.sockets.running_server import RunningServer, in_process
from tools.fuzz.socket_client import BINARY, CLOSE, MORE, PING, PONG, TEXT, frame

PING_MESSAGE = b'{"do":"ping","n":7}'
PONG_PART = b'"n":7'
UMLAUT = '{"do":"pöng","n":7}'.encode()


@pytest.fixture
async def server(sqlite_url: str) -> Any:
    async with in_process(sqlite_url) as running:
        yield running


def pieces(payload: bytes, *at: int) -> list[bytes]:
    """Return a message fragmented at these bytes."""
    cuts = [0, *at, len(payload)]
    parts = [payload[begin:end] for begin, end in pairwise(cuts)]
    last = len(parts) - 1
    return [frame(part, MORE if n else TEXT, final=n == last) for n, part in enumerate(parts)]


def between(inner: bytes, fragments: list[bytes]) -> bytes:
    return inner.join(fragments)


VALID_FRAMES = {
    "a whole text": frame(PING_MESSAGE),
    "in two fragments": b"".join(pieces(PING_MESSAGE, 5)),
    "in fragments of a byte": b"".join(pieces(PING_MESSAGE, *range(1, len(PING_MESSAGE)))),
    "empty fragments": b"".join(pieces(PING_MESSAGE, 0, 3, 3, len(PING_MESSAGE))),
    "with pings between": between(frame(b"!", PING), pieces(PING_MESSAGE, 5, 9)),
    "with unsolicited pongs": between(frame(b"!", PONG), pieces(PING_MESSAGE, 5, 9)),
    "after an empty ping": frame(b"", PING) + frame(PING_MESSAGE),
    "after the longest ping": frame(b"." * 125, PING) + frame(PING_MESSAGE),
    "after a text of a length written in two bytes": frame(b"{" * 200) + frame(PING_MESSAGE),
    "after bytes, which are refused in words": frame(b"\x00\xff", BINARY) + frame(PING_MESSAGE),
}

INVALID_FRAMES = {
    "not UTF-8": (frame(b"\xc3\x28"), 1007),
    "not UTF-8, in fragments": (b"".join(pieces(b"{\xf4\x90\x80\x80}", 2, 3)), 1007),
    "half a letter at the end": (b"".join(pieces("ö".encode()[:1] + b"", 0)), 1007),
    "a surrogate": (frame(b"\xed\xa0\x80"), 1007),
    "reserved bit 1": (frame(PING_MESSAGE, reserved=0x40), 1002),
    "reserved bit 2": (frame(PING_MESSAGE, reserved=0x20), 1002),
    "reserved bit 3": (frame(PING_MESSAGE, reserved=0x10), 1002),
    "unmasked": (frame(PING_MESSAGE, masked=False), 1002),
    **{f"opcode {opcode}": (frame(PING_MESSAGE, opcode), 1002) for opcode in (3, 7, 11, 15)},
    "a ping of 126 bytes": (frame(b"." * 126, PING), 1002),
    "a close of 126 bytes": (frame(b"\x03\xe8" + b"." * 124, CLOSE), 1002),
    "a ping in fragments": (frame(b".", PING, final=False), 1002),
    "a continuation of nothing": (frame(PING_MESSAGE, MORE), 1002),
    "a text inside a text": (frame(b"{", final=False) + frame(PING_MESSAGE), 1002),
    "a close inside a text": (frame(b"{", final=False) + frame(b"\x03\xe8", CLOSE), 1002),
    "a length of 2^63": (b"\x81\xff" + (2**63).to_bytes(8, "big"), 1009),
    "one byte too long": (frame(b"x" * 4097), 1009),
    "one byte too long, in fragments": (b"".join(pieces(b"x" * 4097, 2000)), 1009),
}


async def test_valid_frames_are_accepted(server: RunningServer) -> None:
    for name, whole in VALID_FRAMES.items():
        await _is_answered(server, name, [whole])
        await _is_answered(server, f"{name}, byte by byte", [bytes((each,)) for each in whole])


async def _is_answered(server: RunningServer, name: str, parts: list[bytes]) -> None:
    async with RawConnection(server) as peer:
        await peer.open_socket()
        for part in parts:
            await peer.send(part)
        said = b""
        while PONG_PART not in said:
            piece = await peer.read_some()
            assert piece, (name, close_code(said))
            said += piece
        for ping in (b"!", b"." * 125):  # every ping gets a pong with the same payload
            asked = b"".join(parts).count(b"\x89" + bytes((0x80 | len(ping),)))
            assert said.count(b"\x8a" + bytes((len(ping),)) + ping) == asked, name
        await peer.send(frame(PING_MESSAGE))
        while said.count(PONG_PART) < 2:
            said += await peer.read_some()
        await peer.send(frame(b"\x03\xe8", CLOSE))
        assert close_code(await peer.read_to_end()) == 1000, name


async def test_a_character_split_between_fragments_is_accepted(server: RunningServer) -> None:
    async with RawConnection(server) as peer:
        await peer.open_socket()
        await peer.send(b"".join(pieces(UMLAUT, UMLAUT.index("ö".encode()) + 1)))
        await peer.send(frame(PING_MESSAGE))
        said = b""
        while PONG_PART not in said:
            said += await peer.read_some()
        assert b"bad_message" in said, "read as text, and refused because of its content"


async def test_invalid_frames_are_refused_with_their_code(server: RunningServer) -> None:
    for name, (sent, code) in INVALID_FRAMES.items():
        async with RawConnection(server) as peer:
            await peer.open_socket()
            await peer.send(frame(PING_MESSAGE))
            said = b""
            while PONG_PART not in said:
                said += await peer.read_some()
            await peer.send(sent)
            assert close_code(await peer.read_to_end()) == code, name


INVALID_HANDSHAKES = {
    "no key": b"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "an old version": (
        b"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "a foreign page": (
        b"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Origin: https://evil.example\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "no such socket": (
        b"GET /ws/nowhere HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "a long address": (
        b"GET /ws/lobby?"
        + b"a" * 4000
        + b" HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "too many headers": (
        b"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + b"X: y\r\n" * 200
        + b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "no upgrade": b"GET /ws/lobby HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n",
}


async def test_a_refused_handshake_has_the_security_headers(server: RunningServer) -> None:
    for name, head in INVALID_HANDSHAKES.items():
        async with RawConnection(server) as peer:
            await peer.send(head)
            said = (await peer.read_to_end()).lower()
            assert said.startswith(b"http/1.1 4"), (name, said)
            for header in (
                b"x-content-type-options: nosniff",
                b"frame-ancestors 'none'",
                b"referrer-policy:",
            ):
                assert header in said, (name, said)
