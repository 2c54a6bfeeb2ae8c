"""A queue in front of a fixed number of slots that shares them fairly between callers.

A caller is named by a path, from the widest group to the person. At each level of the tree of paths the groups that
wait take equal turns (start-time fair queueing), so one caller's backlog never delays another's request by more
than one turn for each caller that waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

Share = tuple[str, ...]
"""Whom a request is for: (account,), or (network, guest) with as many networks as there are levels."""

ShareOf = Callable[[str], Share]
"""The share of a person, by id, or of an address."""


class QueueFull(Exception):
    """The queue is full and no caller has a longer backlog than this one."""


class _Node:
    """A group of callers, or a caller, with what waits for a slot below it."""

    __slots__ = ("active", "children", "start", "virtual", "waiting", "waiting_count")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.waiting: deque[asyncio.Future[None]] = deque()  # of a caller
        self.waiting_count = 0  # at or below this node
        self.active = 0  # waiting or holding a slot, at or below this node
        self.start = 0.0  # virtual time of the next turn among its siblings
        self.virtual = 0.0  # virtual time among its children

    def child(self, name: str) -> _Node:
        """The child of that name, made if needed. Siblings that owe nothing to the past are dropped."""
        found = self.children.get(name)
        if found is None:
            self.children = {
                key: node for key, node in self.children.items() if node.active or node.start > self.virtual
            }
            found = self.children[name] = _Node()
        return found


class FairQueue:
    """`slots` requests run at once; at most `capacity` run or wait."""

    def __init__(self, slots: int, capacity: int) -> None:
        self._free = slots
        self._capacity = capacity
        self._root = _Node()

    @property
    def active(self) -> int:
        """Requests that run or wait."""
        return self._root.active

    @asynccontextmanager
    async def slot(self, share: Share) -> AsyncIterator[float]:
        """Hold a slot. Yields the fraction of all slots that is this request's, given what else is active.

        When the queue is full, the newest request of the longest backlog gives way. Raises QueueFull.
        """
        path = self._enter(share)
        try:
            await self._wait(path)
            try:
                yield self._fraction(path)
            finally:
                self._free += 1
        finally:
            for node in path:
                node.active -= 1
            if not self._root.active:
                self._root = _Node()
            self._grant()

    def _enter(self, share: Share) -> list[_Node]:
        """The nodes from the root to the caller, this request counted as active. Raises QueueFull."""
        if self._root.active >= self._capacity and not self._make_room(share):
            raise QueueFull
        path = [self._root]
        for name in share:
            path.append(path[-1].child(name))
        for node in path:
            node.active += 1
        return path

    async def _wait(self, path: list[_Node]) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        for parent, node in pairwise(path):
            if not node.waiting_count:
                node.start = max(node.start, parent.virtual)  # no credit for turns that were not asked for
        path[-1].waiting.append(turn)
        for node in path:
            node.waiting_count += 1
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._free += 1  # granted in the same iteration in which the caller went away
            elif turn in path[-1].waiting:
                path[-1].waiting.remove(turn)
                for node in path:
                    node.waiting_count -= 1
            raise

    def _grant(self) -> None:
        """Give free slots to those whose turn it is."""
        while self._free and self._root.waiting_count:
            node = self._root
            node.waiting_count -= 1
            while node.children and not node.waiting:
                parent = node
                node = min(
                    (child for child in parent.children.values() if child.waiting_count),
                    key=lambda child: child.start,
                )
                # Time passes with every turn, also of newcomers, so that they cannot starve those who wait.
                parent.virtual = max(parent.virtual, node.start) + 1 / (1 + len(parent.children))
                node.start += 1
                node.waiting_count -= 1
            turn = node.waiting.popleft()
            if not turn.done():  # else cancelled, and its caller has not run since
                self._free -= 1
                turn.set_result(None)

    def _make_room(self, share: Share) -> bool:
        """Drop the newest request of the longest backlog; False if no backlog is longer than that of `share`."""
        path = [self._root]
        for name in share:  # down to where a sibling of the newcomer waits for more
            siblings = path[-1].children
            own = siblings.get(name)
            others = [node for node in siblings.values() if node is not own]
            longest = max(others, key=lambda node: node.waiting_count, default=None)
            if longest is not None and longest.waiting_count > 1 + (own.waiting_count if own else 0):
                path.append(longest)
                break
            if own is None:
                return False
            path.append(own)
        else:
            return False
        while path[-1].children:
            path.append(max(path[-1].children.values(), key=lambda node: node.waiting_count))
        dropped = path[-1].waiting.pop()
        for node in path:
            node.waiting_count -= 1
        if not dropped.done():
            dropped.set_exception(QueueFull())
        return True

    def _fraction(self, path: list[_Node]) -> float:
        fraction = 1.0
        for parent in path[:-1]:
            fraction /= sum(1 for child in parent.children.values() if child.active)
        return fraction / path[-1].active
