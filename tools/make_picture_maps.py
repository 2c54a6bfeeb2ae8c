"""Write app/web/pictures/maps/*.json: the board of every route as the browser lays it out, for link previews.

`python -m tools.make_picture_maps` runs static/js/board/layout.js and ground.js in Chromium once for each valid
route, at the size that a link preview has for the board. So there is one source of geometry; tests in tests/js
compare the files with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from app import rules
from app.web.pictures.maps import MAP_AREA_PX, MAPS_FOLDER, Route, map_file
from tools.find_chromium import FLAGS, find_for_playwright
from tools.make_share_pictures import served

__all__ = ["drawn", "routes", "text_of"]

DRAW = """
async ({options, room}) => {
  const {layout, figureOffsets, groupOffsets} = await import("/js/board/layout.js");
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
    standing: [0, 1, 2, 3].map((n) => figureOffsets(n).map(({dx, dy}) => [dx, dy])),
    grouped: [0, 1, 2, 3, 4, 5].map((n) => groupOffsets(n).map(({dx, dy}) => [dx, dy])),
  };
}
"""


def routes() -> Iterator[Route]:
    """Yield every route that a table can have."""
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
    """Yield each route with its map."""
    with served() as address:
        page = browser.new_page()
        page.goto(f"{address}/icons/favicon.svg")  # same origin, so that it may load the scripts
        width, height = MAP_AREA_PX
        for route in routes():
            given = {"options": route._asdict(), "room": {"width": width, "height": height}}
            yield route, _tidied(page.evaluate(DRAW, given))
        page.close()


def _tidied(found: dict[str, Any]) -> dict[str, Any]:
    """Make symbol references local to the drawing and round numbers to one decimal."""
    ground = re.sub(r'href="[^"#]*#', 'href="#', found["ground"]).replace(
        ' xmlns="http://www.w3.org/2000/svg"', ""
    )
    found["ground"] = re.sub(r"\d+\.\d\d+", lambda number: f"{float(number[0]):.1f}", ground)
    return found


def text_of(found: dict[str, Any]) -> str:
    return json.dumps(found, separators=(",", ":"), sort_keys=True) + "\n"


def main() -> None:
    MAPS_FOLDER.mkdir(exist_ok=True)
    for old in MAPS_FOLDER.glob("*.json"):
        old.unlink()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_for_playwright(), args=list(FLAGS))
        for route, found in drawn(browser):
            map_file(route).write_text(text_of(found))
        browser.close()


if __name__ == "__main__":
    main()
