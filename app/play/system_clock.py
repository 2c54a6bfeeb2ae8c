"""The time of the machine, as rooms need it."""

from __future__ import annotations

import time

__all__ = ["SystemClock"]


class SystemClock:
    """Implements Clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000
