"""The history that a seat has seen, requested from a worker that does not know of the start yet."""

from __future__ import annotations

from app.play.server import GameServer
from tests.web.running_site import code_of, running
from tests.web.tables import begin, done, open_table

HIDDEN = {"options": {"preset": "jamaica", "players": 5}}


async def test_a_worker_behind_the_log_shows_no_other_players_hand(sqlite_url: str) -> None:
    """Seats are renumbered when a game starts: the third of several with gaps may become the second."""
    async with running(sqlite_url) as site:
        (ann, _), (bo, told), (cyd, _) = [await site.guest(name) for name in ("Ann", "Bo", "Cyd")]
        game = await open_table(ann, **HIDDEN)
        for browser, seat in ((ann, 0), (bo, 2), (cyd, 3)):
            await done(browser, game, "sit", seat=seat)
            await done(browser, game, "ready", ready=True)
        game_server: GameServer = site.app.state.game_server
        room = game_server.rooms.get_loaded(game)
        assert room is not None
        early = room.table
        await begin(game, ann, bo, cyd)
        now, room.table = room.table, early  # the bus message has not arrived yet
        try:
            assert early.seat_of((told["person"]["id"],)) == 2
            assert code_of(await bo.get(f"/g/{game}/seen")) == "not_started"
        finally:
            room.table = now
        for browser, seat in ((ann, 0), (bo, 1), (cyd, 2)):
            view = (await browser.get(f"/g/{game}/seen")).json()["view"]
            assert [player["hand"] is not None for player in view["players"]] == [n == seat for n in range(3)]
