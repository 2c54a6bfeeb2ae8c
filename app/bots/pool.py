"""Pool of worker processes in which bots search, so that the event loop never blocks.

Workers start on demand and stop when idle. The queue is bounded. If it is full, a worker dies or time is up, the pool
returns the best action known so far, or a legal action that needs no search; every outcome is counted. Reviews and
analyses have processes of their own, so that no bot waits for them.

Requests pass a fair queue (app/bots/fair_queue.py), so that one person's tables do not delay another's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Callable, Sequence

from app.bots.choosing import fallback_action
from app.bots.fair_queue import FairQueue, QueueFull, Share, ShareOf
from app.bots.hint import HINT_LEVEL, unexplained
from app.bots.levels import MAX_SECONDS
from app.bots.request_line import write_request
from app.rules import Json

OnOutcome = Callable[[str, str, float], None]
"""on_outcome(level, outcome, seconds), where the outcome is chosen, forced, late, crashed or full."""

_MAX_LINE_BYTES = 8 * 1024 * 1024
_GRACE_SECONDS = 3.0
"""Time beyond its limit after which a worker counts as hanging. On an overloaded machine, a shorter time would kill
workers that are merely slow, and starting new ones would add to the load."""
_MAX_WAIT_SECONDS = 2.0
"""Target for the waiting time in the queue. The more bots of a person wait, the shorter each of them may search."""
_REVIEW_SECONDS = 20.0
"""Time limit of a review. A game of 150 actions takes about one second."""
_FIXED_BUDGET_SECONDS = 30.0
"""Time limit of a search bounded in nodes, which takes a quarter of a second on an idle machine."""
_FIXED_BUDGET_TRIES = 3
_MAX_STUDIES = 8
"""Analyses that run or wait; more would wait too long."""
_SEARCH_SECONDS = 300.0
"""Time limit of a search for mistakes, which takes 7 to 26 seconds of CPU at the lowest priority."""
_log = logging.getLogger("cartagena.bots")


class DecisionUnavailable(Exception):
    """Raised when a reproducible decision cannot be made now, so that the caller tries again later."""


class SearchFailed(Exception):
    """Raised when a study or a search for mistakes has no result; `outcome` is late, crashed or full."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class _Worker:
    """A worker process, which handles one request at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> _Worker:
        """Start a process with a minimal environment."""
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, limit=_MAX_LINE_BYTES
        )
        return cls(process)

    async def send(self, request: Json, best: list[Json]) -> Json | None:
        """Send a request and return its result, or None if the worker failed. `best` receives interim best actions."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            await write_request(stdin, request)
            while True:
                line = await stdout.readline()
                if not line:
                    return None
                answer = json.loads(line)
                if "best" in answer:
                    best[:] = [answer["best"]]
                elif "result" in answer:
                    result: Json = answer["result"]
                    return result
                else:
                    _log.error("a bot worker refused a request: %s", answer.get("error"))
                    return None
        except (
            ConnectionError,
            ValueError,
            RuntimeError,
        ) as error:  # uvloop raises RuntimeError for a closed pipe
            _log.error("lost the connection to a bot worker: %s", error)
            return None

    async def stop(self) -> None:
        """Kill the process and wait for its end."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()


class BotPool:
    """Chooses actions for bots in worker processes. Implements the port `BotPlayer`."""

    def __init__(
        self,
        workers: int = 1,
        queue: int = 200,
        idle_seconds: float = 120.0,
        on_outcome: OnOutcome | None = None,
        command: Sequence[str] = (sys.executable, "-m", "app.bots.worker"),
        grace: float = _GRACE_SECONDS,
        share_of: ShareOf = lambda person: (person,),
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._max_workers = workers
        self._queue = FairQueue(workers, queue)
        self._idle_seconds = idle_seconds
        self._on_outcome = on_outcome
        self._command = command
        self._grace = grace
        self._share_of = share_of
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._review_slot = asyncio.Semaphore(1)
        self._search_slot = asyncio.Semaphore(1)
        self._studies = FairQueue(1, _MAX_STUDIES)
        self._idle_students: list[_Worker] = []
        self._last_request_at = 0.0
        self._sweeper: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def processes(self) -> int:
        """Return the number of running workers."""
        return len(self._all)

    @property
    def workers(self) -> list[int]:
        """Return the process ids of the running workers."""
        return [worker.process.pid for worker in self._all]

    async def choose(
        self,
        view: Json,
        actions: Sequence[Json],
        history: Sequence[Json],
        level: str,
        budget: float,
        *,
        seat: int | None = None,
        fixed_budget: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        """Return one of the actions, with the cards of a pending discard filled in, after at most `budget` seconds.

        `person` is the person whom the bot plays for; waiting people get equal shares of the workers.

        `fixed_budget` is (nodes, seed) instead of a time limit: the same request then has the same answer in every
        process. A failed worker is retried; a faster but different answer is never returned. Raise DecisionUnavailable
        if all tries fail.
        """
        began = asyncio.get_running_loop().time()
        share = self._share_of(person)
        if len(actions) == 1 and "count" not in actions[0]:
            self._count(level, "forced", 0.0)
            return actions[0]
        request: Json = {
            "view": view,
            "actions": list(actions),
            "history": list(history),
            "level": level,
            "seat": seat,
        }
        if fixed_budget is not None:
            nodes, seed = fixed_budget
            return await self._choose_reproducibly(
                {**request, "nodes": nodes, "seed": seed}, level, began, share
            )
        best: list[Json] = []
        action = await self._run_queued(request, level, budget, share, best)
        return action or (best[0] if best else fallback_action(view, actions, seat))

    async def hint(
        self,
        view: Json,
        actions: Sequence[Json],
        history: Sequence[Json],
        budget: float,
        *,
        seat: int,
        person: str = "",
    ) -> Json:
        """Return {"action", "why", "params"}: the action of a captain and the reason for it (app/bots/hint.py)."""
        request: Json = {
            "view": view,
            "actions": list(actions),
            "history": list(history),
            "hint": True,
            "seat": seat,
        }
        found = await self._run_queued(request, HINT_LEVEL, budget, self._share_of(person), [])
        return found or unexplained(fallback_action(view, actions, seat))

    async def _run_queued(
        self, request: Json, level: str, budget: float, share: Share, best: list[Json]
    ) -> Json | None:
        """Return the answer to a request after at most `budget` seconds and the time in the queue, or None."""
        if self._is_closed:
            self._count(level, "full", 0.0)
            return None
        began = asyncio.get_running_loop().time()
        answer: Json | None = None
        seconds = max(0.01, min(budget, MAX_SECONDS.get(level, 1.0)))
        try:
            async with self._queue.slot(share) as fraction:
                seconds = min(seconds, max(0.01, _MAX_WAIT_SECONDS * self._max_workers * fraction))
                request["seconds"] = seconds
                outcome, answer = await self._run_request(request, seconds, best, idle=self._idle)
        except QueueFull:
            outcome = "full"
        self._count(level, outcome, asyncio.get_running_loop().time() - began)
        return answer

    async def _choose_reproducibly(self, request: Json, level: str, began: float, share: Share) -> Json:
        """Return the action for a request with a fixed budget. Raise DecisionUnavailable if all tries fail."""
        for _ in range(_FIXED_BUDGET_TRIES):
            try:
                if self._is_closed:
                    raise QueueFull
                async with self._queue.slot(share):
                    outcome, action = await self._run_request(
                        request, _FIXED_BUDGET_SECONDS, [], idle=self._idle
                    )
            except QueueFull:
                self._count(level, "full", 0.0)
                break
            self._count(level, outcome, asyncio.get_running_loop().time() - began)
            if action is not None:
                return action
        raise DecisionUnavailable

    async def review(self, record: Json) -> Json | None:
        """Return the review of a finished game (app/bots/review.py), or None if it cannot be made now.

        Reviews run one at a time, each in a process of its own with a lower priority than the bots.
        """
        if self._is_closed:
            self._count("review", "full", 0.0)
            return None
        began = asyncio.get_running_loop().time()
        async with self._review_slot:
            outcome, found = await self._run_request({"record": record}, _REVIEW_SECONDS, [], idle=None)
        self._count("review", outcome, asyncio.get_running_loop().time() - began)
        return found

    async def study(self, name: str, request: Json, seconds: float, person: str) -> Json:
        """Return the result of a request about a position for which a person waits. Raise SearchFailed.

        `name` counts its outcomes. Studies run one at a time beside the bots, shared fairly between people.
        """
        began = asyncio.get_running_loop().time()
        try:
            if self._is_closed:
                raise QueueFull
            async with self._studies.slot(self._share_of(person)):
                outcome, found = await self._run_request(request, seconds, [], idle=self._idle_students)
        except QueueFull:
            outcome, found = "full", None
        self._count(name, outcome, asyncio.get_running_loop().time() - began)
        if found is None:
            raise SearchFailed(outcome)
        return found

    async def find_mistakes(self, record: Json, seat: int) -> Json:
        """Return the puzzles of a seat (app/bots/mistakes.py). Raise SearchFailed.

        Like a review, but no person waits for it, and reviews do not wait for it.
        """
        if self._is_closed:
            raise SearchFailed("full")
        began = asyncio.get_running_loop().time()
        async with self._search_slot:
            request = {"find_mistakes": record, "seat": seat}
            outcome, found = await self._run_request(request, _SEARCH_SECONDS, [], idle=None)
        self._count("mistakes", outcome, asyncio.get_running_loop().time() - began)
        if found is None:
            raise SearchFailed(outcome)
        return found

    async def _run_request(
        self,
        request: Json,
        seconds: float,
        best: list[Json],
        *,
        idle: list[_Worker] | None,
    ) -> tuple[str, Json | None]:
        """Run a request in one of the idle workers, or in a new one; None: one that ends afterwards."""
        self._last_request_at = asyncio.get_running_loop().time()
        worker = idle.pop() if idle else None
        is_reusable = False
        outcome = "crashed"
        action: Json | None = None
        try:
            if worker is None:
                worker = await _Worker.start(self._command)
                self._all.add(worker)
                # Allow for the start of the interpreter.
                seconds += 2.0
            async with asyncio.timeout(seconds + self._grace):
                action = await worker.send(request, best)
            is_reusable = action is not None
            outcome = "chosen" if action is not None else "crashed"
        except TimeoutError:
            outcome = "late"
        except OSError as error:
            _log.error("cannot start a bot worker: %s", error)
        finally:
            if worker is not None:
                await self._put_back(worker, idle if is_reusable else None)
        if action is None and self._is_closed:
            outcome = "full"  # `close` stopped the worker
        return outcome, action

    async def _put_back(self, worker: _Worker, idle: list[_Worker] | None) -> None:
        """Keep a worker for further requests, or stop it if `idle` is None."""
        if idle is not None and not self._is_closed:
            idle.append(worker)
            if self._sweeper is None or self._sweeper.done():
                self._sweeper = asyncio.create_task(self._stop_idle_workers())
            return
        self._all.discard(worker)
        await worker.stop()

    async def _stop_idle_workers(self) -> None:
        """Stop all workers after a time without requests, so that an idle server uses little memory."""
        loop = asyncio.get_running_loop()
        while self._idle or self._idle_students:
            await asyncio.sleep(self._idle_seconds)
            if loop.time() - self._last_request_at >= self._idle_seconds:
                for idle in (self._idle, self._idle_students):
                    while idle:
                        worker = idle.pop()
                        self._all.discard(worker)
                        await worker.stop()

    def _count(self, level: str, outcome: str, seconds: float) -> None:
        self.counts[outcome] += 1
        if outcome not in ("chosen", "forced"):
            _log.warning("bot %s did not finish its search: %s", level, outcome)
        if self._on_outcome is not None:
            self._on_outcome(level, outcome, seconds)

    async def close(self) -> None:
        """Stop all workers and refuse further searches."""
        self._is_closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeper
        self._idle.clear()
        self._idle_students.clear()
        for worker in list(self._all):
            await worker.stop()
        self._all.clear()
