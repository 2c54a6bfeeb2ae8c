"""Fixtures of the pages' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.game_server import GameServer
from tests.browser.pages.played_deal import played_day


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, dict[str, str]]]:
    """A server on whose deal of the day ten people have results, and their cookies by name."""
    game_server = GameServer(tmp_path_factory.mktemp("deal"))
    cookies = played_day(game_server.folder / "house.db")
    game_server.start()
    yield game_server, cookies
    game_server.stop()
