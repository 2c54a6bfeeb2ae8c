"""Addresses that are requested in both worlds: all readable ones, or those that show the game."""

from __future__ import annotations

from app.main import create_app
from app.play.deal.days import day_of
from app.settings import Settings
from tests.attack.routes import routes
from tests.attack.two_worlds import HOST, NOW, Stage

# Independent of the game: files, and the operator's routes.
SAME_FOR_ALL_PATHS = (
    "/static/{fingerprint}/{name:path}",
    "/lang/{name}.json",
    "/metrics",
    "/api/v1/games/{game}/events",
)


def pages_for(stage: Stage) -> list[str]:
    """Return every readable address of the app, with this table and these people as parameters."""
    filled = {
        "{game}": stage.game,
        "{room}": stage.game,
        "{player}": stage.people[1],
        "{topic}": "options",
        "{code}": "AAAA-BBBB-CCCC",
        "{token}": "0" * 16,
        "{day}": day_of(NOW),
        "{name}": "nothing",
        "{pool}": "duel-hidden",
    }
    found = []
    for method, path in routes(create_app(Settings())):
        if method != "GET" or path in SAME_FOR_ALL_PATHS:
            continue
        for hole, value in filled.items():
            path = path.replace(hole, value)
        assert "{" not in path, f"{path}: say what goes into its hole"
        found.append(path)
    lists = [f"/api/v1/games?list={name}" for name in ("open", "watch", "mine", "finished")]
    return [*found, *lists, f"/oembed?url=http://{HOST}/g/{stage.game}"]


def pages_of_the_table(stage: Stage) -> list[str]:
    """Return the addresses that show the game itself."""
    api, page = f"/api/v1/games/{stage.game}", f"/g/{stage.game}"
    link = f"/oembed?url=http://{HOST}{page}"
    shown = [f"/embed/{stage.game}", f"/share/g/{stage.game}.png?lang=de", link]
    return [api, f"{api}/record", f"{api}/review", page, f"{page}/seen", "/api/v1/games?list=watch", *shown]


__all__ = ["pages_for", "pages_of_the_table"]
