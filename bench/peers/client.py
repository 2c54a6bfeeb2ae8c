"""HTTP and WebSocket client of the load generator: only what the peers need, as cheap as possible in Python.

A client masks its frames with zeros: the server unmasks them all the same, the generator saves its own work.
"""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any, Protocol, cast

__all__ = ["BINARY", "HOST", "TEXT", "Hearer", "Socket", "connect", "post"]

HOST = "127.0.0.1"
TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
_NO_MASK = bytes(4)
_SECONDS = 20.0


class Hearer(Protocol):
    """Receives the messages of a socket."""

    def heard(self, socket: Socket, payload: bytes) -> None: ...
    def lost(self, socket: Socket) -> None: ...


class Socket(asyncio.Protocol):
    """One WebSocket of one player or spectator."""

    __slots__ = (
        "_answer",
        "_buffer",
        "_early",
        "_hearer",
        "_is_open",
        "_mark",
        "_opened",
        "_request",
        "seat",
        "table",
        "transport",
    )

    def __init__(
        self, hearer: Hearer, table: Any, seat: int, request: bytes, opened: asyncio.Future[None]
    ) -> None:
        self._hearer = hearer
        self._request = request
        self._opened = opened
        self._buffer = b""
        self._is_open = False
        self.table = table
        self.seat = seat
        self._answer: asyncio.Future[bytes] | None = None
        self._early: bytes | None = None
        self._mark = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's class is not a subclass
        self.transport.write(self._request)

    def connection_lost(self, problem: Exception | None) -> None:
        if not self._opened.done():
            self._opened.set_exception(ConnectionError("closed during the handshake"))
        self._hearer.lost(self)

    def data_received(self, data: bytes) -> None:
        if self._buffer:
            data = self._buffer + data
        if not self._is_open:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._buffer = head
                return
            if b" 101 " not in head:
                self._opened.set_exception(ConnectionError(head[:200].decode("latin-1")))
                return
            self._is_open = True
            self._opened.set_result(None)
        at, size = 0, len(data)
        while size - at >= 2:
            kind, length, begin = data[at], data[at + 1], at + 2
            if length == 126:
                length, begin = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, begin = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if size < begin + length:
                break
            payload = data[begin : begin + length]
            at = begin + length
            if kind == PING:
                self.send(payload, PONG)
            elif kind == CLOSE:
                self.transport.close()
            else:
                self._hearer.heard(self, payload)
        self._buffer = data[at:]

    def send(self, payload: bytes, kind: int = TEXT) -> None:
        self._early = None
        size = len(payload)
        head = bytes((kind, 0x80 | size)) if size < 126 else bytes((kind, 0xFE)) + size.to_bytes(2, "big")
        self.transport.write(head + _NO_MASK + payload)

    async def hear(self, mark: bytes = b"") -> bytes:
        """Wait for a payload that contains this marker, among those the adapter passes to `give`."""
        if self._early is not None and mark in self._early:
            return self._early
        self._mark = mark
        self._answer = asyncio.get_running_loop().create_future()
        return await asyncio.wait_for(self._answer, _SECONDS)

    def give(self, payload: bytes) -> None:
        """Pass a payload to the current or next caller of `hear`: a greeting may arrive with the handshake."""
        self._early = payload
        if self._answer is not None and self._mark in payload and not self._answer.done():
            self._answer.set_result(payload)


async def connect(hearer: Hearer, port: int, path: str, *headers: str, table: Any, seat: int) -> Socket:
    """Open the WebSocket of a player or spectator."""
    key = base64.b64encode(bytes(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HOST}:{port}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        *headers,
    ]
    loop = asyncio.get_running_loop()
    opened: asyncio.Future[None] = loop.create_future()
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    _, socket = await loop.create_connection(lambda: Socket(hearer, table, seat, request, opened), HOST, port)
    await asyncio.wait_for(opened, _SECONDS)
    return socket


async def post(port: int, path: str, body: object, *headers: str) -> tuple[Any, list[str]]:
    """Return a server's JSON answer and its cookies; raise RuntimeError unless it succeeded."""
    reader, writer = await asyncio.open_connection(HOST, port)
    content = json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {HOST}:{port}",
        "Content-Type: application/json",
        "Accept: application/json",
        "Connection: close",
        f"Content-Length: {len(content)}",
        *headers,
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + content)
    answer = await asyncio.wait_for(reader.read(), _SECONDS)
    writer.close()
    head, _, rest = answer.partition(b"\r\n\r\n")
    fields = head.decode("latin-1").split("\r\n")
    if not fields[0].split(" ")[1].startswith("2"):
        raise RuntimeError(f"{path}: {answer[:300]!r}")
    if any(field.lower() == "transfer-encoding: chunked" for field in fields):
        rest = _unchunked(rest)
    cookies = [
        field.partition(":")[2].strip().partition(";")[0]
        for field in fields
        if field.lower().startswith("set-cookie:")
    ]
    return json.loads(rest), cookies


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size, 16)
        whole += body[:count]
        body = body[count + 2 :]
    return whole
