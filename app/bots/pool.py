"""The pool: bots think in processes of their own, so the event loop never waits for a thought.

Workers start when the first bot has to move and stop after a while without work. The queue is bounded; a bot
that finds it full, whose worker dies or whose time is up plays the best move known so far, or a plain one
that is always legal. All of that is counted. A review has a process to itself: no bot waits for it.

Requests carry the share of whom they are for (app/bots/fair_queue.py): one person's tables do not delay another's.
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

from app.bots.choosing import safe_choice
from app.bots.fair_queue import FairQueue, QueueFull, Share, ShareOf
from app.bots.levels import SECONDS
from app.rules import Json

OnOutcome = Callable[[str, str, float], None]
"""on_outcome(level, outcome, seconds): outcome is chosen, forced, late, crashed or full."""

_LONGEST_LINE = 8 * 1024 * 1024
_GRACE = 3.0
"""Seconds beyond its own limit before a worker is taken to hang. On a machine with no time left for bots a
shorter one would end workers that are merely slow, and starting others would take the last of it."""
_LONGEST_WAIT = 2.0
"""Seconds: a person with many bots in line gets so much less thought for each that none waits longer than this."""
_REVIEW_SECONDS = 20.0
"""A review that takes longer is given up; a game of 150 actions takes about one."""
_FIXED_SECONDS = 30.0
"""A thought that is bounded in nodes takes a quarter of a second; on a machine with no time left, longer."""
_FIXED_TRIES = 3
_log = logging.getLogger("cartagena.bots")


class NoThought(Exception):
    """A thought that must not be replaced by a quicker one could not be had now: ask again."""


class _Worker:
    """One process, asked one thing at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> _Worker:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, limit=_LONGEST_LINE
        )
        return cls(process)

    async def ask(self, request: Json, best: list[Json]) -> Json | None:
        """The move, or None when the worker failed; what it thought best meanwhile goes into `best`."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(request, separators=(",", ":")).encode() + b"\n")
            await stdin.drain()
            while True:
                line = await stdout.readline()
                if not line:
                    return None
                answer = json.loads(line)
                if "best" in answer:
                    best[:] = [answer["best"]]
                elif "action" in answer or "review" in answer:
                    found: Json = answer.get("action") or answer["review"]
                    return found
                else:
                    _log.error("a bot was refused: %s", answer.get("error"))
                    return None
        except (
            ConnectionError,
            ValueError,
            RuntimeError,
        ) as wrong:  # the last: uvloop's, of a pipe that is closed
            _log.error("a bot's worker could not be talked to: %s", wrong)
            return None

    async def stop(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()


class BotPool:
    """Plays for bots from what their seats know (the port `BotPlayer` of the rooms)."""

    def __init__(
        self,
        workers: int = 1,
        queue: int = 200,
        idle_seconds: float = 120.0,
        on_outcome: OnOutcome | None = None,
        command: Sequence[str] = (sys.executable, "-m", "app.bots.worker"),
        grace: float = _GRACE,
        share_of: ShareOf = lambda person: (person,),
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._most = workers
        self._queue = FairQueue(workers, queue)
        self._idle_seconds = idle_seconds
        self._on_outcome = on_outcome
        self._command = command
        self._grace = grace
        self._share_of = share_of
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._review_free = asyncio.Semaphore(1)
        self._last_asked = 0.0
        self._sweeper: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def processes(self) -> int:
        """How many workers live now."""
        return len(self._all)

    @property
    def workers(self) -> list[int]:
        """The process ids of those that live now."""
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
        fixed: tuple[int, str] | None = None,
        person: str = "",
    ) -> Json:
        """One of the actions (an owed discard filled in), within about `budget` seconds of thought.

        `person` is whom the request is for; people who wait take equal turns.

        `fixed` bounds the thought in nodes and seeds its chance instead: the same question has the same answer in
        every process. A process that failed thinks again; what a quicker thought would find is never played.
        Raises NoThought.
        """
        began = asyncio.get_running_loop().time()
        share = self._share_of(person)
        if len(actions) == 1 and "count" not in actions[0]:
            self._count(level, "forced", 0.0)
            return actions[0]
        if fixed is not None:
            nodes, seed = fixed
            asked: Json = {"view": view, "actions": list(actions), "history": list(history), "level": level}
            return await self._same_thought(
                {**asked, "seat": seat, "nodes": nodes, "seed": seed}, level, began, share
            )
        plain = safe_choice(view, actions, seat)
        if self._is_closed:
            self._count(level, "full", 0.0)
            return plain
        best: list[Json] = []
        seconds = max(0.01, min(budget, SECONDS.get(level, 1.0)))
        request: Json = {
            "view": view,
            "actions": list(actions),
            "history": list(history),
            "level": level,
            "seat": seat,
        }
        try:
            async with self._queue.slot(share) as fraction:
                seconds = min(seconds, max(0.01, _LONGEST_WAIT * self._most * fraction))
                request["seconds"] = seconds
                outcome, action = await self._ask(request, seconds, best)
        except QueueFull:
            outcome, action = "full", None
        self._count(level, outcome, asyncio.get_running_loop().time() - began)
        return action or (best[0] if best else plain)

    async def _same_thought(self, request: Json, level: str, began: float, share: Share) -> Json:
        for _ in range(_FIXED_TRIES):
            try:
                if self._is_closed:
                    raise QueueFull
                async with self._queue.slot(share):
                    outcome, action = await self._ask(request, _FIXED_SECONDS, [])
            except QueueFull:
                self._count(level, "full", 0.0)
                break
            self._count(level, outcome, asyncio.get_running_loop().time() - began)
            if action is not None:
                return action
        raise NoThought

    async def review(self, record: Json) -> Json | None:
        """The review of a finished game (app/bots/review.py), or None when it could not be made now.

        One at a time, in a process of its own that ends with it and stands behind the bots' in line.
        """
        if self._is_closed:
            self._count("review", "full", 0.0)
            return None
        began = asyncio.get_running_loop().time()
        async with self._review_free:
            outcome, found = await self._ask({"record": record}, _REVIEW_SECONDS, [], is_review=True)
        self._count("review", outcome, asyncio.get_running_loop().time() - began)
        return found

    async def _ask(
        self, request: Json, seconds: float, best: list[Json], *, is_review: bool = False
    ) -> tuple[str, Json | None]:
        self._last_asked = asyncio.get_running_loop().time()
        worker = self._idle.pop() if self._idle and not is_review else None
        is_kept = False
        outcome = "crashed"
        action: Json | None = None
        try:
            if worker is None:
                worker = await _Worker.start(self._command)
                self._all.add(worker)
                # A fresh interpreter needs a moment before it can think.
                seconds += 2.0
            async with asyncio.timeout(seconds + self._grace):
                action = await worker.ask(request, best)
            is_kept = action is not None and not is_review
            outcome = "chosen" if action is not None else "crashed"
        except TimeoutError:
            outcome = "late"
        except OSError as wrong:
            _log.error("no worker for a bot could be started: %s", wrong)
        finally:
            if worker is not None:
                await self._put_back(worker, is_kept)
        return outcome, action

    async def _put_back(self, worker: _Worker, is_sound: bool) -> None:
        if is_sound and not self._is_closed:
            self._idle.append(worker)
            if self._sweeper is None or self._sweeper.done():
                self._sweeper = asyncio.create_task(self._stop_idle_workers())
            return
        self._all.discard(worker)
        await worker.stop()

    async def _stop_idle_workers(self) -> None:
        """Stop workers that nobody has asked for a while: an idle server should hold little memory."""
        loop = asyncio.get_running_loop()
        while self._idle:
            await asyncio.sleep(self._idle_seconds)
            if loop.time() - self._last_asked >= self._idle_seconds:
                while self._idle:
                    worker = self._idle.pop()
                    self._all.discard(worker)
                    await worker.stop()

    def _count(self, level: str, outcome: str, seconds: float) -> None:
        self.counts[outcome] += 1
        if outcome not in ("chosen", "forced"):
            _log.warning("bot %s played without finishing its thought: %s", level, outcome)
        if self._on_outcome is not None:
            self._on_outcome(level, outcome, seconds)

    async def close(self) -> None:
        self._is_closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeper
        self._idle.clear()
        for worker in list(self._all):
            await worker.stop()
        self._all.clear()
