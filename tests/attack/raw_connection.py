"""A raw TCP connection: bytes are sent unchanged, and nothing is read unless the test asks."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
from typing import Any, Self

from tests.sockets.running_server import RunningServer


class RawConnection:
    """`patience` only guards against hanging."""

    patience = 60.0

    def __init__(self, server: RunningServer, *, receive_buffer: int | None = None) -> None:
        self._port = server.port
        self._socket = socket.socket()
        if receive_buffer is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._socket.setblocking(False)

    async def __aenter__(self) -> Self:
        await asyncio.get_running_loop().sock_connect(self._socket, ("127.0.0.1", self._port))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._socket.close()

    async def open_socket(self, path: str = "/ws/lobby") -> Self:
        """Open a WebSocket. Bytes after the handshake are kept for reading."""
        key = base64.b64encode(os.urandom(16)).decode()
        await self.send(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += await self._received(1)
        assert b" 101 " in head, head
        return self

    async def send(self, data: bytes) -> None:
        await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(self._socket, data), self.patience)

    async def push(self, data: bytes) -> int:
        """Send as many of these bytes as the connection accepts, while the server keeps running."""
        sent = 0
        idle = 0
        while sent < len(data) and idle < 50:
            try:
                sent += self._socket.send(data[sent : sent + 65536])
                idle = 0
            except BlockingIOError:
                idle += 1
            await asyncio.sleep(0.002)
        return sent

    async def push_for_ever(self, data: bytes, most: int) -> None:
        """Send the same bytes repeatedly until the connection breaks, at most `most` times."""
        for _ in range(most):
            await self.push(data)

    async def read_some(self) -> bytes:
        """Read some bytes; b"" once the server has closed."""
        try:
            return await self._received(65536)
        except ConnectionError:
            return b""

    async def read_to_end(self) -> bytes:
        whole = b""
        while piece := await self.read_some():
            whole += piece
        return whole

    async def _received(self, most: int) -> bytes:
        return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self._socket, most), self.patience)


async def until(holds: Any, patience: float = 60.0) -> None:
    """Wait until the condition holds. The limit only guards against hanging."""
    async with asyncio.timeout(patience):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def close_code(said: bytes) -> int | None:
    """Return the code of the last frame if it is a close frame."""
    at, code = 0, None
    while at + 2 <= len(said):
        opcode, size, begin = said[at] & 0x0F, said[at + 1], at + 2
        if size == 126:
            size, begin = int.from_bytes(said[at + 2 : at + 4], "big"), at + 4
        payload = said[begin : begin + size]
        code = (int.from_bytes(payload[:2], "big") if payload else 1005) if opcode == 8 else None
        at = begin + size
    return code
