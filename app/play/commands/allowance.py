"""Limits on log entries other than actions: none that changes nothing, and a bounded number by each person.

Everybody who opens a table reads its log. Each person has an allowance of their own, so that nobody can use up what
the others need. In a game it grows with the actions that stand, so that a long game with many undos is never caught.
Before the start strangers come and go: all of them together have a limit too, beyond which each may still write the
few entries that sitting down takes. The host's entries are not part of it. What the server writes by itself (absences,
takeovers, credited time) takes time to come about and is not counted.
"""

from __future__ import annotations

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal
from app.play.log.entries import Entry
from app.play.log.fold import after
from app.play.log.table import Table
from app.play.refusals import Refusal

MAX_BY_PERSON = 500  # entries by one person in a game, or by the host before it ...
MAX_BY_PERSON_PER_ACTION = 3  # ... and so many more for each action that stands
MAX_BY_GUEST_BEFORE_START = 100  # by one person who is not the host
MAX_BY_GUESTS_BEFORE_START = 1_000  # by all of them, but for ...
MIN_BY_GUEST_BEFORE_START = 10  # ... so many that everybody may write: to sit, seal and be ready

# Beginning, leaving, returning and the host's removing are never refused. None of them can be repeated without
# something that is counted, or that takes a clock's time.
_ALWAYS = (cmd.Start, cmd.Open, cmd.Void, cmd.Stand, cmd.Remove, cmd.Close, cmd.Return, cmd.Rematch)
_CHANGES_ALWAYS = frozenset(
    ("sealed", "frozen", "opened", "voided", "started", "undo", "returned", "rematch", "hint")
)


def check_change(table: Table, proposal: Proposal) -> None:
    """Raise Refusal where the entry is one too many, or would change nothing."""
    if not isinstance(proposal.command, _ALWAYS) and not _is_needed_to_begin(table, proposal):
        check_allowance(table, proposal.actor.ids)
    if proposal.kind not in _CHANGES_ALWAYS and not _is_change(table, proposal):
        raise Refusal("no_change")


def _is_needed_to_begin(table: Table, proposal: Proposal) -> bool:
    """Return whether the game cannot begin without this entry of a seated player.

    Such an entry is never refused; otherwise strangers who use up the shared allowance could keep a game from
    starting. Repeating it takes an entry that is counted, or another start.
    """
    match proposal.command:
        case cmd.Ready(ready=ready):
            return ready
        case cmd.Seal():
            return table.seats[proposal.seat].seal is None
    return False


def check_allowance(table: Table, ids: tuple[str, ...]) -> None:
    """Raise Refusal when this person has written as many entries other than actions as they may."""
    written = sum(table.changes.get(each, 0) for each in ids)
    if written >= _allowance(table, ids):
        raise Refusal("too_many_changes")


def _allowance(table: Table, ids: tuple[str, ...]) -> int:
    if table.status != "open":
        return MAX_BY_PERSON + MAX_BY_PERSON_PER_ACTION * table.played
    if table.host in ids:
        return MAX_BY_PERSON
    by_guests = sum(table.changes.values()) - table.changes.get(table.host, 0)
    is_used_up = by_guests >= MAX_BY_GUESTS_BEFORE_START
    return MIN_BY_GUEST_BEFORE_START if is_used_up else MAX_BY_GUEST_BEFORE_START


def _is_change(table: Table, made: Proposal) -> bool:
    entry = Entry(table.id, table.seq + 1, made.kind, made.seat, made.body, made.by, table.at)
    return _shown(table) != _shown(after(table, entry)[0])


def _shown(table: Table) -> tuple[object, ...]:
    """All that an entry other than an action can change; numbers and times apart."""
    return (
        table.status,
        table.is_paused,
        table.host,
        table.chat_closed,
        table.consents,
        table.votes,
        table.seats,
    )
