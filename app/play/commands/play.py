"""From a command to the entry it would make: each is decided on the present table, or refused with a code.

What people agree on (the vote about somebody absent, going on after a pause) depends on who is present, so it is
asked again when somebody goes: those who stay may have decided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.allowance import check_change
from app.play.commands.proposal import Proposal
from app.play.commands.seating import DECISIONS as SEATING
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.rules import RuleError


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


def propose(table: Table, asked: Proposal) -> Proposal:
    """Fill in the entry that the asker's command makes now; raises Refusal. The table stays as it is."""
    if table.status == "closed":
        raise Refusal("closed")
    _DECISIONS[type(asked.command)](table, asked, asked.command)
    if asked.kind != "action":
        check_change(table, asked)
    return asked


def _act(table: Table, asked: Proposal, command: cmd.Act) -> Proposal:
    seat = playing(table, asked)
    rules, position = table.rules, table.position
    assert position is not None
    known = rules.known_action(position, bytes(command.action))
    if known is None:
        action, said, is_listed = None, command.as_json(), False
    else:
        action, said, head = known
        is_listed = table.told is not None and seat in table.to_act and head in table.told
    kind = said.get("type")
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused and kind != "resign":
        raise Refusal("paused")
    clocks = table.clocks
    if clocks is not None and kind != "resign" and clocks.is_late(seat, asked.received):
        raise Refusal("time_up")
    try:
        if action is None:
            action = rules.action_from_json(said)
        # What is owed and resigning are decided on the present position, whatever the sender saw.
        if command.version < table.moved and kind not in ("resign", "discard"):
            raise Refusal("stale")
        asked.position, asked.events = rules.apply(position, seat, action, is_listed=is_listed)
    except RuleError as refused:
        raise Refusal.by_rules(refused) from refused
    asked.kind, asked.seat, asked.body = "action", seat, {"action": said}
    return asked


def _undo(table: Table, asked: Proposal, command: cmd.Undo) -> Proposal:
    seat = playing(table, asked)
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused:
        raise Refusal("paused")
    assert table.position is not None
    if table.position.turn_seat != seat:
        raise Refusal("not_your_turn")
    if command.version < table.moved:
        raise Refusal("stale")
    if not table.undo_stack:
        raise Refusal("undo_blocked" if table.is_undo_closed else "nothing_to_undo")
    return asked.writes("undo", seat, {})


def _return(table: Table, asked: Proposal, command: cmd.Return) -> Proposal:
    seat = playing(table, asked)
    if table.seats[seat].bot is None:
        raise Refusal("not_taken_over")
    return asked.writes("returned", seat, {})


def _close_chat(table: Table, asked: Proposal, command: cmd.CloseChat) -> Proposal:
    if table.host not in asked.actor.ids:
        raise Refusal("not_host")
    seat = NOBODY if asked.own is None else asked.own
    return asked.writes("chat_closed", seat, {"closed": command.closed})


_DECISIONS: dict[type, Callable[[Table, Proposal, Any], Proposal]] = {
    cmd.Act: _act,
    cmd.Undo: _undo,
    cmd.Consent: consent,
    cmd.Vote: vote,
    cmd.Return: _return,
    cmd.CloseChat: _close_chat,
    **SEATING,
}
