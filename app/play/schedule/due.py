"""What is due at a table: clocks that run out, people who are absent, a host who is gone, a table that everybody
has left before it began, what was agreed on.

The log decides who was first: a worker that does the same work a second time finds its entry refused.
"""

from __future__ import annotations

from app.play.commands.play import agreed_without
from app.play.commands.proposal import Proposal
from app.play.commands.seating import begin
from app.play.log.beginning import begins_at, options_for, ready_seats
from app.play.log.entries import NOBODY
from app.play.log.rounds import SEEN_OPENING_MS
from app.play.log.table import Table
from app.play.room.pace import is_turn_spent
from app.play.room.presence import Presence
from app.play.schedule.forfeit import end_by_resigning, have_all_resigned

GRACE = 300  # a command received in time may still be on its way to the log when the clock runs out
HOST_GONE = 60_000  # before the start, a host who is away this long hands the role on
EMPTY = 5 * 60_000  # before the start: nobody sits there and nobody has been there for so long
FORSAKEN = 10 * 60_000  # likewise, but somebody sits there: a listed table at which others would wait in vain
LEFT_ON = 12 * 3_600_000  # likewise, but a screen is: one that was opened from it and left on stays no longer
_RETURN = (
    40_000  # a worker that has just loaded the room hears within this time who is there; people come back
)


def due_at(table: Table, presence: Presence, now: int) -> int | None:
    """When the server must look at this room again, if nothing happens before."""
    if table.is_over:
        return None
    if table.status == "open":
        until = _opening_ends_at(table, presence, now)
        either = (
            _host_gone_at(table, presence, now),
            None if until is None else until + GRACE,
            _closes_at(table, presence, now),
            begins_at(table),
        )
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
        times.append(table.acts_since + (0 if is_turn_spent(table) else presence.paces.of(table)))
    if not is_deserted:
        times += [at for at in (presence.absent_at(table, seat) for seat in table.to_act) if at is not None]
    return min(times, default=None)


def _closes_at(table: Table, presence: Presence, now: int) -> int | None:
    """When a table that everybody has left closes itself; while somebody is there, when to look again: a worker
    that dies with them in its rooms must not leave a table for ever.
    """
    if table.round is not None:
        return None
    if any(seat.person is not None for seat in table.seats):
        terms = table.terms
        is_for_now = table.is_from_screen or (terms.visibility == "open" and terms.password_hash is None)
        if not is_for_now or terms.clock.kind == "days":
            return (
                None  # an appointment: whoever has the link or the word, or plays over days, may come later
            )
        wait = FORSAKEN
    else:
        wait = EMPTY
    if not presence.is_deserted(now):
        return min(now + wait, table.at + LEFT_ON) if table.is_from_screen and wait == EMPTY else now + wait
    return max(max(table.at, presence.emptied) + wait, presence.began + _RETURN)


def _host_gone_at(table: Table, presence: Presence, now: int) -> int | None:
    if presence.is_here(table.host, now) or not _heirs(table, presence, now):
        return None
    return max(presence.left_at(table.host), table.at) + HOST_GONE


def _heirs(table: Table, presence: Presence, now: int) -> list[int]:
    return [n for n in sorted(presence.present_seats(table, now)) if table.seats[n].person != table.host]


def next_due(table: Table, presence: Presence, now: int) -> Proposal | None:
    """The next entry of the server's own that is due, bots' moves apart."""
    if table.status == "open":
        late = _late_opening(table, presence, now)
        if late is not None:
            return late
        begins = begins_at(table)
        if begins is not None and begins <= now:
            order = ready_seats(table)
            return begin(table, Proposal(), NOBODY, order, options_for(table, len(order)))
        at = _host_gone_at(table, presence, now)
        if at is not None and at <= now:
            heir = _heirs(table, presence, now)[0]
            return Proposal("host", NOBODY, {"person": table.seats[heir].person, "about": heir})
        closes_at = _closes_at(table, presence, now)
        if closes_at is not None and closes_at <= now:
            return Proposal("closed", NOBODY, {"why": "empty"})
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
            return Proposal("takeover", NOBODY, body, "clock")
        return default_move(table, seat, "clock")
    if not presence.is_deserted(now):
        for seat in table.to_act:
            at = presence.absent_at(table, seat)
            if at is not None and at <= now:
                return Proposal("absent", seat, {})
    return None


def _opening_ends_at(table: Table, presence: Presence, now: int) -> int | None:
    """Return when missing seats are asked once more, or the round is void; None when no round waits.

    Clients open by themselves within seconds. By correspondence somebody may be asleep, so the first wait is long; it
    is short where everybody who is missing has been at the table since the start, as far as this worker knows.
    """
    frozen, until = table.round, table.round_until()
    if frozen is None or until is None or frozen.asked or table.terms.clock.kind != "days":
        return until
    missing = [table.seats[frozen.order[number]].person for number in frozen.missing()]
    if all(presence.has_been_here(person, frozen.since, now) for person in missing):
        return min(until, frozen.since + SEEN_OPENING_MS)
    return until


def _late_opening(table: Table, presence: Presence, now: int) -> Proposal | None:
    """Return the entry that asks missing seats once more, or voids the round; None before their time is over."""
    frozen, until = table.round, _opening_ends_at(table, presence, now)
    if frozen is None or until is None or until + GRACE > now:
        return None
    missing = [frozen.order[number] for number in frozen.missing()]
    if frozen.asked:
        return Proposal("voided", NOBODY, {"missing": missing, "why": "late", "about": missing[0]})
    body = {"seats": missing, "about": missing[0]}
    if until != table.round_until():
        body["wait"] = SEEN_OPENING_MS
    return Proposal("asked", NOBODY, body)


def default_move(table: Table, seat: int, by: str) -> Proposal:
    """What the server does for a seat that has no time left, or whose bot chose what is not allowed."""
    assert table.position is not None
    action = table.rules.default_action(table.position, seat)
    body = {"action": table.rules.action_to_json(action)}
    return Proposal("action", seat, body, by, *table.try_action(seat, action))
