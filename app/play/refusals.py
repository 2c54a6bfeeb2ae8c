"""Refusals of rooms: a stable code and a sentence a player can act on. What is refused changed nothing, but for
what is Unconfirmed.

Refusal            everything a room refuses, by code
├── NotAdmitted    the viewer may not be in this room at all; the socket closes after it
├── Raced          `try_again` because others were faster again and again; nothing is wrong with the server
└── Unconfirmed    `try_again` because the store did not say whether it has it: it may have been done
"""

from __future__ import annotations

from typing import Any

from app.rules.core.errors import Param, RuleError

SENTENCES: dict[str, str] = {
    "bad_message": "The server did not understand this message.",
    "too_fast": "That was too much at once; wait a moment.",
    "hello_first": "Say hello first.",
    "password_required": "There is no such table, or it needs a password.",
    "password_wrong": "That is not its password, or there is no such table.",
    "not_locked": "This table has no password.",
    "no_spectators": "This table does not want to be watched.",
    "no_session": "Choose a name first.",
    "banned": "You are shut out from this site.",
    "blocked": "Somebody at this table does not want to play with you.",
    "id_taken": "This command id is in use; make a new one.",
    "not_seated": "You do not sit at this table.",
    "bad_seat": "There is no such seat for this.",
    "seat_taken": "That seat is taken.",
    "no_free_seat": "The table is full.",
    "bad_nonce": "A nonce has 32 digits from 0-9 and a-f.",
    "bad_seal": "A seat here is sealed: send a seal of 64 digits from 0-9 and a-f, and no nonce.",
    "seal_used": "This seal has been used; make a new one.",
    "not_sealed": "Somebody's browser has not sealed its part yet; try again in a moment.",
    "opening": "The game is about to begin; wait a moment.",
    "not_opening": "No start is waiting for this.",
    "wrong_nonce": "This nonce does not fit the seal of this seat.",
    "already_open": "This seat has opened already.",
    "no_seals": "Seats at this table are not sealed.",
    "missed_twice": "This table has waited for you twice in vain; sit down at another one.",
    "bad_colour": "There is no such colour.",
    "colour_taken": "Somebody else has that colour.",
    "bad_level": "There is no such bot.",
    "not_host": "Only the host may do this.",
    "sit_to_begin": "Take a seat first: only somebody who plays can begin the game.",
    "too_few": "At least two seats must be filled.",
    "not_ready": "Not everybody is ready.",
    "bad_options": "These options do not fit.",
    "started": "The game has begun.",
    "not_started": "The game has not begun.",
    "stale": "The table has moved on; look again.",
    "not_your_turn": "It is not your turn.",
    "illegal": "The rules do not allow this now.",
    "bad_action": "That is not an action.",
    "game_over": "The game is over.",
    "paused": "The game is paused.",
    "not_paused": "The game is not paused.",
    "time_up": "Your time had run out.",
    "bot_plays": "A bot plays your seat; take it back first.",
    "nothing_to_undo": "There is nothing to take back.",
    "undo_blocked": "Something has become known since; that cannot be taken back.",
    "not_absent": "Nobody is absent at that seat.",
    "not_taken_over": "No bot plays your seat.",
    "not_over": "Only after the game.",
    "deal_sealed": "This is a game of the deal of the day: it is shown when that day is over, at midnight UTC.",
    "deal_alone": "A deal of the day is played alone and has no rematch.",
    "deal_unplayed": "Play this deal first: then you see how the others played it.",
    "no_hints": "This table plays without hints.",
    "chat_closed": "The host has closed the chat.",
    "bad_text": "Write between 1 and 300 characters of plain text.",
    "unknown_person": "Nobody here is called that.",
    "closed": "This table was closed.",
    "no_change": "It is like that already.",
    "too_many_changes": "Too much has been changed at this table; play on, or open a new one.",
    "chat_too_fast": "You write too fast; wait a moment before the next line.",
    "hint_too_fast": "You have asked for many hints; wait a moment before the next one.",
    "mute_too_fast": "You have muted and unmuted too often; wait a moment.",
    "password_too_fast": "You have changed the password too often; wait a moment.",
    "too_many_rooms": "You have opened as many tables as you may; finish or leave one first.",
    "try_again": "The server could not answer that just now; try again in a moment.",
}


class Refusal(Exception):
    """A command was refused. `why` and `params` where it was the rules that did, or its outcome is not known."""

    def __init__(
        self,
        code: str,
        message: str | None = None,
        why: str | None = None,
        params: dict[str, Param] | None = None,
    ) -> None:
        self.code = code
        self.message = message or SENTENCES[code]
        self.why = why
        self.params = params or {}
        super().__init__(f"{code}: {self.message}")

    @classmethod
    def by_rules(cls, error: RuleError) -> Refusal:
        return cls(error.code, error.message, error.why, error.params)

    def as_json(self) -> dict[str, Any]:
        """What a program is told of it, and a page makes its reader's sentence from."""
        return refusal_json(self.code, self.message, self.why, self.params)


def refusal_json(code: str, message: str, why: str | None, params: dict[str, Param]) -> dict[str, Any]:
    """The same in a frame and over HTTP."""
    told: dict[str, Any] = {"code": code, "message": message}
    if why is not None:
        told |= {"why": why, "params": params}
    return told


class NotAdmitted(Refusal):
    """This viewer may not be in this room."""


class Raced(Refusal):
    """Others were faster, each time."""

    def __init__(self) -> None:
        super().__init__("try_again")


class Unconfirmed(Refusal):
    """It may be on disk, or not: nobody is told that nothing was done."""

    def __init__(self) -> None:
        super().__init__(
            "try_again",
            "It is not certain whether this was done. A command sent again with its id counts once; "
            "look first at anything else.",
            "unconfirmed",
        )
