"""Banned addresses, kept in memory and read anew every few seconds, so that the gate costs no query."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import HTTPConnection

from app.settings import Settings
from app.web.address import Network, client_address, parsed_address, parsed_network
from app.web.errors import NotAllowed

__all__ = ["Bans"]


class Bans:
    """The addresses and networks that may not come in. People are banned by their player instead."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._networks: tuple[Network, ...] = ()

    def replace(self, addresses: Iterable[str]) -> None:
        """The present list, as the store has it."""
        self._networks = tuple(parsed_network(address) for address in addresses)

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
