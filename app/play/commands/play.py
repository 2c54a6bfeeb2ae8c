"""From a command to the entry it would make: each is decided on the present table, or refused with a code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.allowance import check_change
from app.play.commands.draft import Draft, Scene, seated
from app.play.commands.seating import DECISIONS as SEATING
from app.play.commands.votes import after_verdict, may_continue, verdict, voters
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.rules import RuleError

__all__ = ["decide"]


def decide(table: Table, scene: Scene, command: cmd.LogCommand) -> Draft:
    """The entry this command makes now; raises Refusal. Nothing changes."""
    if table.status == "closed":
        raise Refusal("closed")
    draft = _DECISIONS[type(command)](table, scene, command)
    if draft.kind != "action":
        check_change(table, scene, command, draft)
    return draft


def _playing(table: Table, scene: Scene) -> int:
    """The asker's seat in a running game."""
    seat = seated(scene)
    if table.status == "open":
        raise Refusal("not_started")
    if table.is_over:
        raise Refusal("game_over")
    return seat


def _act(table: Table, scene: Scene, command: cmd.Act) -> Draft:
    seat = _playing(table, scene)
    rules = table.rules
    known = rules.spoken(table.position, bytes(command.action))
    said = command.said() if known is None else known[1]
    kind = said.get("type")
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_paused and kind != "resign":
        raise Refusal("paused")
    clocks = table.clocks
    if clocks is not None and kind != "resign" and clocks.is_late(seat, scene.received):
        raise Refusal("time_up")
    try:
        action = rules.action_from_json(said) if known is None else known[0]
        # What is owed and resigning are decided on the present position, whatever the sender saw.
        if command.version < table.moved and kind not in ("resign", "discard"):
            raise Refusal("stale")
        return Draft("action", seat, {"action": said}, step=table.try_action(seat, action))
    except RuleError as refused:
        raise Refusal.by_rules(refused) from refused


def _undo(table: Table, scene: Scene, command: cmd.Undo) -> Draft:
    seat = _playing(table, scene)
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
    return Draft("undo", seat, {})


def _having_a_say(table: Table, scene: Scene) -> int:
    """The asker's seat, if they still play it themselves."""
    seat = _playing(table, scene)
    if table.seats[seat].bot is not None:
        raise Refusal("bot_plays")
    if table.is_resigned(seat):
        raise Refusal("not_seated", "You have resigned this game.")
    return seat


def _consent(table: Table, scene: Scene, command: cmd.Consent) -> Draft:
    seat = _having_a_say(table, scene)
    if command.to == "pause" and table.is_paused:
        raise Refusal("paused")
    if command.to == "continue" and not table.is_paused:
        raise Refusal("not_paused")
    agreed = table.consents.get(command.to, set()) | {seat}
    present = {*scene.present(), seat} if command.to == "continue" else set(table.people())
    if command.yes and may_continue(table, agreed, present):
        return Draft("paused" if command.to == "pause" else "continued", seat, {"agreed": sorted(agreed)})
    return Draft("consent", seat, {"to": command.to, "yes": command.yes})


def _vote(table: Table, scene: Scene, command: cmd.Vote) -> Draft:
    seat = _having_a_say(table, scene)
    about = command.seat
    if about >= len(table.seats):
        raise Refusal("bad_seat")
    if not table.seats[about].absent or about == seat:
        raise Refusal("not_absent")
    if table.is_paused:
        raise Refusal("paused")
    entitled = voters(table, scene.present()) | {seat}
    votes = {voter: choice for voter, choice in table.votes.get(about, {}).items() if voter in entitled}
    votes[seat] = command.choice
    if verdict(votes, entitled) != command.choice:
        return Draft("voted", seat, {"about": about, "choice": command.choice})
    return after_verdict(table, seat, about, command.choice, votes, "person")


def _return(table: Table, scene: Scene, command: cmd.Return) -> Draft:
    seat = _playing(table, scene)
    if table.seats[seat].bot is None:
        raise Refusal("not_taken_over")
    return Draft("returned", seat, {})


def _close_chat(table: Table, scene: Scene, command: cmd.CloseChat) -> Draft:
    if table.host not in scene.actor.ids:
        raise Refusal("not_host")
    return Draft("chat_closed", NOBODY if scene.seat is None else scene.seat, {"closed": command.closed})


_DECISIONS: dict[type, Callable[[Table, Scene, Any], Draft]] = {
    cmd.Act: _act,
    cmd.Undo: _undo,
    cmd.Consent: _consent,
    cmd.Vote: _vote,
    cmd.Return: _return,
    cmd.CloseChat: _close_chat,
    **SEATING,
}
