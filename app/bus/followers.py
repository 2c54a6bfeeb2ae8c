"""Which workers follow which topics, as they have announced, so that news is sent only to them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from app.bus.wire import TopicAnnouncement

_EMPTY: frozenset[str] = frozenset()


class Followers:
    """The topics of the other workers: games whose room they have loaded, people who view their lobby."""

    def __init__(self) -> None:
        self._topics: dict[str, set[str]] = {}  # worker → its topics
        self._workers: dict[str, set[str]] = {}  # topic → its workers; never an empty set

    def __contains__(self, topic: str) -> bool:
        return topic in self._workers

    def list_workers(self) -> list[str]:
        """Return the workers that have announced topics."""
        return list(self._topics)

    def find(self, topics: tuple[str, ...]) -> AbstractSet[str]:
        """Return the workers that follow any of these topics."""
        if len(topics) == 1:  # nearly always: one game
            return self._workers.get(topics[0], _EMPTY)
        return set().union(*(self._workers.get(topic, _EMPTY) for topic in topics))

    def update(self, worker: str, announcement: TopicAnnouncement) -> None:
        """Apply a worker's announcement."""
        if announcement.is_all:
            self.remove(worker)
        topics = self._topics.setdefault(worker, set())
        for topic in announcement.taken:
            topics.add(topic)
            self._workers.setdefault(topic, set()).add(worker)
        for topic in announcement.let_go:
            topics.discard(topic)
            self._remove_topic(topic, worker)

    def remove(self, worker: str) -> None:
        """Remove a worker that is unreachable. If it returns, it announces all of its topics."""
        for topic in self._topics.pop(worker, _EMPTY):
            self._remove_topic(topic, worker)

    def _remove_topic(self, topic: str, worker: str) -> None:
        workers = self._workers.get(topic)
        if workers is not None:
            workers.discard(worker)
            if not workers:
                del self._workers[topic]
