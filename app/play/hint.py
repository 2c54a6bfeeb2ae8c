"""A hint: the move a strong bot would make, shown to the asker alone and marked in the record."""

from __future__ import annotations

from typing import Any

from app.bots.reasons import reason
from app.play import frames
from app.play.commands import messages as cmd
from app.play.commands.allowance import check_allowance
from app.play.commands.proposal import Ack, Proposal, seated
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.broadcast import may_choose
from app.play.room.room import Room
from app.play.schedule.bot_turns import choose

HINT_LEVEL = "captain"


async def hint(room: Room, actor: Actor, command: cmd.Hint, received: int) -> Ack:
    """Think, log that it was asked for, then show it. Asked again with the same id it is shown again."""
    table = room.table
    seat = table.seat_of(actor.ids)
    is_known = command.id in room.commands
    if is_known:
        action, why = None, {}
    else:
        asking = _asking(table, seat)
        check_allowance(table, actor.ids)  # before the thinking, which costs the most
        action = await choose(room, table, asking, HINT_LEVEL, actor.id)
        why = _why(table, asking, action)

    def decide(present: Table, asked: Proposal) -> Proposal:
        if action is None or present.moved != table.moved or command.version < present.moved:
            raise Refusal("stale")
        check_allowance(present, asked.actor.ids)
        return asked.writes("hint", seated(asked), {"action": action, **why})

    ack = await room.submit(actor, command, received, decide)
    if seat is not None and ack.seq in room.hints:  # else the id was that of another command
        room.subscribers.tell_seat(seat, frames.Hint(seq=ack.seq, ack=command.id, **room.hints[ack.seq]))
    return ack


def _why(table: Table, seat: int, action: dict[str, Any]) -> dict[str, Any]:
    """What speaks for the action, as far as the seat can know it."""
    assert table.position is not None
    return reason(table.position, seat, table.rules.action_from_json(action))


def _asking(table: Table, seat: int | None) -> int:
    """The seat that may have a hint now."""
    if seat is None:
        raise Refusal("not_seated")
    if not table.terms.hints:
        raise Refusal("no_hints")
    if table.status == "open":
        raise Refusal("not_started")
    if table.is_over:
        raise Refusal("game_over")
    if not may_choose(table, seat):
        raise Refusal("paused" if table.is_paused else "not_your_turn")
    return seat
