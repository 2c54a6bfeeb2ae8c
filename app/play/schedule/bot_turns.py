"""A bot's turn: asked with what its seat knows, like a person, and answered when nothing can be read from the time."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from app.bots.pool import NoThought
from app.play.commands.proposal import Proposal
from app.play.context import Context
from app.play.deal.thinking import fixed_thought
from app.play.log.table import Table
from app.play.room.pace import is_turn_spent
from app.play.room.room import Room
from app.play.schedule.due import default_move
from app.play.schedule.forfeit import must_resign
from app.rules import RuleError

THINK_AGAIN = 1000  # milliseconds after a thought of a deal's bot has failed
_log = logging.getLogger("cartagena.bots")


async def move_bot(room: Room, seat: int) -> None:
    """One action of a bot, chosen from what its seat knows. It is dropped if the table moved meanwhile."""
    table = room.table
    level = table.seats[seat].bot
    assert level is not None
    began = monotonic()
    if must_resign(table, seat, await room.full_history()):
        action: dict[str, Any] = {"type": "resign"}
    else:
        try:
            action = await choose(room, table, seat, level)
        except NoThought:  # of a deal of the day, where nothing else may be played: it thinks again
            await room.context.tasks.rest(THINK_AGAIN)
            return
    if not is_turn_spent(table):
        pace = room.presence.paces.of(table)
        await _wait_for_interval(room.context, table, pace, (monotonic() - began) * 1000)
    now = room.context.clock.now()
    try:
        outcome = table.try_action(seat, table.rules.action_from_json(action))
    except RuleError as wrong:
        # A bot that breaks the rules must not stop the game; it is a bug, and counted as one.
        _log.error("bot %s chose what is not allowed in game %s: %s", level, room.id, wrong.code)
        proposal = default_move(table, seat, "bot")
    else:
        proposal = Proposal("action", seat, {"action": action}, "bot", *outcome)
    await room.add(proposal, now, table, in_sweep=True)


async def _wait_for_interval(context: Context, table: Table, pace: int, thought: float) -> None:
    """Where hands are hidden, how long a bot thought (milliseconds) would tell of its cards: a forced move is
    quick, a rich hand slow. So it answers at full intervals. A table without a pace wants its bots' moves at once.
    """
    interval = context.bot_interval
    if interval and pace and table.options.hands == "hidden":
        await context.tasks.rest(interval - thought % interval)


async def choose(
    room: Room, table: Table, seat: int, level: str, person: str | None = None
) -> dict[str, Any]:
    """Ask the bot: it gets this seat's view, its legal list and the events it has seen, like a person.

    `person` is whom it thinks for; by default the host of the table.
    """
    rules, position, context = table.rules, table.position, room.context
    assert position is not None
    history = await room.full_history()
    fixed: dict[str, Any] = {} if table.deal is None else {"fixed": fixed_thought(table, seat, level)}
    seen = [event for events in history for event in rules.events_for(events, seat, table.options)]
    actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
    return await context.bots.choose(
        rules.view(position, seat),
        actions,
        seen,
        level,
        context.bot_budget,
        seat=seat,
        person=person or table.host or table.id,
        **fixed,
    )
