"""How many connections there may be: of one address, and of this process, which has only so many files.

Sockets and requests alike, from the moment they are accepted until they are gone. Behind trusted proxies every peer is
a proxy, so addresses are counted there; here only the whole is.
"""

from __future__ import annotations

import asyncio
import sys

from uvicorn.protocols.utils import get_remote_addr

from app.settings import Settings
from app.web.security.address import limit_key

_MOST_FILES = 131_072  # enough for any process of ours; a limit of a billion makes some tools walk through it
_RESERVE = 256  # files that stay for databases, logs, bots' pipes and what pages are made of
_PER_SOCKET = 2.5  # a page has a socket or two and asks over a few connections more


class ConnectionSlot:
    """One counted connection, until it is released; implements Quota."""

    __slots__ = ("_address", "_connections")

    def __init__(self, connections: Connections, address: str | None) -> None:
        self._connections: Connections | None = connections
        self._address = address

    def owe(self, frames: int) -> float:
        """Frames are counted by the socket's own limits."""
        return 0.0

    def release(self) -> None:
        """It is gone; again is no harm."""
        if self._connections is not None:
            self._connections.leave(self._address)
            self._connections = None


class Connections:
    """Of one server process. `per_address` None: addresses are not counted."""

    def __init__(self, per_address: int | None, most: int) -> None:
        self._per_address = per_address
        self._most = most
        self._open = 0
        self._by_address: dict[str, int] = {}

    @classmethod
    def of(cls, settings: Settings) -> Connections:
        per_address = None if settings.trusted_hops else round(settings.sockets_per_address * _PER_SOCKET)
        return cls(per_address, most_connections())

    def __len__(self) -> int:
        return self._open

    def enter(self, transport: asyncio.Transport) -> tuple[ConnectionSlot | None, bytes]:
        """A slot, or the response that there is none."""
        peer = get_remote_addr(transport) if self._per_address is not None else None
        address = limit_key(peer[0]) if peer is not None else None
        if self._open >= self._most:
            return None, _answer(503, "Service Unavailable", "This server is full. Try again in a minute.")
        held = self._by_address.get(address, 0) if address is not None else 0
        if self._per_address is not None and held >= self._per_address:
            sentence = "Too many connections from your address are open. Close some and try again."
            return None, _answer(429, "Too Many Requests", sentence)
        self._open += 1
        if address is not None:
            self._by_address[address] = held + 1
        return ConnectionSlot(self, address), b""

    def leave(self, address: str | None) -> None:
        """A connection that had entered is gone."""
        self._open -= 1
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


def _answer(status: int, phrase: str, sentence: str) -> bytes:
    return (
        f"HTTP/1.1 {status} {phrase}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {len(sentence)}\r\n"
        f"retry-after: 60\r\nconnection: close\r\n\r\n{sentence}"
    ).encode()


def raise_file_limit() -> None:
    """As many files as this process may have, instead of the thousand that it gets by default."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = min(hard, _MOST_FILES) if hard != resource.RLIM_INFINITY else _MOST_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections() -> int:
    """All files but a reserve; with few files at all, a half of them."""
    files = _MOST_FILES
    if sys.platform != "win32":
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = soft if soft != resource.RLIM_INFINITY else _MOST_FILES
    return max(files - _RESERVE, files // 2)
