"""Turns of bots: a bot receives what its seat knows, and answers at a time that reveals nothing about its hand."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from app.bots.pool import DecisionUnavailable
from app.play.bot_pace import is_turn_spent
from app.play.commands.request import Decision
from app.play.context import Context
from app.play.deal.bot_budget import deal_bot_budget
from app.play.log.table import Table
from app.play.room.room import Room
from app.play.room.submit import add_server_entry
from app.play.schedule.due import decide_default_move
from app.play.schedule.forfeit import should_bot_resign
from app.rules import RuleError

MAX_KNOWN_ACTIONS = 2_000  # the newest; games take a few hundred, but nothing ends those of people
RETRY_THINKING_MS = 1000  # after a failed decision of a deal's bot
_log = logging.getLogger("cartagena.bots")


async def play_bot_action(room: Room, seat: int) -> None:
    """Choose and play one action of a bot. The action is dropped if the table changed meanwhile."""
    table = room.table
    level = table.seats[seat].bot
    assert level is not None
    began = monotonic()
    if should_bot_resign(table, seat, await room.read_history()):
        action: dict[str, Any] = {"type": "resign"}
    else:
        try:
            action = await choose_bot_action(room, table, seat, level)
        except DecisionUnavailable:  # of a deal of the day, where nothing else may be played: it thinks again
            await room.context.tasks.sleep(RETRY_THINKING_MS)
            return
    if not is_turn_spent(table):
        pace = room.presence.pace_settings.delay_ms(table)
        await _wait_for_interval(room.context, table, pace, (monotonic() - began) * 1000)
    now = room.context.clock.now()
    try:
        outcome = table.try_action(seat, table.rules.action_from_json(action))
    except RuleError as wrong:
        # A defect of the bot, which must not stop the game.
        _log.error("bot %s chose an illegal action in game %s: %s", level, room.id, wrong.code)
        decision = decide_default_move(table, seat, "bot")
    else:
        decision = Decision("action", seat, {"action": action}, "bot", *outcome)
    await add_server_entry(room, decision, now, table, in_sweep=True)


async def _wait_for_interval(context: Context, table: Table, pace: int, thought: float) -> None:
    """Delay an answer that took `thought` milliseconds to the next full interval, if hands are hidden.

    Otherwise the time would reveal something about the bot's hand: a forced move is quick. A table without a pace gets
    its bots' moves at once.
    """
    interval = context.bot_interval_ms
    if interval and pace and table.options.hands == "hidden":
        await context.tasks.sleep(interval - thought % interval)


async def choose_bot_action(room: Room, table: Table, seat: int, level: str) -> dict[str, Any]:
    """Ask a bot for an action. It uses the host's share of the bots' time."""
    context = room.context
    view, actions, seen = await _collect_knowledge(room, table, seat)
    fixed: dict[str, Any] = (
        {} if table.deal is None else {"fixed_budget": deal_bot_budget(table, seat, level)}
    )
    return await context.bots.choose(
        view,
        actions,
        seen,
        level,
        context.bot_budget_seconds,
        seat=seat,
        person=table.host or table.id,
        **fixed,
    )


async def find_hint(room: Room, table: Table, seat: int, person: str) -> dict[str, Any]:
    """Ask for a hint for a seat: {"action", "why", "params"}. It uses the person's share of the bots' time."""
    context = room.context
    view, actions, seen = await _collect_knowledge(room, table, seat)
    return await context.bots.hint(view, actions, seen, context.bot_budget_seconds, seat=seat, person=person)


async def _collect_knowledge(
    room: Room, table: Table, seat: int
) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what a seat knows: its view, its legal actions and the events it has seen."""
    rules, position = table.rules, table.position
    assert position is not None
    history = await room.read_history()
    recent = history[-MAX_KNOWN_ACTIONS:]
    seen = [event for events in recent for event in rules.events_for(events, seat, table.options)]
    actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
    return rules.view(position, seat), actions, seen
