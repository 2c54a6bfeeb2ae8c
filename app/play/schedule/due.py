"""Due work of a table: expired clocks, absent players, a host who left, a deserted table, automatic starts, agreements.

Several workers may do the same work. The log accepts the first entry and refuses the others.
"""

from __future__ import annotations

from app.play.bot_pace import is_turn_spent
from app.play.commands.play import decide_agreed
from app.play.commands.request import Decision
from app.play.commands.sealing import freeze_round
from app.play.log.auto_start import automatic_start_at, list_ready_seats, options_for_players
from app.play.log.entries import NO_SEAT
from app.play.log.seal_rounds import SEEN_OPENING_TIMEOUT_MS
from app.play.log.table import Table
from app.play.presence import Presence
from app.play.schedule.forfeit import decide_forfeit, have_all_people_resigned

CLOCK_GRACE_MS = 300  # a command that was received in time may still be on its way to the log
# Before the start:
HOST_ABSENCE_MS = 60_000  # then a host who is away loses the role to a player who is present
EMPTY_TABLE_MS = 5 * 60_000  # then a table without players and without visitors closes
DESERTED_TABLE_MS = 10 * 60_000  # then a listed table closes whose players are all away
# Then a listed table closes that has a password or is played by correspondence and whose players, who may be away from
# it for days, have not used the site either.
FORGOTTEN_TABLE_MS = 7 * 86_400_000
MAX_SCREEN_TABLE_MS = 12 * 3_600_000  # then a table without players closes, though a screen still shows it
_RECONNECT_MS = 40_000  # after a room is loaded, before its players count as gone: they may be reconnecting


def next_due_at(table: Table, presence: Presence, now: int) -> int | None:
    """Return when the next work is due if no entry comes before; None if there is none."""
    if table.is_over:
        return None
    if table.status == "open":
        until = _opening_ends_at(table, presence, now)
        candidates = (
            _host_replaced_at(table, presence, now),
            None if until is None else until + CLOCK_GRACE_MS,
            closes_at(table, presence, now),
            automatic_start_at(table),
        )
        return min((at for at in candidates if at is not None), default=None)
    if have_all_people_resigned(table):
        return table.at
    if (table.votes or table.consents) and decide_agreed(table, presence.list_present_seats(table, now)):
        return table.at
    if table.is_paused:
        return None
    times: list[int] = []
    deadline = table.deadline()
    if deadline is not None:
        times.append(deadline + CLOCK_GRACE_MS)
    is_deserted = presence.is_deserted(now)
    if table.list_bots_to_act() and not (is_deserted and not table.list_human_seats()):
        times.append(
            table.acts_since + (0 if is_turn_spent(table) else presence.pace_settings.delay_ms(table))
        )
    if not is_deserted:
        times += [
            at
            for at in (presence.absence_due_at(table, seat, now) for seat in table.to_act)
            if at is not None
        ]
    return min(times, default=None)


def closes_at(table: Table, presence: Presence, now: int) -> int | None:
    """Return when a deserted table closes; None if it never does.

    While clients are present, return when to check again: if their worker dies, the table must still close some day.
    """
    if table.seal_round is not None:
        return None
    if any(seat.person is not None for seat in table.seats):
        terms = table.terms
        if not table.is_from_screen and terms.visibility != "open":
            return None  # players of an unlisted table may return much later, and no list shows it
        is_for_now = terms.password_hash is None and not terms.clock.is_correspondence
        wait = DESERTED_TABLE_MS if is_for_now else FORGOTTEN_TABLE_MS
        last_use = table.at if is_for_now else max(table.at, presence.players_seen_at)
    else:
        last_use = table.at
        wait = EMPTY_TABLE_MS
    if not presence.is_deserted(now):
        return (
            min(now + wait, table.at + MAX_SCREEN_TABLE_MS)
            if table.is_from_screen and wait == EMPTY_TABLE_MS
            else now + wait
        )
    return max(max(last_use, presence.last_left_at) + wait, presence.known_since + _RECONNECT_MS)


