"""The bus within one process: alone, or a hub between several houses (tests of many workers)."""

from __future__ import annotations

from app.play.ports import TO_ALL, News, NewsHandler


class Hub:
    """Joins the buses of several houses; `is_down` loses everything, as an outage would."""

    def __init__(self) -> None:
        self.buses: list[LocalBus] = []
        self.is_down = False

    def carry(self, news: News, sender: LocalBus) -> None:
        if not self.is_down:
            for bus in self.buses:
                if bus is not sender:
                    bus.receive(news)


class LocalBus:
    """Implements Bus. Without a hub there is nobody to tell."""

    def __init__(self, hub: Hub | None = None) -> None:
        self._hub = hub
        self.is_alone = hub is None
        self._followed: set[str] = set()
        self._handler: NewsHandler | None = None

    def listen(self, handler: NewsHandler) -> None:
        self._handler = handler

    def follow(self, game: str) -> None:
        self._followed.add(game)

    def unfollow(self, game: str) -> None:
        self._followed.discard(game)

    def publish(self, news: News) -> None:
        if self._hub is not None:
            self._hub.carry(news, self)

    def receive(self, news: News) -> None:
        wanted = news.kind in TO_ALL or news.about in self._followed
        if wanted and self._handler is not None:
            self._handler(news)

    async def open(self) -> None:
        if self._hub is not None:
            self._hub.buses.append(self)

    async def close(self) -> None:
        if self._hub is not None and self in self._hub.buses:
            self._hub.buses.remove(self)
