"""Maps people to shares of a scarce resource, such as bot processes, for fair queueing.

An account has a share of its own. Guests cost nothing to create, so guests of one IPv4 address, or of one IPv6 /48 and
within it a /64, share. The networks are learned from the requests that this worker has served; a guest whose requests
all went to other workers has a share of their own here.
"""

from __future__ import annotations

from cachetools import LRUCache

from app.bots.fair_queue import Share
from app.store.people.players import Player
from app.web.security.address import networks_of

MAX_KNOWN_PEOPLE = 20_000


class FairShares:
    """The shares of the people whose requests this worker has served. The least recent are evicted."""

    def __init__(self) -> None:
        self._known: LRUCache[str, Share] = LRUCache(MAX_KNOWN_PEOPLE)

    def note_request(self, player: Player, address: str) -> None:
        """Note that a request of this person came from that address."""
        if player.is_account:
            # A claimed guest's seats count towards the account.
            known: dict[str, Share] = dict.fromkeys(player.aliases, (player.id,))
        else:
            known = {player.id: (*networks_of(address, 48, 64), player.id)}
        self._known.update(known)

    def share_of(self, who: str) -> Share:
        """Return the share of a person, by any of their ids, or of an address for clients without one."""
        known = self._known.get(who)
        if known is not None:
            return known
        networks = networks_of(who, 48, 64)
        return (*networks, "") if networks else (who,)
