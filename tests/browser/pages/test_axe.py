"""axe finds nothing: every page, by day and by lantern, on a screen and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.pages.places import every_place
from tests.browser.pages.test_every_page import visit
from tests.browser.table.house import SHORT, Player, begin

Theme = Literal["light", "dark"]


def complaints(player: Player, path: str) -> list[str]:
    visit(player, path)
    player.page.wait_for_load_state("networkidle")  # a page that sends one on must have arrived
    found = Axe().run(player.page).response["violations"]
    return [f"{path} {each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(person: Callable[..., Player], theme: Theme, width: int):
    # axe is put into the page by the test; the policy would rightly refuse it.
    view = {"width": width, "height": 844}
    ann = person("Ann", color_scheme=theme, viewport=view, bypass_csp=True)
    found = [line for place in every_place(person, ann) for line in complaints(ann, place)]
    ann.complaints[:] = [line for line in ann.complaints if "404" not in line]
    assert found == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_about_a_game(person: Callable[..., Player], theme: Theme):
    ann, bo = person("Ann", color_scheme=theme, bypass_csp=True), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.page.goto(f"{ann.url}/new")
    ann.page.locator("[data-more] > summary").click()
    opened = Axe().run(ann.page).response["violations"]
    assert [each["id"] for each in opened] == []
    for path in (f"/g/{game}/replay", f"/g/{game}/fairness", "/", "/me"):
        assert complaints(ann, path) == []
