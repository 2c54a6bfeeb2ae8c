"""Admission control: limits how much CPU newly connecting clients take per event-loop iteration.

After a restart, thousands of clients connect within a second, and each takes several steps: a handshake, a session,
a room to fold, a greeting. Run as they arrive, hundreds of such steps would share one iteration, and an action, which
needs two or three iterations, would wait for all of them. So each step passes this queue. An iteration admits as many
as take about `BUDGET_SECONDS` of CPU time, estimated from the last iterations, actions included: the more actions
there are, the fewer steps are admitted. While no game is active the budget is `IDLE_BUDGET_SECONDS`. Clients that have
begun go before new ones, so that few are half connected at any time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from time import thread_time
from weakref import WeakKeyDictionary

BUDGET_SECONDS = 2**-12  # per iteration while games are active: a quarter of a millisecond
IDLE_BUDGET_SECONDS = 2**-8  # per iteration while no game is active
ACTIVE_GAME_SECONDS = 0.5  # of CPU time after an action during which games count as active
MAX_STEPS = 12.0  # per iteration, however short they are


class AdmissionQueue:
    """The queue of one event loop. `clock` returns the CPU time of the loop's thread."""

    def __init__(self, clock: Callable[[], float] = thread_time) -> None:
        self._clock = clock
        self._begun: deque[tuple[Callable[[], None], float]] = deque()
        self._new: deque[tuple[Callable[[], None], float]] = deque()
        self._allowed = 8.0  # steps per iteration
        self._admitted = 0.0  # steps in this iteration
        self._began = 0.0
        self._is_watching = False  # `_on_iteration` is scheduled for the end of this iteration
        self.has_action = False  # a player has acted in this iteration
        self._playing_until = 0.0

    @property
    def waiting(self) -> int:
        return len(self._begun) + len(self._new)

    def run(self, step: Callable[[], None], *, is_new: bool = False) -> None:
        """Run `step` now or in a later iteration. `is_new`: nothing has been done for its client yet."""
        if self._can_admit(1.0):
            step()
        else:
            (self._new if is_new else self._begun).append((step, 1.0))

    async def wait(self, weight: float = 1.0, *, is_new: bool = False) -> None:
        """Return once the caller is admitted; its step ends with its next await.

        `weight` is the length of the step, in steps of the usual length.
        """
        if self._can_admit(weight):
            return
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._new if is_new else self._begun).append((partial(_admit, admitted), weight))
        await admitted

    def _can_admit(self, weight: float) -> bool:
        if not self._is_watching:
            self._is_watching = True
            self._began, self._admitted = self._clock(), 0.0
            asyncio.get_running_loop().call_soon(self._on_iteration)
        if self.waiting or self._admitted >= self._allowed:
            return False
        self._admitted += weight
        return True

    def _on_iteration(self) -> None:
        now = self._clock()
        if self.has_action:
            self.has_action, self._playing_until = False, now + ACTIVE_GAME_SECONDS
        budget = BUDGET_SECONDS if now < self._playing_until else IDLE_BUDGET_SECONDS
        if self._admitted:
            # The time includes tasks that the steps started and actions beside them. The estimate falls at once and
            # rises slowly, because the next steps may be longer.
            fitting = self._admitted * budget / max(now - self._began, 1e-6)
            self._allowed = max(1.0, min(fitting, self._allowed + 0.25, MAX_STEPS))
        self._began, self._admitted = now, 0.0
        if not self.waiting:
            self._is_watching = False
            return
        loop = asyncio.get_running_loop()
        loop.call_soon(self._on_iteration)  # first, because a step may raise
        while self.waiting and self._admitted < self._allowed and self._clock() - now < budget:
            step, weight = (self._begun or self._new).popleft()
            self._admitted += weight
            step()


def _admit(admitted: asyncio.Future[None]) -> None:
    if not admitted.done():  # otherwise the caller was cancelled
        admitted.set_result(None)


_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, AdmissionQueue] = WeakKeyDictionary()


def get_admission_queue(loop: asyncio.AbstractEventLoop) -> AdmissionQueue:
    """Return the queue of this event loop, shared by everything that runs on it."""
    found = _queues.get(loop)
    if found is None:
        found = _queues[loop] = AdmissionQueue()
    return found
