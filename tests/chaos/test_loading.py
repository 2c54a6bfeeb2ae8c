"""Rooms that cannot be read: callers may have left, no traceback is logged, and no topic stays followed."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from app.bus.local import Hub
from app.play import engines
from app.play.engines import UnknownRules
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from tests.play.stage import open_stage


async def test_a_failed_read_whose_caller_has_left_raises_no_unhandled_error(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage(sqlite_url) as stage:
        is_asked, gives_up = asyncio.Event(), asyncio.Event()

        async def away(game: str) -> None:
            is_asked.set()
            await gives_up.wait()
            raise StoreUnavailable("away")

        unhandled: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        monkeypatch.setattr(stage.store.log, "read_game", away)
        rooms = stage.game_server.rooms
        visitor = asyncio.ensure_future(rooms.get("a-game-put-away"))
        await is_asked.wait()
        visitor.cancel()
        gives_up.set()
        await asyncio.wait([visitor, *rooms.loading])
        del visitor
        gc.collect()
        assert unhandled == []
        assert not rooms.loading


async def test_a_table_of_a_later_release_is_not_logged_as_an_error(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """During a rolling update a worker may get requests for such tables; it logs a warning without a traceback."""
    async with open_stage(sqlite_url) as stage:
        game = await stage.open_table(stage.guest("Ann"))
        stage.game_server.rooms._rooms.clear()
        stage.game_server.rooms._new_tables.clear()  # as if another worker had created it
        monkeypatch.setattr(engines, "ENGINES", {})
        with pytest.raises(UnknownRules):
            await stage.game_server.rooms.get(game)
    records = [record for record in caplog.records if game in record.getMessage()]
    assert [(record.levelname, record.exc_info) for record in records] == [("WARNING", None)]


@pytest.mark.parametrize("fault", [RuntimeError("bug"), StoreUnavailable("away"), asyncio.CancelledError()])
async def test_a_room_that_cannot_be_read_is_not_followed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """The other workers would send the entries of a room that this worker does not have."""
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        game = await stage.open_table(stage.guest("Ann"))
        other = await stage.add_worker()

        async def fail(*_: object) -> None:
            raise fault

        with monkeypatch.context() as patch:
            patch.setattr(stage.store.log, "read_entries", fail)
            with pytest.raises((Refusal, RuntimeError, asyncio.CancelledError)):
                await other.rooms.get(game)
        assert not stage.game_server.bus.has_followers(game)
        assert await other.rooms.get(game) is not None
        assert stage.game_server.bus.has_followers(game)
        await other.close()
