"""Whose share of a common resource a person's requests count towards, such as the bots' processes.

An account has a share of its own. Guests are free to make, so those of one address share: by IPv4 address, or by
the /48 and within it the /64 of an IPv6 one. The networks are known from the requests that this worker has served.
A guest whose requests all went to other workers has a share of their own here.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from functools import lru_cache

from app.bots.fair_queue import Share
from app.store.people.players import Player
from app.web.security.address import parsed_address

MAX_KNOWN_PEOPLE = 20_000


@lru_cache(maxsize=4096)
def networks_of(address: str) -> Share:
    """The networks of an address, the widest first; none if it is no address, such as the peer of a Unix socket."""
    try:
        parsed = parsed_address(address)
    except ValueError:
        return ()
    if isinstance(parsed, ipaddress.IPv6Address):
        return tuple(str(ipaddress.ip_network((parsed, bits), strict=False)) for bits in (48, 64))
    return (str(parsed),)


class Shares:
    """The shares of the people whose requests this worker has served; the least recent are forgotten."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Share] = OrderedDict()

    def note(self, player: Player, address: str) -> None:
        """A request of this person came from that address."""
        if player.is_account:
            # Seats taken as a guest count towards the account that claimed them.
            known: dict[str, Share] = dict.fromkeys(player.aliases, (player.id,))
        else:
            known = {player.id: (*networks_of(address), player.id)}
        for person, share in known.items():
            self._known[person] = share
            self._known.move_to_end(person)
        while len(self._known) > MAX_KNOWN_PEOPLE:
            self._known.popitem(last=False)

    def of(self, who: str) -> Share:
        """The share of a person, by any of their ids, or of an address, for those who have no id."""
        known = self._known.get(who)
        if known is not None:
            return known
        networks = networks_of(who)
        return (*networks, "") if networks else (who,)
