"""Who wants news of what, as the workers have announced it: what nobody wants is not said."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from app.bus.wire import Holdings

_NOBODY: frozenset[str] = frozenset()


class Holders:
    """Of the other workers: each has topics (a game whose room it has loaded, a person who looks at its lobby)."""

    def __init__(self) -> None:
        self._topics: dict[str, set[str]] = {}  # worker → its topics
        self._workers: dict[str, set[str]] = {}  # topic → who has it; never an empty set

    def __contains__(self, topic: str) -> bool:
        return topic in self._workers

    def of(self, topics: tuple[str, ...]) -> AbstractSet[str]:
        """The workers that want news of any of these."""
        if len(topics) == 1:  # nearly always: one game
            return self._workers.get(topics[0], _NOBODY)
        return set().union(*(self._workers.get(topic, _NOBODY) for topic in topics))

    def take(self, worker: str, holdings: Holdings) -> None:
        """A worker has announced what it wants."""
        if holdings.is_all:
            self.forget(worker)
        topics = self._topics.setdefault(worker, set())
        for topic in holdings.taken:
            topics.add(topic)
            self._workers.setdefault(topic, set()).add(worker)
        for topic in holdings.let_go:
            topics.discard(topic)
            self._drop(topic, worker)

    def forget(self, worker: str) -> None:
        """It is gone; if it comes back it announces everything anew."""
        for topic in self._topics.pop(worker, _NOBODY):
            self._drop(topic, worker)

    def _drop(self, topic: str, worker: str) -> None:
        workers = self._workers.get(topic)
        if workers is not None:
            workers.discard(worker)
            if not workers:
                del self._workers[topic]
