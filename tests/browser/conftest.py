"""A server for the session; people are made as a test needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.table.house import House, Player
from tests.browser.wardrobe import OF_PAGES, Wardrobe


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("house"))
    house.start()
    yield house
    house.stop()


@pytest.fixture(scope="session")
def wardrobe(browser: Browser, house: House) -> Wardrobe:
    return Wardrobe(browser, house.url)


@pytest.fixture
def person(wardrobe: Wardrobe, house: House) -> Iterator[Callable[..., Player]]:
    """person("Ann", phone=True): somebody with a name and a browser; all say goodbye at the end."""
    made: list[Player] = []

    def make(name: str | None = "Ann", *, fresh: bool = False, **wishes: Any) -> Player:
        worn = {} if fresh else {wish: wishes.pop(wish) for wish in OF_PAGES if wish in wishes}
        player = Player(wardrobe.take(fresh=fresh, **wishes), house.url, **worn)
        if name:
            player.introduce(name)
        made.append(player)
        return player

    yield make
    complaints = [line for player in made for line in player.complaints]
    for player in made:
        wardrobe.give_back(player.context)
    assert complaints == [], "the page complained"