def _host_replaced_at(table: Table, presence: Presence, now: int) -> int | None:
    if presence.is_present(table.host, now) or not _host_candidates(table, presence, now):
        return None
    return max(presence.last_seen_at(table.host), table.at) + HOST_ABSENCE_MS


def _host_candidates(table: Table, presence: Presence, now: int) -> list[int]:
    return [n for n in sorted(presence.list_present_seats(table, now)) if table.seats[n].person != table.host]


def decide_due(table: Table, presence: Presence, now: int) -> Decision | None:
    """Return the next entry of the server's own that is due, except bots' moves."""
    if table.status == "open":
        late = _decide_late_opening(table, presence, now)
        if late is not None:
            return late
        begins = automatic_start_at(table)
        if begins is not None and begins <= now:
            order = list_ready_seats(table)
            return freeze_round(table, NO_SEAT, order, options_for_players(table, len(order)))
        at = _host_replaced_at(table, presence, now)
        if at is not None and at <= now:
            heir = _host_candidates(table, presence, now)[0]
            return Decision("host", NO_SEAT, {"person": table.seats[heir].person, "about": heir})
        until = closes_at(table, presence, now)
        if until is not None and until <= now:
            return Decision("closed", NO_SEAT, {"why": "empty"})
        return None
    if table.status != "running":
        return None
    if have_all_people_resigned(table):
        return decide_forfeit()
    if table.votes or table.consents:
        agreed = decide_agreed(table, presence.list_present_seats(table, now))
        if agreed is not None:
            return agreed
    if table.is_paused:
        return None
    for seat in table.clocks.list_expired(now, CLOCK_GRACE_MS) if table.clocks is not None else ():
        if table.terms.on_timeout == "bot":
            body = {"about": seat, "level": table.terms.bot_level, "why": "clock"}
            return Decision("takeover", NO_SEAT, body, "clock")
        return decide_default_move(table, seat, "clock")
    if not presence.is_deserted(now):
        for seat in table.to_act:
            at = presence.absence_due_at(table, seat, now)
            if at is not None and at <= now:
                return Decision("absent", seat, {})
    return None


def _opening_ends_at(table: Table, presence: Presence, now: int) -> int | None:
    """Return when missing seats are asked a second time, or the round is void; None without a round.

    Clients open by themselves within seconds. By correspondence players may be asleep, so the first wait is long. It is
    short if all missing players have been at the table since the start, as far as this worker knows.
    """
    frozen, until = table.seal_round, table.seal_round_ends_at()
    if frozen is None or until is None or frozen.asked or not table.terms.clock.is_correspondence:
        return until
    missing = [table.seats[seat].person for seat in frozen.list_unopened()]
    if all(presence.was_present_since(person, frozen.since, now) for person in missing):
        return min(until, frozen.since + SEEN_OPENING_TIMEOUT_MS)
    return until


def _decide_late_opening(table: Table, presence: Presence, now: int) -> Decision | None:
    """Return the entry that asks missing seats a second time, or voids the round; None before their time is over."""
    frozen, until = table.seal_round, _opening_ends_at(table, presence, now)
    if frozen is None or until is None or until + CLOCK_GRACE_MS > now:
        return None
    missing = list(frozen.list_unopened())
    if frozen.asked:
        return Decision("voided", NO_SEAT, {"missing": missing, "why": "late", "about": missing[0]})
    body = {"seats": missing, "about": missing[0]}
    if until != table.seal_round_ends_at():
        body["wait"] = SEEN_OPENING_TIMEOUT_MS
    return Decision("asked", NO_SEAT, body)


def decide_default_move(table: Table, seat: int, by: str) -> Decision:
    """Return the default action of a seat whose time is over, or whose bot chose an illegal action."""
    assert table.position is not None
    action = table.rules.default_action(table.position, seat)
    body = {"action": table.rules.action_to_json(action)}
    return Decision("action", seat, body, by, *table.try_action(seat, action))
