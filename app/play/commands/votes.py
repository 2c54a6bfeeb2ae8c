"""What people agree on: the vote about somebody absent, and going on after a pause.

Both depend on who is present, so they are asked again when somebody goes: those who stay may have decided.
"""

from __future__ import annotations

from collections.abc import Collection

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.refusals import Refusal

__all__ = ["agreed_without", "consent", "playing", "vote", "voting"]


def playing(table: Table, asked: Proposal) -> int:
    """The asker's seat in a running game."""
    if asked.own is None:
        raise Refusal("not_seated")
    if table.status == "open":
        raise Refusal("not_started")
    if table.is_over:
        raise Refusal("game_over")
    return asked.own


def voting(table: Table, asked: Proposal) -> int:
    """The asker's seat, if they still play it themselves."""
    seat = playing(table, asked)
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_resigned(seat):
        raise Refusal("not_seated", "You have resigned this game.")
    return seat


def consent(table: Table, asked: Proposal, command: cmd.Consent) -> Proposal:
    seat = voting(table, asked)
    if command.to == "pause" and table.is_paused:
        raise Refusal("paused")
    if command.to == "continue" and not table.is_paused:
        raise Refusal("not_paused")
    agreed = table.consents.get(command.to, set()) | {seat}
    present = {*asked.present(table), seat} if command.to == "continue" else set(table.people())
    if command.yes and _may_continue(table, agreed, present):
        kind = "paused" if command.to == "pause" else "continued"
        return asked.writes(kind, seat, {"agreed": sorted(agreed)})
    return asked.writes("consent", seat, {"to": command.to, "yes": command.yes})


def vote(table: Table, asked: Proposal, command: cmd.Vote) -> Proposal:
    seat = voting(table, asked)
    about = command.seat
    if about >= len(table.seats):
        raise Refusal("bad_seat")
    if not table.seats[about].absent or about == seat:
        raise Refusal("not_absent")
    if table.is_paused:
        raise Refusal("paused")
    entitled = _voters(table, asked.present(table)) | {seat}
    votes = {voter: choice for voter, choice in table.votes.get(about, {}).items() if voter in entitled}
    votes[seat] = command.choice
    if _verdict(votes, entitled) != command.choice:
        return asked.writes("voted", seat, {"about": about, "choice": command.choice})
    return _do_verdict(table, asked, seat, about, command.choice, votes)


def _verdict(votes: dict[int, str], entitled: set[int]) -> str | None:
    """What the majority of these people has chosen."""
    counted = [choice for voter, choice in votes.items() if voter in entitled]
    return next((choice for choice in counted if counted.count(choice) * 2 > len(entitled)), None)


def _voters(table: Table, present: Collection[int]) -> set[int]:
    """Whose voices count: people who play themselves, are here and are not absent."""
    return {n for n in table.people() if n in present and not table.seats[n].absent}


def _may_continue(table: Table, agreed: set[int], present: set[int]) -> bool:
    """Whoever is away cannot keep the others waiting."""
    return set(table.people()) & present <= agreed


def _do_verdict(
    table: Table, asked: Proposal, seat: int, about: int, choice: str, votes: dict[int, str]
) -> Proposal:
    """The entry that does what was chosen."""
    body = {"about": about, "votes": {str(voter): chosen for voter, chosen in sorted(votes.items())}}
    match choice:
        case "wait":
            return asked.writes("waited", seat, body)
        case "bot":
            return asked.writes("takeover", seat, {**body, "level": table.terms.bot_level, "why": "absent"})
        case _:
            return asked.writes("aborted", seat, body)


def agreed_without(table: Table, present: set[int]) -> Proposal | None:
    """What those who are still here have agreed on since somebody left; most tables have nothing to decide."""
    if table.is_paused:
        agreed = table.consents.get("continue", set()) & present
        if agreed and _may_continue(table, agreed, present):
            return Proposal("continued", NOBODY, {"agreed": sorted(agreed)})
        return None
    for about, votes in table.votes.items():
        entitled = _voters(table, present)
        choice = _verdict(votes, entitled) if table.seats[about].absent and entitled else None
        if choice is not None:
            counted = {voter: chosen for voter, chosen in votes.items() if voter in entitled}
            return _do_verdict(table, Proposal(), NOBODY, about, choice, counted)
    return None
