"""What people agree on: the vote about somebody absent, and going on after a pause.

Both depend on who is present, so they are asked again when somebody goes: those who stay may have decided.
"""

from __future__ import annotations

from collections.abc import Collection

from app.play.commands.draft import Draft
from app.play.log.entries import NOBODY
from app.play.log.table import Table

__all__ = ["after_verdict", "agreed_without", "may_continue", "verdict", "voters"]


def verdict(votes: dict[int, str], entitled: set[int]) -> str | None:
    """What the majority of these people has chosen."""
    counted = [choice for voter, choice in votes.items() if voter in entitled]
    return next((choice for choice in counted if counted.count(choice) * 2 > len(entitled)), None)


def voters(table: Table, present: Collection[int]) -> set[int]:
    """Whose voices count: people who play themselves, are here and are not absent."""
    return {n for n in table.people() if n in present and not table.seats[n].absent}


def may_continue(table: Table, agreed: set[int], present: set[int]) -> bool:
    """Whoever is away cannot keep the others waiting."""
    return set(table.people()) & present <= agreed


def after_verdict(table: Table, seat: int, about: int, choice: str, votes: dict[int, str], by: str) -> Draft:
    """The entry that does what was chosen."""
    body = {"about": about, "votes": {str(voter): chosen for voter, chosen in sorted(votes.items())}}
    match choice:
        case "wait":
            return Draft("waited", seat, body, by)
        case "bot":
            return Draft("takeover", seat, {**body, "level": table.terms.bot_level, "why": "absent"}, by)
        case _:
            return Draft("aborted", seat, body, by)


def agreed_without(table: Table, present: set[int]) -> Draft | None:
    """What those who are still here have agreed on since somebody left; most tables have nothing to decide."""
    if table.is_paused:
        agreed = table.consents.get("continue", set()) & present
        if agreed and may_continue(table, agreed, present):
            return Draft("continued", NOBODY, {"agreed": sorted(agreed)}, "server")
        return None
    for about, votes in table.votes.items():
        entitled = voters(table, present)
        choice = verdict(votes, entitled) if table.seats[about].absent and entitled else None
        if choice is not None:
            counted = {voter: chosen for voter, chosen in votes.items() if voter in entitled}
            return after_verdict(table, NOBODY, about, choice, counted, "server")
    return None
