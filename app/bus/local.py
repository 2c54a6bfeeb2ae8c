"""The bus within one process: alone, or a hub between several houses (tests of many workers)."""

from __future__ import annotations

from app.play.ports import BusCounts, News, NewsHandler


class Hub:
    """Joins the buses of several houses; `is_down` loses everything, as an outage would."""

    def __init__(self) -> None:
        self.buses: list[LocalBus] = []
        self.is_down = False

    def others(self, bus: LocalBus) -> list[LocalBus]:
        return [each for each in self.buses if each is not bus]

    def carry(self, news: News, topics: tuple[str, ...] | None, sender: LocalBus) -> None:
        if not self.is_down:
            sender.counts.sent += 1
            for bus in self.others(sender):
                if topics is None or not bus.topics.isdisjoint(topics):
                    sender.counts.delivered += 1
                    bus.receive(news)


class LocalBus:
    """Implements Bus. Without a hub there is nobody to tell."""

    def __init__(self, hub: Hub | None = None) -> None:
        self._hub = hub
        self.is_alone = hub is None
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

    def hears(self, topic: str) -> bool:
        return self._hub is not None and any(topic in bus.topics for bus in self._hub.others(self))

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        if self._hub is not None:
            self._hub.carry(news, topics, self)

    def receive(self, news: News) -> None:
        if self._handler is not None:
            self._handler(news)

    async def open(self) -> None:
        if self._hub is not None:
            self._hub.buses.append(self)

    async def close(self) -> None:
        if self._hub is not None and self in self._hub.buses:
            self._hub.buses.remove(self)
