"""Due work of a room: clocks that run out, bots that move, people who are absent, a host who is gone.

The log decides who was first: a worker that does the same work a second time finds its entry refused.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from app.play.commands.draft import Draft
from app.play.commands.votes import agreed_without
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.room.presence import Presence
from app.play.schedule.forfeit import end_by_resigning, have_all_resigned, must_resign
from app.rules import RuleError

if TYPE_CHECKING:
    from app.play.room.room import Room

__all__ = ["GRACE", "HOST_GONE", "choose", "credit_outages", "due_at", "is_credit_owed", "tick"]

GRACE = 300  # a command received in time may still be on its way to the log when the clock runs out
HOST_GONE = 60_000  # before the start, a host who is away this long hands the role on

_log = logging.getLogger("cartagena.due")


def due_at(table: Table, presence: Presence, now: int) -> int | None:
    """When the server must look at this room again, if nothing happens before."""
    if table.is_over:
        return None
    if table.status == "open":
        until = table.round_until()
        either = (_host_gone_at(table, presence, now), None if until is None else until + GRACE)
        return min((at for at in either if at is not None), default=None)
    if have_all_resigned(table):
        return table.at
    if (table.votes or table.consents) and agreed_without(table, presence.present_seats(table, now)):
        return table.at
    if table.is_paused:
        return None
    times: list[int] = []
    deadline = table.deadline()
    if deadline is not None:
        times.append(deadline + GRACE)
    is_deserted = presence.is_deserted(now)
    if table.bots_to_act() and not (is_deserted and not table.people()):
        times.append(table.acts_since + table.terms.pace)
    if not is_deserted:
        times += [at for at in (presence.absent_at(table, seat) for seat in table.to_act) if at is not None]
    return min(times, default=None)


def _host_gone_at(table: Table, presence: Presence, now: int) -> int | None:
    if presence.is_here(table.host, now) or not _heirs(table, presence, now):
        return None
    return max(presence.left_at(table.host), table.at) + HOST_GONE


def _heirs(table: Table, presence: Presence, now: int) -> list[int]:
    return [n for n in sorted(presence.present_seats(table, now)) if table.seats[n].person != table.host]


async def tick(room: Room, now: int) -> int | None:
    """Do what is due at `now`; when to look again."""
    for _ in range(200):  # a run-out clock may have to move several times before the turn passes
        table = room.table
        draft = _next(table, room.presence, now)
        if draft is None:
            break
        await room.add(draft, now, table, in_sweep=True)
    bots = room.table.bots_to_act()
    due = due_at(room.table, room.presence, now)
    if bots and due is not None and due <= now and not room.table.is_paused:
        await _move_bot(room, bots[0])
        due = due_at(room.table, room.presence, room.game_server.clock.now())
    return due


def _next(table: Table, presence: Presence, now: int) -> Draft | None:
    """The next entry of the server's own, bots' moves apart."""
    if table.status == "open":
        late = _late_opening(table, now)
        if late is not None:
            return late
        at = _host_gone_at(table, presence, now)
        if at is not None and at <= now:
            heir = _heirs(table, presence, now)[0]
            return Draft("host", NOBODY, {"person": table.seats[heir].person, "about": heir}, "server")
        return None
    if table.status != "running":
        return None
    if have_all_resigned(table):
        return end_by_resigning()
    if table.votes or table.consents:
        agreed = agreed_without(table, presence.present_seats(table, now))
        if agreed is not None:
            return agreed
    if table.is_paused:
        return None
    for seat in table.clocks.run_out(now, GRACE) if table.clocks is not None else ():
        if table.terms.on_timeout == "bot":
            body = {"about": seat, "level": table.terms.bot_level, "why": "clock"}
            return Draft("takeover", NOBODY, body, "clock")
        return default_draft(table, seat)
    if not presence.is_deserted(now):
        for seat in table.to_act:
            at = presence.absent_at(table, seat)
            if at is not None and at <= now:
                return Draft("absent", seat, {}, "server")
    return None


def _late_opening(table: Table, now: int) -> Draft | None:
    """Whoever has not opened in time is asked once more; after that the round is void."""
    until = table.round_until()
    if table.round is None or until is None or until + GRACE > now:
        return None
    missing = [table.round.order[number] for number in table.round.missing()]
    if not table.round.asked:
        return Draft("asked", NOBODY, {"seats": missing, "about": missing[0]}, "server")
    return Draft("voided", NOBODY, {"missing": missing, "why": "late", "about": missing[0]}, "server")


def default_draft(table: Table, seat: int) -> Draft:
    """What the server does for a seat that has no time left."""
    action = table.rules.default_action(table.position, seat)
    body = {"action": table.rules.action_to_json(action)}
    return Draft("action", seat, body, "clock", table.try_action(seat, action))


async def _move_bot(room: Room, seat: int) -> None:
    """One action of a bot, chosen from what its seat knows. It is dropped if the table moved meanwhile."""
    table = room.table
    level = table.seats[seat].bot
    assert level is not None
    began = monotonic()
    if must_resign(table, seat, await room.full_history()):
        action: dict[str, Any] = {"type": "resign"}
    else:
        action = await choose(room, table, seat, level)
    await _wait_for_interval(room, table, (monotonic() - began) * 1000)
    now = room.game_server.clock.now()
    try:
        step = table.try_action(seat, table.rules.action_from_json(action))
    except RuleError as wrong:
        # A bot that breaks the rules must not stop the game; it is a bug, and counted as one.
        _log.error("bot %s chose what is not allowed in game %s: %s", level, room.id, wrong.code)
        draft = default_draft(table, seat)
        draft.by = "bot"
    else:
        draft = Draft("action", seat, {"action": action}, "bot", step)
    await room.add(draft, now, table, in_sweep=True)


async def _wait_for_interval(room: Room, table: Table, thought: float) -> None:
    """Where hands are hidden, how long a bot thought (milliseconds) would tell of its cards: a forced move is
    quick, a rich hand slow. So it answers on the beat. A table without a pace wants its bots' moves at once.
    """
    beat = room.game_server.bot_interval
    if beat and table.terms.pace and table.options.hands == "hidden":
        await room.game_server.rest(beat - thought % beat)


async def choose(room: Room, table: Table, seat: int, level: str) -> dict[str, Any]:
    """Ask the bot: it gets this seat's view, its legal list and the events it has seen, like a person."""
    rules = table.rules
    history = await room.full_history()
    seen = [event for events in history for event in rules.events_for(events, seat, table.options)]
    actions = [rules.action_to_json(action) for action in rules.legal(table.position, seat)]
    view = rules.view(table.position, seat)
    return await room.game_server.bot.choose(
        view, actions, seen, level, room.game_server.bot_budget, seat=seat
    )


def is_credit_owed(room: Room, now: int) -> bool:
    """Whether credit_outages would write something."""
    table = room.table
    timed = table.timed_since()
    if timed is None:
        return False
    since = max(timed, table.credited_to)
    return any(outage.ended > since for outage in (*room.game_server.outages, *room.delays.to_credit(now)))


async def credit_outages(room: Room, now: int) -> None:
    """Time in which no worker, or no store, was there counts for nobody: logged once, by whoever looks first.

    Lock held.
    """
    timed = room.table.timed_since()
    if timed is None:
        return
    since = max(timed, room.table.credited_to)
    for outage in (*room.game_server.outages, *room.delays.to_credit(now)):
        if outage.ended > since:
            began = max(outage.began, room.table.credited_to)  # no time is given twice
            body = {"began": began, "ended": outage.ended}
            await room.add_locked(Draft("credited", NOBODY, body, "server"), now)
            since = max(since, room.table.credited_to)
    room.delays.credited()
