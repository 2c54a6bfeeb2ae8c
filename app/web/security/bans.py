"""Banned addresses, kept in memory and refreshed every few seconds, so that checking needs no query."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import HTTPConnection

from app.settings import Settings
from app.web.errors import NotAllowed
from app.web.security.address import Network, client_address, parse_address, parse_network

NEWCOMER_BAN_SECONDS = 86_400  # no new guests from a banned person's last network for so long


class Bans:
    """Banned addresses and networks, and those from which no new guests are accepted.

    People are banned through their player. They keep their cookie, so that it leads to the ban and not to a new guest.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._networks: tuple[Network, ...] = ()
        self._came_from: frozenset[str] = frozenset()

    def replace(self, addresses: Iterable[str], came_from: Iterable[str] = ()) -> None:
        """Replace the lists with those of the store; `came_from` holds digests of banned people's last networks."""
        self._networks = tuple(parse_network(address) for address in addresses)
        self._came_from = frozenset(came_from)

    def check_newcomer(self, came_from: str) -> None:
        """Raise NotAllowed if a person from this network was banned recently and could return as a new guest."""
        if came_from in self._came_from:
            raise NotAllowed(
                "no_newcomers",
                "No new players can join from your address at the moment. Log in, or try again tomorrow.",
            )

    def check(self, connection: HTTPConnection) -> None:
        """Raise NotAllowed for a banned address."""
        if not self._networks:
            return
        try:
            address = parse_address(client_address(connection, self._settings))
        except ValueError:
            return
        if any(address in network for network in self._networks):
            raise NotAllowed("banned", "The operator of this server has banned your address.")
