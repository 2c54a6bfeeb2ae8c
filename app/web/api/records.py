"""The record of a finished game: built in the offload thread, and charged by the length of its log."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from app.play.deal.days import is_deal_secret
from app.play.log.reading import build_record, read_whole_log
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.web.game_server import game_server_of
from app.web.site import site_of

ENTRIES_PER_MS = 20  # read and folded


async def record_for(request: Request, room: Room) -> dict[str, Any]:
    """Return the record. Raise Refusal `not_over` before reading the log."""
    game_server, site = game_server_of(request), site_of(request)
    if not room.table.is_over and not game_server.bus.is_single_worker:
        await room.catch_up()  # another worker may have written the end
    if not room.table.is_over:
        raise Refusal("not_over")
    if room.table.started_at is None:
        raise Refusal("not_started")
    if is_deal_secret(room.table.deal, game_server.clock.now()):
        raise Refusal("deal_sealed")
    site.limits.take_work(request, room.table.seq / ENTRIES_PER_MS)
    return await site.offload.run(
        build_record, room.row, await read_whole_log(game_server.store.log, room.id), game_server.names
    )
