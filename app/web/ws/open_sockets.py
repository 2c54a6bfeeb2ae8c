"""Registry of this worker's open sockets and streams, by session, person and address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple, Protocol

from app.web.online import OnlinePeople
from app.web.security.address import parse_address, parse_network

SocketKey = Literal["session", "person", "address"]
SIGNED_OUT_CLOSE = (4008, "signed out")
REPLACED_CLOSE = (4000, "resume")  # the browser has a newer session and reconnects with it


class Closable(Protocol):
    """A socket or stream that can be closed."""

    def close(self, code: int, reason: str) -> None: ...


class _SocketOwner(NamedTuple):
    session: str | None  # hash of the session cookie or of the program's token, as in the store
    people: tuple[str, ...]
    address: str
    account: str | None  # whom the socket shows to be online


class OpenSockets:
    """One small entry per socket. Closing scans all of them, about a millisecond for ten thousand."""

    def __init__(self, online: OnlinePeople) -> None:
        self._open: dict[Closable, _SocketOwner] = {}
        self._online = online

    def __len__(self) -> int:
        return len(self._open)

    def add(
        self,
        socket: Closable,
        session: str | None,
        people: tuple[str, ...],
        address: str,
        account: str | None = None,
    ) -> None:
        """Register an open socket. The caller must `discard` it when it is closed.

        While it is open, `account` is online.
        """
        self._open[socket] = _SocketOwner(session, people, address, account)
        if account is not None:
            self._online.open_socket(account)

    def discard(self, socket: Closable) -> None:
        """Remove a socket. A no-op if it is not registered."""
        owner = self._open.pop(socket, None)
        if owner is not None and owner.account is not None:
            self._online.close_socket(owner.account)

    def sessions(self) -> set[str]:
        """Return the sessions of all open sockets."""
        return {owner.session for owner in self._open.values() if owner.session is not None}

    def close_matching(
        self, by: SocketKey, keys: Collection[str], close: tuple[int, str] = SIGNED_OUT_CLOSE
    ) -> int:
        """Close the sockets of these sessions, people, or addresses and networks. Return how many were closed."""
        if not keys:
            return 0
        match by:
            case "session":
                matching = [socket for socket, owner in self._open.items() if owner.session in keys]
            case "person":
                matching = [
                    socket
                    for socket, owner in self._open.items()
                    if any(person in keys for person in owner.people)
                ]
            case "address":
                inside = self._addresses_inside(keys)
                matching = [socket for socket, owner in self._open.items() if owner.address in inside]
        for socket in matching:
            self.discard(socket)
            socket.close(*close)
        return len(matching)

    def _addresses_inside(self, networks: Collection[str]) -> set[str]:
        """Return the addresses of open sockets that lie in one of these networks."""
        parsed = [parse_network(network) for network in networks]
        inside = set()
        for text in {owner.address for owner in self._open.values()}:
            try:
                address = parse_address(text)
            except ValueError:
                continue  # a peer without an IP address, such as a Unix socket
            if any(address in network for network in parsed):
                inside.add(text)
        return inside
