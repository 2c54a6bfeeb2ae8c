"""Reconnect delays: immediate, or as the page does it (static/js/core/socket.js)."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

_AGAIN = 0.02
_HASTE, _HASTE_FOR = 0.35, 3.0
_FIRST, _LONGEST, _GROWTH = 0.4, 15.0, 1.8


class Hurried:
    """Reconnect at once every time."""

    def after(self, was_greeted: bool) -> float:
        return _AGAIN


class AsPages:
    """Reconnect almost at once, then a few times a second for three seconds, then with growing delays."""

    def __init__(self, rng: Random, now: Callable[[], float] = time.monotonic) -> None:
        self._rng = rng
        self._now = now
        self._lost_at = -_HASTE_FOR
        self._wait = _FIRST

    def after(self, was_greeted: bool) -> float:
        if was_greeted:
            self._lost_at, self._wait = self._now(), _FIRST
        if self._now() - self._lost_at < _HASTE_FOR:
            return _HASTE * (self._rng.uniform(0, 0.25) if was_greeted else self._rng.uniform(0.25, 1.0))
        wait, self._wait = self._wait, min(_GROWTH * self._wait, _LONGEST)
        return wait * self._rng.uniform(0.75, 1.25)
