"""A WebSocket client that can break every rule of the protocol: it writes frames byte by byte."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import random
import struct
from typing import Any

import orjson

__all__ = ["Raw", "frame"]

TEXT, BINARY, CLOSE, PING, PONG, MORE = 1, 2, 8, 9, 10, 0


def frame(
    payload: bytes,
    opcode: int = TEXT,
    *,
    final: bool = True,
    reserved: int = 0,
    masked: bool = True,
    length: int | None = None,
) -> bytes:
    """Return one client frame (RFC 6455 §5.2); `length` overrides its declared size."""
    size = len(payload) if length is None else length
    head = bytes(((0x80 if final else 0) | reserved | opcode,))
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes((bit | size,))
    elif size < 65536:
        head += bytes((bit | 126,)) + struct.pack(">H", size)
    else:
        head += bytes((bit | 127,)) + struct.pack(">Q", size)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    long = mask * (len(payload) // 4 + 1)
    return head + mask + bytes(a ^ b for a, b in zip(payload, long, strict=False))


class Raw:
    """A socket with its last message and its close code."""

    def __init__(self, port: int, path: str, cookie: str) -> None:
        self._port, self._path, self._cookie = port, path, cookie
        self.choices: list[Any] = []
        self.seq = 0
        self.pongs: set[int] = set()
        self.frames = 0
        self.code: int | None = None
        self.is_closed = False
        self._news = asyncio.Event()

    async def open(self) -> Raw:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            f"GET {self._path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            f"Origin: http://127.0.0.1:{self._port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Cookie: {self._cookie}",
        )
        self._writer.write("\r\n".join((*lines, "", "")).encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise RuntimeError(f"the handshake was answered {head[:60]!r}")
        self._task = asyncio.create_task(self._read())
        return self

    async def send(self, data: bytes) -> None:
        if not self.is_closed:
            with contextlib.suppress(OSError):
                self._writer.write(data)
                await self._writer.drain()

    async def say(self, message: Any) -> None:
        await self.send(frame(orjson.dumps(message)))

    async def answers(self, seconds: int = 180) -> bool:
        """Return whether it still answers or was closed properly.

        Counts steps instead of seconds: time in which the machine was suspended does not count.
        """
        number = random.getrandbits(40)
        await self.say({"do": "ping", "n": number})
        for _ in range(seconds):
            until = asyncio.get_running_loop().time() + 1.0
            while number not in self.pongs and not self.is_closed:
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), until - asyncio.get_running_loop().time())
                except TimeoutError:
                    break
            else:
                return True
        return False

    async def close(self) -> None:
        with contextlib.suppress(OSError):
            self._writer.close()
            await self._writer.wait_closed()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _read(self) -> None:
        try:
            while True:
                first, second = await self._reader.readexactly(2)
                size = second & 0x7F
                if size == 126:
                    (size,) = struct.unpack(">H", await self._reader.readexactly(2))
                elif size == 127:
                    (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
                payload = await self._reader.readexactly(size)
                if first & 0x0F == CLOSE:
                    self.code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
                    self._writer.write(
                        frame(payload[:2], CLOSE)
                    )  # so that the server need not wait for the echo
                    return
                elif first & 0x0F == TEXT:
                    self._take(orjson.loads(payload))
                self._news.set()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.is_closed = True
            self._news.set()

    def _take(self, message: Any) -> None:
        self.frames += 1
        if message["t"] == "pong":
            self.pongs.add(message["n"])
        if message["t"] == "refused" and "state" in message:
            message = message["state"]
        if "seq" in message:
            self.seq = message["seq"]
            self.choices = message.get("choices", [])
