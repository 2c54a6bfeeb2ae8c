"""Rating pools: games of two, or of three to five seats, with open or hidden hands."""

from __future__ import annotations

from typing import Literal, get_args

Pool = Literal["duel-open", "duel-hidden", "group-open", "group-hidden"]

POOLS: tuple[Pool, ...] = get_args(Pool)


def pool_of(seats: int, hands: str) -> Pool:
    """Return the pool of a game with this many seats, bots included; `hands` is the option of that name."""
    if seats == 2:
        return "duel-open" if hands == "open" else "duel-hidden"
    return "group-open" if hands == "open" else "group-hidden"
