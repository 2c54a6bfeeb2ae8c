"""The bus within one process: for a single worker, or for several workers in a test."""

from __future__ import annotations

from app.play.ports import BusCounts, News, NewsHandler


class Hub:
    """Connects the buses of several game servers in one process. While `is_down`, all news is lost."""

    def __init__(self) -> None:
        self.buses: list[LocalBus] = []
        self.is_down = False

    def others(self, bus: LocalBus) -> list[LocalBus]:
        return [other for other in self.buses if other is not bus]

    def deliver(self, news: News, topics: tuple[str, ...] | None, sender: LocalBus) -> None:
        if not self.is_down:
            sender.counts.sent += 1
            for bus in self.others(sender):
                if topics is None or not bus.topics.isdisjoint(topics):
                    sender.counts.delivered += 1
                    bus.receive(news)


class LocalBus:
    """Implements Bus. Without a hub there are no other workers."""

    def __init__(self, hub: Hub | None = None) -> None:
        self._hub = hub
        self.is_single_worker = hub is None
        self.counts = BusCounts()
        self.topics: set[str] = set()
        self._handler: NewsHandler | None = None

    def listen(self, handler: NewsHandler) -> None:
        self._handler = handler

    def follow(self, topic: str) -> None:
        self.topics.add(topic)
        if self._hub is not None and not self._hub.is_down:
            for bus in self._hub.others(self):
                if topic in bus.topics:
                    bus.receive(News("joined", topic, "", None))

    def unfollow(self, topic: str) -> None:
        self.topics.discard(topic)

    def has_followers(self, topic: str) -> bool:
        return self._hub is not None and any(topic in bus.topics for bus in self._hub.others(self))

    def is_followed(self, topic: str) -> bool:
        return self.has_followers(topic)

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        if self._hub is not None:
            self._hub.deliver(news, topics, self)

    def receive(self, news: News) -> None:
        if self._handler is not None:
            self._handler(news)

    async def open(self) -> None:
        if self._hub is not None:
            self._hub.buses.append(self)

    async def close(self) -> None:
        if self._hub is not None and self in self._hub.buses:
            self._hub.buses.remove(self)
