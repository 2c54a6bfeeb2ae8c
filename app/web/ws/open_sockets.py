"""Every open socket and stream of this worker, found by what it came with: a session, a person, an address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from app.play.ports import Listener
from app.web.security.address import parsed_address, parsed_network

By = Literal["session", "person", "address"]
SIGNED_OUT = (4008, "signed out")
REPLACED = (4000, "resume")  # the browser has a newer session: it comes back with that


class _Came(NamedTuple):
    session: str | None  # as the store keeps it: the hash of a cookie's session or of a program's token
    people: tuple[str, ...]
    address: str


class OpenSockets:
    """One small entry a socket. Ending looks at all of them, which takes about a millisecond for ten thousand."""

    def __init__(self) -> None:
        self._open: dict[Listener, _Came] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, listener: Listener, session: str | None, people: tuple[str, ...], address: str) -> None:
        """It is open from now on; `discard` is owed when it is gone."""
        self._open[listener] = _Came(session, people, address)

    def discard(self, listener: Listener) -> None:
        """It is gone; again is no harm."""
        self._open.pop(listener, None)

    def sessions(self) -> set[str]:
        """All sessions that open sockets came with."""
        return {came.session for came in self._open.values() if came.session is not None}

    def end(self, by: By, keys: Collection[str], close: tuple[int, str] = SIGNED_OUT) -> int:
        """Closes the sockets of these sessions, people or addresses (networks too); how many."""
        if not keys:
            return 0
        match by:
            case "session":
                met = [listener for listener, came in self._open.items() if came.session in keys]
            case "person":
                met = [
                    listener
                    for listener, came in self._open.items()
                    if any(person in keys for person in came.people)
                ]
            case "address":
                inside = self._inside(keys)
                met = [listener for listener, came in self._open.items() if came.address in inside]
        for listener in met:
            self.discard(listener)
            listener.end(*close)
        return len(met)

    def _inside(self, networks: Collection[str]) -> set[str]:
        """Which of the addresses that sockets came from lie in one of these networks."""
        wanted = [parsed_network(network) for network in networks]
        inside = set()
        for text in {came.address for came in self._open.values()}:
            try:
                address = parsed_address(text)
            except ValueError:
                continue  # a peer without an address, such as a Unix socket's
            if any(address in network for network in wanted):
                inside.add(text)
        return inside
