"""How much may be written into a table's log besides actions: no entry that changes nothing, and not without end.

Everybody who comes to a table reads its log, or waits while it is read. What is counted are entries that people
ask for; each person has an allowance of their own, so that nobody can use up what the others need. It grows with
the actions that stand, so that a long game with many takers-back is never caught. What the server writes by itself
(absences, takeovers, credited time) takes time to come about and is not counted.
"""

from __future__ import annotations

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal
from app.play.log.entries import Entry
from app.play.log.fold import after
from app.play.log.table import Table
from app.play.refusals import Refusal

BY_ONE = 500  # entries other than actions that one person may write at a table ...
BY_ONE_AN_ACTION = 3  # ... and so many more for each action that stands
BEFORE_START = 2_000  # by all who come and go before the start; afterwards only those who sit have a say

# Whoever wants to begin, to go or to be back is never kept from it. None of them can be repeated without
# something that is counted, or that takes a clock's time.
_ALWAYS = (cmd.Start, cmd.Open, cmd.Void, cmd.Stand, cmd.Close, cmd.Return, cmd.Rematch)
_CHANGES_ALWAYS = frozenset(
    ("sealed", "frozen", "opened", "voided", "started", "undo", "returned", "rematch", "hint")
)


def check_change(table: Table, proposal: Proposal) -> None:
    """Raises Refusal where the entry would change nothing, or is one too many."""
    if proposal.kind not in _CHANGES_ALWAYS and not _is_change(table, proposal):
        raise Refusal("no_change")
    if not isinstance(proposal.command, _ALWAYS):
        check_allowance(table, proposal.actor.ids)


def check_allowance(table: Table, ids: tuple[str, ...]) -> None:
    """Raises Refusal when this person has written as much besides actions as they may."""
    written = table.changes
    if sum(written.get(each, 0) for each in ids) >= BY_ONE + BY_ONE_AN_ACTION * table.played:
        raise Refusal("too_many_changes")
    if table.status == "open" and sum(written.values()) >= BEFORE_START:
        raise Refusal("too_many_changes")


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
