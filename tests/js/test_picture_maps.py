"""The maps of link pictures are what the browser's own code lays out today, for every route there is."""

from __future__ import annotations

from playwright.sync_api import Browser

from app.web.pictures.maps import FOLDER, file_of, map_of
from tests.js.test_layout import ROUTES
from tools.make_picture_maps import drawn, routes, text_of


def test_every_map_is_as_the_browser_draws_it(browser: Browser) -> None:
    found = dict(drawn(browser))
    stale = [route for route, each in found.items() if file_of(route).read_text() != text_of(each)]
    assert stale == [], "python -m tools.make_picture_maps"
    assert {path.name for path in FOLDER.iterdir()} == {file_of(route).name for route in found}


def test_every_route_of_the_rules_has_one() -> None:
    known = [route._asdict() for route in routes()]
    assert sorted(map(str, known)) == sorted(map(str, ROUTES))
    for route in routes():
        plan = map_of(route)
        assert len(plan.spaces) == 6 * (route.passage_boards + route.jungle_boards)
        assert (plan.sloop is not None) == (route.scenario == "complete")
