"""A connection to Redis, as much of one as the bus needs: commands with their answers, and what is published.

It speaks RESP3 (Redis 6, Valkey), in which one connection both publishes and hears. A library would read a message
in several hundred steps of the interpreter, through streams, tasks and timeouts; here it is a callback of the loop.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self, cast
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

_OPEN_SECONDS = 3.0  # to connect and to be greeted
_PORT = 6379
_BULK, _ARRAY, _PUSH, _MAP, _SET, _NUMBER, _WORDS, _ERROR, _NULL = b"$*>%~:+-_"

Command = Sequence[bytes]
Heard = Callable[[list[Any]], None]
"""What Redis says unasked: its kind (message, subscribe, unsubscribe), the channel, and the data or a number."""


class LinkError(ConnectionError):
    """The connection is gone, was refused, or a command was."""


class _Incomplete(Exception):
    """The rest has not come yet."""


class Link(asyncio.Protocol):
    """One connection for its life; `lost` is done when it is over."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._rest = b""
        # Commands that went out together, in their order: the answers that came, and who waits for how many.
        self._asked: deque[tuple[list[Any], int, asyncio.Future[list[Any]]]] = deque()
        self._transport: asyncio.Transport | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, url: str, heard: Heard) -> Self:
        """Connected and let in. Raises OSError, LinkError among them, or TimeoutError."""
        address, loop = urlsplit(url), asyncio.get_running_loop()
        link = cls(heard)
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                if address.scheme == "unix":
                    await loop.create_unix_connection(lambda: link, unquote(address.path))
                else:
                    host, port = address.hostname or "localhost", address.port or _PORT
                    await loop.create_connection(lambda: link, host, port, ssl=_tls(address))
                await link.ask([_hello(address)])
        except BaseException:
            link.close()
            raise
        return link

    def say(self, *words: bytes) -> None:
        """A command that has no answer of its own: to subscribe is confirmed as something heard."""
        if self._transport is not None:
            self._transport.write(_written(words))

    def ask(self, commands: Sequence[Command]) -> asyncio.Future[list[Any]]:
        """The answers to these commands, which go out in one write; LinkError if one was refused."""
        answers: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        if self._transport is None:
            answers.set_exception(LinkError("the connection is gone"))
        else:
            self._asked.append(([], len(commands), answers))
            self._transport.write(b"".join([_written(words) for words in commands]))
        return answers

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # -- what the loop calls -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is of no such class

    def connection_lost(self, problem: Exception | None) -> None:
        self._transport = None
        for _, _, answers in self._asked:
            if not answers.done():
                answers.set_exception(LinkError("the connection is gone"))
        self._asked.clear()
        if not self.lost.done():
            self.lost.set_result(None)

    def data_received(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        while at < end:
            is_push = data[at] == _PUSH
            try:
                value, at = _read(data, at)
            except _Incomplete:
                break
            if is_push:
                self._heard(value)
            else:
                self._answered(value)
        self._rest = data[at:]

    def _answered(self, value: Any) -> None:
        found, count, answers = self._asked[0]
        found.append(value)
        if len(found) < count:
            return
        self._asked.popleft()
        refused = next((each for each in found if isinstance(each, LinkError)), None)
        if answers.done():  # nobody waits any more
            return
        if refused is not None:
            answers.set_exception(refused)
        else:
            answers.set_result(found)


def _written(words: Command) -> bytes:
    parts = [b"*%d\r\n" % len(words)]
    parts += [b"$%d\r\n%b\r\n" % (len(word), word) for word in words]
    return b"".join(parts)


def _read(data: bytes, at: int) -> tuple[Any, int]:
    """The value that begins here, and where the next one does. Raises _Incomplete, or ValueError: no RESP3."""
    line = data.find(b"\r\n", at)
    if line < 0:
        raise _Incomplete
    kind, said, at = data[at], data[at + 1 : line], line + 2
    if kind == _BULK:
        end = at + int(said)
        if len(data) < end + 2:
            raise _Incomplete
        return data[at:end], end + 2
    if kind in (_PUSH, _ARRAY, _SET, _MAP):
        values = []
        for _ in range(int(said) * (2 if kind == _MAP else 1)):
            value, at = _read(data, at)
            values.append(value)
        return values, at
    if kind == _NUMBER:
        return int(said), at
    if kind == _WORDS:
        return said, at
    if kind == _ERROR:
        return LinkError(said.decode(errors="replace")), at
    if kind == _NULL:
        return None, at
    raise ValueError(f"Redis said {data[:20]!r}")


def _hello(address: SplitResult) -> Command:
    if address.password is None:
        return b"HELLO", b"3"
    return b"HELLO", b"3", b"AUTH", unquote(address.username or "default").encode(), _secret(address)


def _secret(address: SplitResult) -> bytes:
    return unquote(address.password or "").encode()


def _tls(address: SplitResult) -> ssl.SSLContext | None:
    """For rediss://. In the address `ssl_ca_certs` names a file of authorities, `ssl_cert_reqs=none` trusts anybody."""
    if address.scheme != "rediss":
        return None
    asked = parse_qs(address.query)
    context = ssl.create_default_context(cafile=asked.get("ssl_ca_certs", [None])[0])
    if asked.get("ssl_cert_reqs") == ["none"]:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
