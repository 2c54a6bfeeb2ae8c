"""A server for the session; people are made as a test needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.table.house import House, Player

# A busy machine may take half a minute for what a quiet one does in one second; that is no failure.
expect.set_options(timeout=40_000)

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("house"))
    house.start()
    yield house
    house.stop()


@pytest.fixture
def person(browser: Browser, house: House) -> Iterator[Callable[..., Player]]:
    """person("Ann", phone=True): somebody with a name and a browser; all say goodbye at the end."""
    made: list[Player] = []

    def make(name: str | None = "Ann", *, phone: bool = False, **context: Any) -> Player:
        # moves are looked at by tests of motion; everywhere else stillness makes them quick
        still = {"reduced_motion": "reduce"}
        player = Player(browser, house.url, **{**still, **(PHONE if phone else {}), **context})
        if name:
            player.introduce(name)
        made.append(player)
        return player

    yield make
    complaints = [line for player in made for line in player.complaints]
    for player in made:
        player.context.close()
    assert complaints == [], "the page complained"
