"""Draws app/web/pictures/maps/*.json: the map of every route as the browser's own code lays it out, for link pictures.

`python -m tools.make_picture_maps` runs static/js/board/layout.js and ground.js in Chromium, once a route that the
rules allow, in the room that a link's picture gives the map. So there is one source of geometry; tests/js holds the
files against it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from app import rules
from app.web.pictures.maps import FOLDER, ROOM, Route, file_of
from tools.find_chromium import FLAGS, find_for_playwright
from tools.make_share_pictures import served

__all__ = ["drawn", "routes", "text_of"]

DRAW = """
async ({options, room}) => {
  const {layout, standing, grouped} = await import("/js/board/layout.js");
  const {drawGround} = await import("/js/board/ground.js");
  const plan = layout(options, {...room, fill: true});
  const layer = document.createElementNS("http://www.w3.org/2000/svg", "g");
  drawGround(layer, plan, options.scenario);
  delete layer.dataset.scenario;
  const place = ({x, y}) => [x, y];
  return {
    width: plan.width,
    height: plan.height,
    ground: new XMLSerializer().serializeToString(layer),
    spaces: plan.spaces.map(({x, y, d, side, board, plate}) => ({x, y, d, side, board, plate: place(plate)})),
    start: place(plan.start),
    goal: place(plan.goal),
    sloop: plan.sloop && {cartagena: place(plan.sloop.cartagena), tortuga: place(plan.sloop.tortuga)},
    standing: [0, 1, 2, 3].map((n) => standing(n).map(({dx, dy}) => [dx, dy])),
    grouped: [0, 1, 2, 3, 4, 5].map((n) => grouped(n).map(({dx, dy}) => [dx, dy])),
  };
}
"""


def routes() -> Iterator[Route]:
    """Every route that a table can have."""
    most = range(9)
    for scenario in ("passage", "jungle", "complete"):
        for passage in most:
            for jungle in most:
                given = {"scenario": scenario, "passage_boards": passage, "jungle_boards": jungle}
                try:
                    rules.parse_options({"preset": "complete", "players": 2, **given})
                except rules.RuleError:
                    continue
                yield Route(scenario, passage, jungle)


def drawn(browser: Browser) -> Iterator[tuple[Route, dict[str, Any]]]:
    """Each route with its map."""
    with served() as address:
        page = browser.new_page()
        page.goto(f"{address}/icons/favicon.svg")  # of this address, so that it may load its scripts
        width, height = ROOM
        for route in routes():
            given = {"options": route._asdict(), "room": {"width": width, "height": height}}
            yield route, _tidied(page.evaluate(DRAW, given))
        page.close()


def _tidied(found: dict[str, Any]) -> dict[str, Any]:
    """Signs are named as they are inside one drawing; numbers have one digit behind the point."""
    ground = re.sub(r'href="[^"#]*#', 'href="#', found["ground"]).replace(
        ' xmlns="http://www.w3.org/2000/svg"', ""
    )
    found["ground"] = re.sub(r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}", ground)
    return found


def text_of(found: dict[str, Any]) -> str:
    return json.dumps(found, separators=(",", ":"), sort_keys=True) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_for_playwright(), args=list(FLAGS))
        for route, found in drawn(browser):
            file_of(route).write_text(text_of(found))
        browser.close()


if __name__ == "__main__":
    main()
