"""Fixtures of the browser tests: one server per session, and players on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.context_pool import PAGE_OPTIONS, ContextPool
from tests.browser.game_server import GameServer, Player


@pytest.fixture(scope="session")
def game_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    game_server = GameServer(tmp_path_factory.mktemp("house"))
    game_server.start()
    yield game_server
    game_server.stop()


@pytest.fixture(scope="session")
def context_pool(browser: Browser, game_server: GameServer) -> ContextPool:
    return ContextPool(browser, game_server.url)


@pytest.fixture
def person(context_pool: ContextPool, game_server: GameServer) -> Iterator[Callable[..., Player]]:
    """person("Ann", phone=True) returns a player with a name and a browser context of the pool."""
    made: list[Player] = []

    def make(name: str | None = "Ann", *, fresh: bool = False, **options: Any) -> Player:
        page_options = {} if fresh else {name: options.pop(name) for name in PAGE_OPTIONS if name in options}
        player = Player(context_pool.take(fresh=fresh, **options), game_server.url, **page_options)
        if name:
            player.introduce(name)
        made.append(player)
        return player

    yield make
    complaints = [line for player in made for line in player.complaints]
    for player in made:
        context_pool.give_back(player.context)
    assert complaints == [], "the page complained"
