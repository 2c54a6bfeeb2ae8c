"""Whoever comes waits for those who play: the steps of coming in, only so many in each turn of the event loop.

After a restart, or at eight in the evening, thousands come within a second, and each takes several steps: a
handshake, a session, a room to be folded, a greeting. Done as they come, hundreds of such steps would share a turn of
the loop, and an action, which passes two or three turns, would wait for all of them. So they pass here, as many in a
turn as take about `BUDGET` of the processor's time, by what the last turns took, actions included: the more is
played, the fewer come in at once. While nobody plays here, `ALONE` is their time. Those who have begun go before those
who are new, so that few are half in at any time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from time import thread_time
from weakref import WeakKeyDictionary

BUDGET = 2**-12  # seconds of a turn: a quarter of a millisecond
ALONE = 2**-8  # the same while nobody plays
PLAYING = 0.5  # seconds of the processor's time after an action for which somebody counts as playing
MOST = 12.0  # steps in a turn, however short they seem to be


class Turns:
    """Of one event loop. `clock` is the time that its thread has had a processor."""

    def __init__(self, clock: Callable[[], float] = thread_time) -> None:
        self._clock = clock
        self._begun: deque[tuple[Callable[[], None], float]] = deque()
        self._new: deque[tuple[Callable[[], None], float]] = deque()
        self._allowed = 8.0  # steps in a turn
        self._passed = 0.0  # in this one
        self._began = 0.0
        self._is_watching = False  # the end of this turn will be noticed
        self.is_played = False  # somebody has acted in this turn
        self._played_until = 0.0

    @property
    def waiting(self) -> int:
        return len(self._begun) + len(self._new)

    def do(self, step: Callable[[], None], *, is_new: bool = False) -> None:
        """Now, or in a later turn of the loop; `is_new`: nobody has done anything for them yet."""
        if self._may_pass(1.0):
            step()
        else:
            (self._new if is_new else self._begun).append((step, 1.0))

    async def next(self, weight: float = 1.0, *, is_new: bool = False) -> None:
        """Returns when it is the caller's turn, which ends when the caller waits for something else.

        `weight`: as many steps of the usual length as this one takes.
        """
        if self._may_pass(weight):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._new if is_new else self._begun).append((partial(_let_pass, turn), weight))
        await turn

    def _may_pass(self, weight: float) -> bool:
        if not self._is_watching:
            self._is_watching = True
            self._began, self._passed = self._clock(), 0.0
            asyncio.get_running_loop().call_soon(self._next_turn)
        if self.waiting or self._passed >= self._allowed:
            return False
        self._passed += weight
        return True

    def _next_turn(self) -> None:
        now = self._clock()
        if self.is_played:
            self.is_played, self._played_until = False, now + PLAYING
        budget = BUDGET if now < self._played_until else ALONE
        if self._passed:
            # What the steps took, or others that they began, and all that was played beside them. Down at once, up
            # in a while: the next steps may be longer ones.
            fitting = self._passed * budget / max(now - self._began, 1e-6)
            self._allowed = max(1.0, min(fitting, self._allowed + 0.25, MOST))
        self._began, self._passed = now, 0.0
        if not self.waiting:
            self._is_watching = False
            return
        loop = asyncio.get_running_loop()
        loop.call_soon(self._next_turn)  # whatever a step may raise
        while self.waiting and self._passed < self._allowed and self._clock() - now < budget:
            step, weight = (self._begun or self._new).popleft()
            self._passed += weight
            step()


def _let_pass(turn: asyncio.Future[None]) -> None:
    if not turn.done():  # else whoever waited has gone
        turn.set_result(None)


_of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


def turns_of(loop: asyncio.AbstractEventLoop) -> Turns:
    """Those of this loop, whoever runs on it."""
    found = _of_loops.get(loop)
    if found is None:
        found = _of_loops[loop] = Turns()
    return found
