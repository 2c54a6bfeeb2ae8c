"""Which bus a server uses: Redis where it is configured, else none is needed."""

from __future__ import annotations

from app.bus.local import LocalBus
from app.play.ports import Bus

__all__ = ["make_bus"]


def make_bus(redis: str) -> Bus:
    """The bus for a Redis address; empty: this process is alone."""
    if not redis:
        return LocalBus()
    from app.bus.redis_bus import RedisBus  # 7 MB that a table among friends does without

    return RedisBus(redis)
