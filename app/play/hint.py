"""A hint: the move a strong bot would make, shown to the asker alone and marked in the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.play.commands import messages as cmd
from app.play.room.ack import Accepted
from app.play.commands.allowance import check_allowance
from app.play.commands.draft import Draft, Scene, seated
from app.play.schedule.due import choose
from app.play.ports import Anyone
from app.play.refusals import Refusal
from app.play.log.table import Table
from app.play.room.broadcast import may_choose

if TYPE_CHECKING:
    from app.play.room.room import Room

__all__ = ["HINT_LEVEL", "hint"]

HINT_LEVEL = "captain"


async def hint(room: Room, anyone: Anyone, command: cmd.Hint, received: int) -> Accepted:
    """Think, log that it was asked for, then show it. Asked again with the same id it is shown again."""
    table = room.table
    seat = table.seat_of(anyone.ids)
    is_known = command.id in room.commands
    if is_known:
        action = None
    else:
        asking = _asking(table, seat)
        check_allowance(table, anyone.ids)  # before the thinking, which costs the most
        action = await choose(room, table, asking, HINT_LEVEL)

    def deciding(present: Table, scene: Scene, _: cmd.Hint) -> Draft:
        if action is None or present.moved != table.moved or command.version < present.moved:
            raise Refusal("stale")
        check_allowance(present, scene.anyone.ids)
        return Draft("hint", seated(scene), {"action": action})

    accepted = await room.submit(anyone, command, received, deciding)
    if seat is not None and accepted.seq in room.hints:  # else the id was that of another command
        shown = {"t": "hint", "seq": accepted.seq, "action": room.hints[accepted.seq], "ack": command.id}
        room.visitors.tell_seat(seat, shown)
    return accepted


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
