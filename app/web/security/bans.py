"""Banned addresses, kept in memory and read anew every few seconds, so that the guard costs no query."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import HTTPConnection

from app.settings import Settings
from app.web.errors import NotAllowed
from app.web.security.address import Network, client_address, parsed_address, parsed_network

NEWCOMER_SECONDS = 86_400  # how long nobody new comes in from where a banned person was last seen


class Bans:
    """The addresses and networks that may not come in, and those from where nobody new may.

    People are banned by their player: their cookie stays, so that it leads to the ban and not to a new guest.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._networks: tuple[Network, ...] = ()
        self._came_from: frozenset[str] = frozenset()

    def replace(self, addresses: Iterable[str], came_from: Iterable[str] = ()) -> None:
        """The present list, as the store has it; `came_from` is where banned people were last seen."""
        self._networks = tuple(parsed_network(address) for address in addresses)
        self._came_from = frozenset(came_from)

    def check_newcomer(self, came_from: str) -> None:
        """Raises NotAllowed where somebody was banned a short time ago: they would be back under a new name."""
        if came_from in self._came_from:
            raise NotAllowed(
                "no_newcomers",
                "Nobody new can come in from your address at the moment. Log in, or try again tomorrow.",
            )

    def check(self, connection: HTTPConnection) -> None:
        """Raises NotAllowed for a banned address."""
        if not self._networks:
            return
        try:
            address = parsed_address(client_address(connection, self._settings))
        except ValueError:
            return
        if any(address in network for network in self._networks):
            raise NotAllowed("banned", "Your address has been shut out of this server by its operator.")
