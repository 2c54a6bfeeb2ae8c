"""Hints: the action that a strong bot would choose, sent to one seat alone and marked in the record."""

from __future__ import annotations

from app.play import frames
from app.play.commands import messages as cmd
from app.play.commands.entry_limits import check_entry_limit
from app.play.commands.request import Ack, Decision, Request
from app.play.log.table import Table
from app.play.presence import Presence
from app.play.refusals import Refusal
from app.play.room.audience_frames import can_choose
from app.play.room.room import Room
from app.play.room.submit import submit
from app.play.sweep.bot_turns import find_hint


async def give_hint(room: Room, request: Request[cmd.AskForHint]) -> Ack:
    """Choose an action, log the hint, then send it. A repeated command sends the same hint again."""
    table, actor, command = room.table, request.actor, request.command
    seat = table.seat_of(actor.ids)
    is_known = command.id in room.commands
    if is_known:
        hint = None
    else:
        asking = _require_hint_seat(table, seat)
        check_entry_limit(table, actor.ids)  # before the bot is asked, which costs the most
        hint = await find_hint(room, table, asking, actor.id)

    def decide(present: Table, request: Request[cmd.AskForHint], presence: Presence) -> Decision:
        if (
            hint is None
            or present.position_seq != table.position_seq
            or command.version < present.position_seq
        ):
            raise Refusal("stale")
        check_entry_limit(present, request.actor.ids)
        return Decision("hint", request.require_seat(present), hint)

    ack = await submit(room, request, decide)
    if seat is not None and ack.seq in room.hints:  # otherwise the id is that of another command
        room.subscribers.send_to_seat(seat, frames.Hint(seq=ack.seq, ack=command.id, **room.hints[ack.seq]))
    return ack


def _require_hint_seat(table: Table, seat: int | None) -> int:
    """Return the seat if it may have a hint now. Raises Refusal."""
    if seat is None:
        raise Refusal("not_seated")
    if not table.terms.hints:
        raise Refusal("no_hints")
    if table.status == "open":
        raise Refusal("not_started")
    if table.is_over:
        raise Refusal("game_over")
    if not can_choose(table, seat):
        raise Refusal("paused" if table.is_paused else "not_your_turn")
    return seat
