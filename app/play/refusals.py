"""Refusals of rooms: a stable code and a sentence that a player can act on.

Refusal            a command was refused; nothing has changed
├── NotAdmitted    the client may not enter this room; its socket closes
├── LostRaces      `try_again` because other workers were faster several times in a row
└── Unconfirmed    `try_again` because the store did not confirm the command, which may have been stored
"""

from __future__ import annotations

from typing import Any

from app.rules.core.errors import Param, RuleError

SENTENCES: dict[str, str] = {
    "bad_message": "The server did not understand this message.",
    "too_fast": "You are going too fast; wait a moment.",
    "hello_first": "Say hello first.",
    "password_required": "We can't find this table, or it needs a password. Check the link or ask for a new one.",
    "password_wrong": "That password is wrong, or there is no such table.",
    "not_locked": "This table has no password.",
    "no_spectators": "This table does not allow spectators.",
    "no_session": "Choose a name first.",
    "banned": "You are banned from this site.",
    "blocked": "Someone at this table does not want to play with you.",
    "id_taken": "This command id is in use; make a new one.",
    "not_seated": "You do not have a seat at this table.",
    "bad_seat": "There is no such seat.",
    "seat_taken": "That seat is taken.",
    "no_free_seat": "The table is full.",
    "removed": "The host has removed you. Wait ten minutes, or ask the host to let you sit down again.",
    "bad_nonce": "A nonce has 32 characters from 0-9 and a-f.",
    "bad_seal": "Seats at this table are sealed: send a seal of 64 characters from 0-9 and a-f, and no nonce.",
    "seal_used": "This seal has already been used; make a new one.",
    "not_sealed": "Another player's browser has not sealed its part yet; try again in a moment.",
    "opening": "The game is about to start; wait a moment.",
    "not_opening": "The game is not about to start.",
    "wrong_nonce": "This nonce does not match the seal of this seat.",
    "already_open": "This seat has already been opened.",
    "no_seals": "Seats at this table are not sealed.",
    "account_required": "This table is rated. Log in or create an account to sit down.",
    "missed_twice": "This table has already waited for you twice; join another one.",
    "bad_colour": "There is no such colour.",
    "colour_taken": "Another player has that colour.",
    "bad_level": "There is no such bot.",
    "not_host": "Only the host may do this.",
    "sit_to_begin": "Take a seat first: only a player can start the game.",
    "too_few": "At least two seats must be filled.",
    "not_ready": "Not everyone is ready.",
    "bad_options": "These options do not go together.",
    "started": "The game has already started.",
    "not_started": "The game has not started yet.",
    "stale": "The game has moved on; look again.",
    "not_your_turn": "It is not your turn.",
    "illegal": "The rules do not allow this now.",
    "bad_action": "That is not an action.",
    "game_over": "The game is over.",
    "paused": "The game is paused.",
    "not_paused": "The game is not paused.",
    "time_up": "Your time has run out.",
    "bot_plays": "A bot is playing for you; take your seat back first.",
    "nothing_to_undo": "There is nothing to undo.",
    "undo_blocked": "You cannot undo that: something has been revealed since.",
    "not_absent": "The player in that seat is not absent.",
    "not_taken_over": "No bot is playing for you.",
    "not_over": "You can do that only after the game.",
    "deal_sealed": "This game is part of a deal of the day. You can see it when that day is over, at midnight UTC.",
    "deal_alone": "You play a deal of the day alone, and it has no rematch.",
    "deal_unplayed": "Play this deal first; then you can see how others played it.",
    "no_hints": "This table does not allow hints.",
    "chat_closed": "The host has closed the chat.",
    "bad_text": "Write between 1 and 300 characters of plain text.",
    "unknown_person": "No one here has that name.",
    "closed": "This table was closed.",
    "no_change": "It is already like that.",
    "too_many_changes": "There have been too many changes at this table; play on, or create a new one.",
    "chat_too_fast": "You are writing too fast; wait a moment before your next message.",
    "hint_too_fast": "You have asked for many hints; wait a moment before the next one.",
    "mute_too_fast": "You have muted and unmuted too often; wait a moment.",
    "password_too_fast": "You have changed the password too often; wait a moment.",
    "too_many_rooms": "You already have as many tables as you are allowed; finish or leave one first.",
    "try_again": "The server could not do that just now; try again in a moment.",
}

# With `why` "listed": everybody knows that the table exists.
LISTED_SENTENCES = {
    "password_required": "This table needs a password.",
    "password_wrong": "That password is wrong.",
}


class Refusal(Exception):
    """A command was refused. `why` and `params` give details of the rules' reason; `why` also marks Unconfirmed
    and listed tables with a password."""

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
    def from_rule_error(cls, error: RuleError) -> Refusal:
        return cls(error.code, error.message, error.why, error.params)

    def as_json(self) -> dict[str, Any]:
        """Return the refusal for programs; pages translate it by code, `why` and `params`."""
        return refusal_json(self.code, self.message, self.why, self.params)


def refusal_json(code: str, message: str, why: str | None, params: dict[str, Param]) -> dict[str, Any]:
    """Return the JSON of a refusal, for frames and HTTP alike."""
    refusal: dict[str, Any] = {"code": code, "message": message}
    if why is not None:
        refusal |= {"why": why, "params": params}
    return refusal


class NotAdmitted(Refusal):
    """This client may not enter the room."""


class LostRaces(Refusal):
    """Other workers' entries won every race for the next number."""

    def __init__(self) -> None:
        super().__init__("try_again")


class Unconfirmed(Refusal):
    """The command may or may not be on disk."""

    def __init__(self) -> None:
        super().__init__(
            "try_again",
            "We do not know whether this was stored. Resending a command with the same id is safe; "
            "check first before you repeat anything else.",
            "unconfirmed",
        )
