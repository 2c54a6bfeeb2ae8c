"""Dispatch of commands: the one place that maps a command to its handler."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, assert_never

from app.play.blocked_people import BlockedPeople, list_other_players
from app.play.commands import messages as cmd
from app.play.commands import play, sealing, seating
from app.play.commands.request import Ack, CommandT, Decider, Decision, Request
from app.play.hint import give_hint
from app.play.log.entries import Entry, GameRow
from app.play.log.table import Table
from app.play.new_password import set_new_password
from app.play.outcome import Outcome
from app.play.ports import Actor, StoreUnavailable
from app.play.presence import Presence
from app.play.queues import describe_error
from app.play.refusals import Refusal, Unconfirmed
from app.play.rematch import create_rematch
from app.play.room import chat
from app.play.room.room import Room
from app.play.room.rooms import PresenceBroadcast
from app.play.room.submit import submit
from app.play.table_passwords import TablePasswords
from app.play.tasks import Tasks

_log = logging.getLogger("cartagena.room")
_MAX_SIT_CHECKS = 8  # one is repeated for each person who sits down meanwhile


class _NewcomersAtTable(Exception):
    """People whose blocks were not checked have sat down since."""


class Dispatcher:
    """Starts the commands of one worker's clients."""

    def __init__(
        self,
        tasks: Tasks,
        presence: PresenceBroadcast,
        passwords: TablePasswords,
        blocked_people: BlockedPeople,
        announce: Callable[[GameRow, Entry, int | None], None],
        new_table_version: int,
        secret: str,
    ) -> None:
        self._tasks = tasks
        self._presence = presence
        self._passwords = passwords
        self._blocked_people = blocked_people
        self._announce = announce
        self.new_table_version = new_table_version
        self._secret = secret
        # Raises Refusal when a limit is exceeded; actions are limited by the frame.
        self.check_limits: Callable[[Actor, cmd.Command], None] = lambda actor, command: None

    def submit(self, room: Room, actor: Actor, command: cmd.Command, received: int) -> Outcome[Ack]:
        """Start a command. The outcome is its ack, or the Refusal."""
        if not actor.ids:
            return Outcome.failed(Refusal("no_session"))
        if isinstance(command, cmd.Act):
            return submit(room, Request(actor, command, received), play.act)
        try:
            self.check_limits(actor, command)
        except Refusal as refusal:
            return Outcome.failed(refusal)
        match command:
            case cmd.Undo():
                return _submit_change(room, Request(actor, command, received), play.undo)
            case cmd.Sit():
                return self._start(self._sit(room, Request(actor, command, received)))
            case cmd.StandUp():
                return _submit_change(room, Request(actor, command, received), seating.stand_up)
            case cmd.ChangeColour():
                return _submit_change(room, Request(actor, command, received), seating.change_colour)
            case cmd.SetReady():
                return _submit_change(room, Request(actor, command, received), seating.set_ready)
            case cmd.RemoveFromSeat():
                return _submit_change(room, Request(actor, command, received), seating.remove_from_seat)
            case cmd.SeatBot():
                return _submit_change(room, Request(actor, command, received), seating.seat_bot)
            case cmd.Readmit():
                return _submit_change(room, Request(actor, command, received), seating.readmit)
            case cmd.HandOverHost():
                return _submit_change(room, Request(actor, command, received), seating.hand_over_host)
            case cmd.CloseTable():
                return _submit_change(room, Request(actor, command, received), seating.close_table)
            case cmd.Start():
                return _submit_change(room, Request(actor, command, received), seating.start_game)
            case cmd.Seal():
                return _submit_change(room, Request(actor, command, received), sealing.replace_seal)
            case cmd.OpenSeal():
                return _submit_change(room, Request(actor, command, received), sealing.open_seal)
            case cmd.VoidRound():
                return _submit_change(room, Request(actor, command, received), sealing.void_round)
            case cmd.Consent():
                return _submit_change(room, Request(actor, command, received), play.consent)
            case cmd.Vote():
                return _submit_change(room, Request(actor, command, received), play.vote)
            case cmd.ReturnToSeat():
                return _submit_change(room, Request(actor, command, received), play.return_to_seat)
            case cmd.CloseChat():
                return _submit_change(room, Request(actor, command, received), play.close_chat)
            case cmd.Rematch():
                request = Request(actor, command, received)
                return self._start(
                    create_rematch(room, request, self.new_table_version, self._secret, self._announce)
                )
            case cmd.AskForHint():
                return self._start(give_hint(room, Request(actor, command, received)))
            case cmd.NewPassword():
                return self._start(set_new_password(room, Request(actor, command, received), self._passwords))
            case cmd.Chat():
                return self._start(chat.write_line(room, actor, command, received))
            case cmd.Mute():
                return self._start(chat.set_mute(room, actor, command))
            case cmd.SetPace():
                return self._start(self._pace(room, actor, command, received))
            case _:
                assert_never(command)

    def _start(self, work: Coroutine[Any, Any, Ack]) -> Outcome[Ack]:
        """Run a command in a task, which continues if the caller stops waiting."""
        outcome = Outcome[Ack]()
        self._tasks.start(work).add_done_callback(partial(_settle_outcome, outcome))
        return outcome

    async def _pace(self, room: Room, actor: Actor, command: cmd.SetPace, received: int) -> Ack:
        room.presence.pace_settings.choose(room.table, actor.ids, command.pace, received)
        room.mark_active(actor, received)
        self._presence.mark_changed(room, is_local=True)
        await room.reschedule()
        return Ack(room.table.seq, False)

    async def _sit(self, room: Room, request: Request[cmd.Sit]) -> Ack:
        """Sit down unless a player at the table has blocked the person, also one who sits down at the same time."""
        checked: list[str] = []

        def decide(table: Table, request: Request[cmd.Sit], presence: Presence) -> Decision:
            if not set(list_other_players(table, request.actor)) <= set(checked):
                raise _NewcomersAtTable
            return seating.sit(table, request, presence)

        for _ in range(_MAX_SIT_CHECKS):
            checked = await self._blocked_people.require_welcome(room.table, request.actor, checked)
            try:
                return await _submit_change(room, request, decide)
            except _NewcomersAtTable:
                continue
        raise Refusal("try_again")


def _submit_change(room: Room, request: Request[CommandT], decide: Decider[CommandT]) -> Outcome[Ack]:
    """Submit a command that writes an entry other than an action."""
    return submit(room, request, partial(play.decide_change, decide))


def _settle_outcome(outcome: Outcome[Ack], task: asyncio.Task[Ack]) -> None:
    # A task is cancelled only when the server closes.
    problem = Refusal("try_again") if task.cancelled() else task.exception()
    if problem is None:
        outcome.settle(task.result())
        return
    outcome.fail(Unconfirmed() if isinstance(problem, StoreUnavailable) else problem)
    if outcome.is_abandoned and not isinstance(problem, Refusal | StoreUnavailable):
        _log.error("a command failed after its client had disconnected: %s", describe_error(problem))
