"""Fair queue in front of a fixed number of slots.

A caller is identified by a path, from the widest group to the person. At each level of the tree of paths, waiting
groups get equal shares (start-time fair queueing), so that one caller's backlog delays another's request by at most
one slot for each waiting caller.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

Share = tuple[str, ...]
"""Path of a caller: (account,), or (network, …, guest) with one network for each prefix length."""

ShareOf = Callable[[str], Share]
"""share_of(id): return the path of a person or an address."""


class QueueFull(Exception):
    """Raised when the queue is full and no other caller has a longer backlog."""


class _Node:
    """A group of callers, or a single caller, in the tree of paths."""

    __slots__ = ("active", "children", "start", "virtual", "waiting", "waiting_count")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.waiting: deque[asyncio.Future[None]] = deque()  # requests of a caller, which is a leaf
        self.waiting_count = 0  # at or below this node
        self.active = 0  # waiting or holding a slot, at or below this node
        self.start = 0.0  # virtual start time of its next request among its siblings
        self.virtual = 0.0  # virtual time among its children

    def child(self, name: str) -> _Node:
        """Return the child with this name. Creating one drops idle siblings whose start time has passed."""
        found = self.children.get(name)
        if found is None:
            self.children = {
                key: node for key, node in self.children.items() if node.active or node.start > self.virtual
            }
            found = self.children[name] = _Node()
        return found


class FairQueue:
    """A queue that shares its slots fairly between callers."""

    def __init__(self, slots: int, capacity: int) -> None:
        """`slots` requests run at once; at most `capacity` run or wait."""
        self._free = slots
        self._capacity = capacity
        self._root = _Node()

    @property
    def active(self) -> int:
        """Return the number of requests that run or wait."""
        return self._root.active

    @asynccontextmanager
    async def slot(self, share: Share) -> AsyncIterator[float]:
        """Wait for a slot and hold it. Yield the fraction of all slots that this request may count on at present.

        If the queue is full, the newest request of the longest backlog is dropped with QueueFull.
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
        """Count the request as active and return the nodes from the root to the caller. Raise QueueFull."""
        if self._root.active >= self._capacity and not self._make_room(share):
            raise QueueFull
        path = [self._root]
        for name in share:
            path.append(path[-1].child(name))
        for node in path:
            node.active += 1
        return path

    async def _wait(self, path: list[_Node]) -> None:
        grant: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        for parent, node in pairwise(path):
            if not node.waiting_count:
                node.start = max(node.start, parent.virtual)  # an idle caller collects no credit
        path[-1].waiting.append(grant)
        for node in path:
            node.waiting_count += 1
        self._grant()
        try:
            await grant
        except asyncio.CancelledError:
            if grant.done() and not grant.cancelled() and grant.exception() is None:
                self._free += 1  # granted in the same iteration in which the caller was cancelled
            elif grant in path[-1].waiting:
                path[-1].waiting.remove(grant)
                for node in path:
                    node.waiting_count -= 1
            raise

    def _grant(self) -> None:
        """Give free slots to the requests with the earliest virtual start times."""
        while self._free and self._root.waiting_count:
            node = self._root
            node.waiting_count -= 1
            while node.children and not node.waiting:
                parent = node
                node = min(
                    (child for child in parent.children.values() if child.waiting_count),
                    key=lambda child: child.start,
                )
                # Virtual time advances with every grant, so that a stream of newcomers cannot starve waiting callers.
                parent.virtual = max(parent.virtual, node.start) + 1 / (1 + len(parent.children))
                node.start += 1
                node.waiting_count -= 1
            grant = node.waiting.popleft()
            if not grant.done():  # else it was cancelled, and its caller has not run since
                self._free -= 1
                grant.set_result(None)

    def _make_room(self, share: Share) -> bool:
        """Drop the newest request of the longest backlog. Return False if no backlog is longer than that of `share`."""
        path = [self._root]
        for name in share:  # descend to the level at which a sibling has a longer backlog
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
