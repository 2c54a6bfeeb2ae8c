"""Limits on open connections: per address, and per process, which has a limited number of file descriptors.

HTTP and WebSocket connections count alike, from the moment they are accepted until they are closed. Behind trusted
proxies every peer is a proxy, so only the total is limited here.
"""

from __future__ import annotations

import asyncio
import sys

from uvicorn.protocols.utils import get_remote_addr

from app.settings import Settings
from app.web.security.address import limit_key
from app.web.security.raw_response import raw_response

_MAX_FILES = 131_072  # enough for one process; some tools iterate over all descriptors up to the limit
_RESERVED_FILES = 256  # for databases, logs, pipes to bots and data files
_RETRY_SECONDS = 60
_CONNECTIONS_PER_SOCKET = 2.5  # a page has one or two sockets and a few HTTP connections


class ConnectionSlot:
    """One counted connection, until it is released."""

    __slots__ = ("_address", "_connections")

    def __init__(self, connections: Connections, address: str | None) -> None:
        self._connections: Connections | None = connections
        self._address = address

    def release(self) -> None:
        """Stop counting the connection. Calling it again is a no-op."""
        if self._connections is not None:
            self._connections.on_closed(self._address)
            self._connections = None


class Connections:
    """The open connections of one server process. With `per_address` None, addresses are not counted."""

    def __init__(self, per_address: int | None, max_open: int) -> None:
        self._per_address = per_address
        self._max_open = max_open
        self._open = 0
        self._by_address: dict[str, int] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> Connections:
        max_open = max_connections()
        wanted = round(settings.sockets_per_address * _CONNECTIONS_PER_SOCKET)
        # At most half of the total, so that one address cannot fill the process.
        return cls(None if settings.trusted_hops else min(wanted, max(1, max_open // 2)), max_open)

    def __len__(self) -> int:
        return self._open

    def try_admit(self, transport: asyncio.Transport) -> tuple[ConnectionSlot | None, bytes]:
        """Return a slot, or the response that refuses one.

        A full process answers 429 as well: a proxy takes 503 as a sign of a broken worker, and users can fill it.
        """
        peer = get_remote_addr(transport) if self._per_address is not None else None
        address = limit_key(peer[0]) if peer is not None else None
        if self._open >= self._max_open:
            return None, raw_response(429, "This server is full. Try again in a minute.", _RETRY_SECONDS)
        held = self._by_address.get(address, 0) if address is not None else 0
        if self._per_address is not None and held >= self._per_address:
            sentence = "Too many connections from your address are open. Close some and try again."
            return None, raw_response(429, sentence, _RETRY_SECONDS)
        self._open += 1
        if address is not None:
            self._by_address[address] = held + 1
        return ConnectionSlot(self, address), b""

    def on_closed(self, address: str | None) -> None:
        """Stop counting a connection that was admitted."""
        self._open -= 1
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


def raise_file_limit() -> None:
    """Raise the soft limit of open files, which is about a thousand by default, to the hard limit."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = min(hard, _MAX_FILES) if hard != resource.RLIM_INFINITY else _MAX_FILES
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def max_connections() -> int:
    """Return the number of open files minus a reserve, but at least half of them."""
    files = _MAX_FILES
    if sys.platform != "win32":
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = soft if soft != resource.RLIM_INFINITY else _MAX_FILES
    return max(files - _RESERVED_FILES, files // 2)
