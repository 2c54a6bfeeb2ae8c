"""Outcomes of work in progress, delivered to one listener without an event-loop iteration in between.

A task per action would cost more than the rest of the room's work. So `run_inline` drives a coroutine without one: up
to its first wait at once, and on from there as soon as what it waits for is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any, Generic, TypeVar, cast

import msgspec

from app.play.refusals import Refusal

T = TypeVar("T")
_PENDING = object()


class Outcome(msgspec.Struct, Generic[T], eq=False):
    """A value or an exception that becomes known later: a minimal future.

    It has one listener: a function, called as soon as the outcome is known, or a task that awaits it.
    """

    _value: Any = _PENDING
    _problem: BaseException | None = None
    _then: Callable[[Any], None] | None = None
    is_abandoned: bool = False  # the listener has stopped waiting
    waits_for: Any = None  # what its coroutine waits for, if `run_inline` runs one

    @classmethod
    def failed(cls, problem: BaseException) -> Outcome[T]:
        """Return the outcome of work that was not begun."""
        outcome = cls()
        outcome.fail(problem)
        return outcome

    def done(self) -> bool:
        return self._value is not _PENDING

    def result(self) -> T:
        """Return the value, or raise the exception. Only once it is known."""
        assert self._value is not _PENDING
        if self._problem is not None:
            raise self._problem
        known: T = self._value
        return known

    def exception(self) -> BaseException | None:
        """Return the exception, or None for a value. Only once it is known."""
        assert self._value is not _PENDING
        return self._problem

    def settle(self, value: T) -> None:
        """Set the value and call the listener. No effect if the outcome is known."""
        if self._value is _PENDING:
            self._value = value
            # The listener is dropped: it refers to this outcome, and such a cycle per action would be garbage.
            then, self._then = self._then, None
            if then is not None:
                then(self)

    def fail(self, problem: BaseException) -> None:
        """Set the exception and call the listener. No effect if the outcome is known."""
        if self._value is _PENDING:
            self._problem = problem
            self.settle(cast("T", None))

    def add_done_callback(self, then: Callable[[Any], None]) -> None:
        """Call `then` with this outcome once it is known, immediately if it already is."""
        assert self._then is None
        if self._value is _PENDING:
            self._then = then
        else:
            then(self)

    def __await__(self) -> Generator[Any, None, T]:
        """For a task. A coroutine run by `run_inline` uses `wait_settled`."""
        if not self.done():
            known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.add_done_callback(lambda _: None if known.done() else known.set_result(None))
            try:
                yield from known
            except asyncio.CancelledError:
                self.abandon()
                raise
        return self.result()

    def abandon(self) -> None:
        """Record that the listener has stopped waiting. A coroutine that waits in a queue leaves it."""
        self.is_abandoned = True
        if isinstance(self.waits_for, QueuePlace):
            self.waits_for.cancel()


@coroutine
def wait_settled(outcome: Outcome[T]) -> Generator[Outcome[T], None, None]:
    """Wait for an outcome in a coroutine run by `run_inline`, which continues as soon as it is known."""
    yield outcome


class QueuePlace(asyncio.Future[None]):
    """A place in a queue. An abandoned coroutine that waits for one is cancelled."""


def run_inline(steps: Coroutine[Any, None, T]) -> Outcome[T]:
    """Run a coroutine without a task; return the outcome of what it returns or raises.

    It may await futures, tasks and `wait_settled`. Code that needs the current task (timeouts, drivers) must run in
    a task of its own. Cancelling a task that awaits the outcome does not stop the coroutine, unless that waits in a
    queue.
    """
    outcome: Outcome[T] = Outcome()
    _step(steps, outcome)
    return outcome


def _step(steps: Coroutine[Any, None, T], outcome: Outcome[T], _: object = None) -> None:
    try:
        waits_for = outcome.waits_for = steps.send(None)
    except StopIteration as end:
        outcome.settle(end.value)
    except Refusal as refusal:
        refusal.__traceback__ = None  # it refers to this frame, and so to the outcome
        outcome.fail(refusal)
    except (Exception, asyncio.CancelledError) as problem:
        outcome.fail(problem)
        if outcome.is_abandoned and not isinstance(problem, asyncio.CancelledError):
            raise  # a fault that no listener would report
    else:
        waits_for.add_done_callback(partial(_step, steps, outcome))
