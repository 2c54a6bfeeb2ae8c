"""The stored maps of link pictures equal the browser's layout for every route."""

from __future__ import annotations

from playwright.sync_api import Browser

from app.web.pictures.maps import MAPS_FOLDER, load_map, map_file
from tests.js.test_layout import ROUTES
from tools.make_picture_maps import drawn, routes, text_of


def test_stored_maps_equal_the_browsers_layout(browser: Browser) -> None:
    found = dict(drawn(browser))
    stale = [route for route, each in found.items() if map_file(route).read_text() != text_of(each)]
    assert stale == [], "python -m tools.make_picture_maps"
    assert {path.name for path in MAPS_FOLDER.iterdir()} == {map_file(route).name for route in found}


def test_every_route_of_the_rules_has_a_map() -> None:
    known = [route._asdict() for route in routes()]
    assert sorted(map(str, known)) == sorted(map(str, ROUTES))
    for route in routes():
        plan = load_map(route)
        assert len(plan.spaces) == 6 * (route.passage_boards + route.jungle_boards)
        assert (plan.sloop is not None) == (route.scenario == "complete")
