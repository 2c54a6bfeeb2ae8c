"""Decisions during a game: each function returns the entry that a command would write, or raises Refusal.

Votes about an absent player and the agreement to continue after a pause depend on who is present. They are decided
again when a player leaves, because the remaining players may already agree.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.entry_limits import check_change
from app.play.commands.request import CommandT, Decider, Decision, Request
from app.play.log.entries import NO_SEAT
from app.play.log.table import Table
from app.play.presence import Presence
from app.play.refusals import Refusal
from app.rules import RuleError


def require_seat_in_play(table: Table, request: Request[Any]) -> int:
    """Return the actor's seat in a running game."""
    seat = table.seat_of(request.actor.ids)
    if seat is None:
        raise Refusal("not_seated")
    if table.status == "open":
        raise Refusal("not_started")
    if table.is_over:
        raise Refusal("game_over")
    return seat


def require_voting_seat(table: Table, request: Request[Any]) -> int:
    """Return the actor's seat, if the actor still plays it."""
    seat = require_seat_in_play(table, request)
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_resigned(seat):
        raise Refusal("not_seated", "You have resigned from this game.")
    return seat


def consent(table: Table, request: Request[cmd.Consent], presence: Presence) -> Decision:
    command, seat = request.command, require_voting_seat(table, request)
    if command.to == "pause" and table.is_paused:
        raise Refusal("paused")
    if command.to == "continue" and not table.is_paused:
        raise Refusal("not_paused")
    agreed = table.consents.get(command.to, set()) | {seat}
    present = (
        {*presence.list_present_seats(table, request.at), seat}
        if command.to == "continue"
        else set(table.list_human_seats())
    )
    if command.yes and _can_continue(table, agreed, present):
        kind = "paused" if command.to == "pause" else "continued"
        return Decision(kind, seat, {"agreed": sorted(agreed)})
    return Decision("consent", seat, {"to": command.to, "yes": command.yes})


def vote(table: Table, request: Request[cmd.Vote], presence: Presence) -> Decision:
    seat = require_voting_seat(table, request)
    about = request.command.seat
    if about >= len(table.seats):
        raise Refusal("bad_seat")
    if not table.seats[about].absent or about == seat:
        raise Refusal("not_absent")
    if table.is_paused:
        raise Refusal("paused")
    entitled = _list_voting_seats(table, presence.list_present_seats(table, request.at)) | {seat}
    votes = {voter: choice for voter, choice in table.votes.get(about, {}).items() if voter in entitled}
    votes[seat] = request.command.choice
    if _find_majority(votes, entitled) != request.command.choice:
        return Decision("voted", seat, {"about": about, "choice": request.command.choice})
    return _decide_verdict(table, seat, about, request.command.choice, votes)


def _find_majority(votes: dict[int, str], entitled: set[int]) -> str | None:
    """Return the choice of more than half of the entitled seats, or None."""
    counted = [choice for voter, choice in votes.items() if voter in entitled]
    return next((choice for choice in counted if counted.count(choice) * 2 > len(entitled)), None)


def _list_voting_seats(table: Table, present: Collection[int]) -> set[int]:
    """Return the seats whose votes count: played by a person who is present and not absent."""
    return {n for n in table.list_human_seats() if n in present and not table.seats[n].absent}


def _can_continue(table: Table, agreed: set[int], present: set[int]) -> bool:
    """Return whether all present players have agreed; players who are away are not waited for."""
    return set(table.list_human_seats()) & present <= agreed


def _decide_verdict(table: Table, seat: int, about: int, choice: str, votes: dict[int, str]) -> Decision:
    """Return the entry that carries out the choice."""
    body = {"about": about, "votes": {str(voter): chosen for voter, chosen in sorted(votes.items())}}
    match choice:
        case "wait":
            return Decision("waited", seat, body)
        case "bot":
            return Decision("takeover", seat, {**body, "level": table.terms.bot_level, "why": "absent"})
        case _:
            return Decision("aborted", seat, body)


def decide_agreed(table: Table, present: set[int]) -> Decision | None:
    """Return the entry on which the players still present agree since another has left; usually None."""
    if table.is_paused:
        agreed = table.consents.get("continue", set()) & present
        if agreed and _can_continue(table, agreed, present):
            return Decision("continued", NO_SEAT, {"agreed": sorted(agreed)})
        return None
    for about, votes in table.votes.items():
        entitled = _list_voting_seats(table, present)
        choice = _find_majority(votes, entitled) if table.seats[about].absent and entitled else None
        if choice is not None:
            counted = {voter: chosen for voter, chosen in votes.items() if voter in entitled}
            return _decide_verdict(table, NO_SEAT, about, choice, counted)
    return None


def decide_change(
    decide: Decider[CommandT], table: Table, request: Request[CommandT], presence: Presence
) -> Decision:
    """Decide on an entry other than an action, within the limits of entry_limits.py."""
    if table.status == "closed":
        raise Refusal("closed")
    decision = decide(table, request, presence)
    check_change(table, request, decision)
    return decision


def act(table: Table, request: Request[cmd.Act], presence: Presence) -> Decision:
    if table.status == "closed":
        raise Refusal("closed")
    command, seat = request.command, require_seat_in_play(table, request)
    rules, position = table.rules, table.position
    assert position is not None
    known = rules.find_cached_action(position, bytes(command.action))
    if known is None:
        action, action_json, is_listed = None, command.as_json(), False
    else:
        action, action_json, head = known
        is_listed = (
            table.sent_choices is not None and seat in table.to_act and table.sent_choices.find(head) >= 0
        )
    kind = action_json.get("type")
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused and kind != "resign":
        raise Refusal("paused")
    clocks = table.clocks
    if clocks is not None and clocks.is_timed and kind != "resign" and clocks.is_late(seat, request.at):
        raise Refusal("time_up")
    try:
        if action is None:
            action = rules.action_from_json(action_json)
        # A discard and resigning are decided on the present position, whichever version the client has seen.
        if command.version < table.position_seq and kind not in ("resign", "discard"):
            raise Refusal("stale")
        after, events = rules.apply(position, seat, action, is_listed=is_listed)
    except RuleError as refused:
        raise Refusal.from_rule_error(refused) from refused
    return Decision("action", seat, {"action": action_json}, "person", after, events)


def undo(table: Table, request: Request[cmd.Undo], presence: Presence) -> Decision:
    seat = require_seat_in_play(table, request)
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused:
        raise Refusal("paused")
    assert table.position is not None
    if table.position.turn_seat != seat:
        raise Refusal("not_your_turn")
    if request.command.version < table.position_seq:
        raise Refusal("stale")
    if not table.undo_stack:
        raise Refusal("undo_blocked" if table.is_undo_closed else "nothing_to_undo")
    return Decision("undo", seat, {})


def return_to_seat(table: Table, request: Request[cmd.ReturnToSeat], presence: Presence) -> Decision:
    seat = require_seat_in_play(table, request)
    if table.seats[seat].bot is None:
        raise Refusal("not_taken_over")
    return Decision("returned", seat, {})


def close_chat(table: Table, request: Request[cmd.CloseChat], presence: Presence) -> Decision:
    if table.host not in request.actor.ids:
        raise Refusal("not_host")
    seat = table.seat_of(request.actor.ids)
    return Decision("chat_closed", NO_SEAT if seat is None else seat, {"closed": request.command.closed})
