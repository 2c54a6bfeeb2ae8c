"""The record of a game for whoever asks over the web: only after its end, priced by its length, off the loop."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from app.play.deal.days import is_sealed
from app.play.log.reading import record_of, whole_log
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.web.game_server import game_server_of
from app.web.site import site_of

ENTRIES_A_MILLISECOND = 20  # read and folded, for the price


async def record_for(request: Request, room: Room) -> dict[str, Any]:
    """The record; raises Refusal `not_over` before anything of the log is read."""
    game_server, site = game_server_of(request), site_of(request)
    if not room.table.is_over and not game_server.bus.is_alone:
        await room.catch_up()  # another worker may have seen the end
    if not room.table.is_over:
        raise Refusal("not_over")
    if room.table.started_at is None:
        raise Refusal("not_started")
    if is_sealed(room.table.deal, game_server.clock.now()):
        raise Refusal("deal_sealed")
    site.limits.take_work(request, room.table.seq / ENTRIES_A_MILLISECOND)
    return await site.offload.run(
        record_of, room.row, await whole_log(game_server.store, room.id), game_server.names
    )
