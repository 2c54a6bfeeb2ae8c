"""From a command to the entry it would make: each is decided on the present table, or refused with a code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.allowance import check_change
from app.play.commands.proposal import Proposal
from app.play.commands.seating import DECISIONS as SEATING
from app.play.commands.votes import consent, playing, vote
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.rules import RuleError

__all__ = ["propose"]


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
    said = command.as_json() if known is None else known[1]
    kind = said.get("type")
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused and kind != "resign":
        raise Refusal("paused")
    clocks = table.clocks
    if clocks is not None and kind != "resign" and clocks.is_late(seat, asked.received):
        raise Refusal("time_up")
    try:
        action = rules.action_from_json(said) if known is None else known[0]
        # What is owed and resigning are decided on the present position, whatever the sender saw.
        if command.version < table.moved and kind not in ("resign", "discard"):
            raise Refusal("stale")
        asked.position, asked.events = table.try_action(seat, action)
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
