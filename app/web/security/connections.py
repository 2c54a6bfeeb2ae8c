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
from app.web.security.raw_response import raw_response

_MOST_FILES = 131_072  # enough for any process of ours; a limit of a billion makes some tools walk through it
_RESERVE = 256  # files that stay for databases, logs, bots' pipes and what pages are made of
_RETRY_SECONDS = 60
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
        most = most_connections()
        wanted = round(settings.sockets_per_address * _PER_SOCKET)
        # At most half of all, so that one address alone never fills the process.
        return cls(None if settings.trusted_hops else min(wanted, max(1, most // 2)), most)

    def __len__(self) -> int:
        return self._open

    def enter(self, transport: asyncio.Transport) -> tuple[ConnectionSlot | None, bytes]:
        """Return a slot, or the response that refuses one.

        429 also when the process is full: a proxy takes 503 for a sick worker, and users can fill it.
        """
        peer = get_remote_addr(transport) if self._per_address is not None else None
        address = limit_key(peer[0]) if peer is not None else None
        if self._open >= self._most:
            return None, raw_response(429, "This server is full. Try again in a minute.", _RETRY_SECONDS)
        held = self._by_address.get(address, 0) if address is not None else 0
        if self._per_address is not None and held >= self._per_address:
            sentence = "Too many connections from your address are open. Close some and try again."
            return None, raw_response(429, sentence, _RETRY_SECONDS)
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
