"""Messages from clients: one struct each, decoded and validated by msgspec in one step."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
import orjson
from msgspec import Meta

from app.play.refusals import Refusal

# Two kinds of text must be refused on receipt, because they would fail only when stored: lone surrogates cannot be
# encoded as UTF-8, and PostgreSQL stores no NUL. msgspec and orjson refuse surrogates; NULs are found here.
# These match an escaped NUL whose backslash is not itself escaped. An unescaped NUL is invalid JSON.
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_ESCAPED_NUL_BYTES = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(text: bytes | str) -> bool:
    """Return whether a string in this JSON contains a NUL."""
    if isinstance(text, bytes):
        # Not `in`: CPython first tries the bytes as a number, and formats a TypeError that it discards.
        return text.find(b"\\u0000") >= 0 and _ESCAPED_NUL_BYTES.search(text) is not None
    return "\\u0000" in text and _ESCAPED_NUL.search(text) is not None


def parse_json(body: bytes) -> Any:
    """Parse JSON without NULs. Raises json.JSONDecodeError."""
    if has_nul(body):
        raise orjson.JSONDecodeError("a string holds a NUL character", "", 0)
    return orjson.loads(body)


CommandId = Annotated[str, Meta(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+\Z")]
NonNegativeInt = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=9)]
ShortText = Annotated[str, Meta(max_length=64)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", gc=False):
    pass


class _Command(_Message, frozen=True):
    id: CommandId


class Hello(_Message, frozen=True, tag="hello"):
    v: int
    seq: NonNegativeInt | None = None
    chat: NonNegativeInt | None = None
    password: Annotated[str, Meta(max_length=100)] | None = None
    watch: bool = False
    """Watch only: a signed-in client receives a spectator's frames and cannot send commands."""


class Ping(_Message, frozen=True, tag="ping"):
    n: NonNegativeInt


class StillHere(_Message, frozen=True, tag="here"):
    pass


class Why(_Message, frozen=True, tag="why"):
    """Asks why a click does nothing: on the card, or on the place, player or supply while card or pirate is selected.

    Answered with a `why` frame; never logged.
    """

    id: CommandId
    card: ShortText | None = None
    pirate: NonNegativeInt | ShortText | None = None
    """Where the selected pirate stands."""
    place: NonNegativeInt | ShortText | None = None
    player: SeatNumber | None = None
    supply: bool = False
    power: bool = False


class Act(_Command, frozen=True, tag="act"):
    version: NonNegativeInt
    action: msgspec.Raw
    """A JSON object as the client wrote it; nearly always the exact text of a choice that it was sent."""

    @classmethod
    def from_json(cls, command: str, version: int, action: dict[str, Any]) -> Act:
        return cls(id=command, version=version, action=msgspec.Raw(msgspec.json.encode(action)))

    def as_json(self) -> dict[str, Any]:
        """Return the action as a dictionary. Raises Refusal."""
        try:
            return _object_decoder.decode(self.action)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Refusal("bad_message") from None


class Undo(_Command, frozen=True, tag="undo"):
    version: NonNegativeInt


class Sit(_Command, frozen=True, tag="sit"):
    seal: ShortText | None = None
    seat: SeatNumber | None = None
    colour: ShortText | None = None


class Seal(_Command, frozen=True, tag="seal"):
    """Replaces the seal of one's own seat."""

    seal: ShortText


class OpenSeal(_Command, frozen=True, tag="open"):
    """Reveals the nonce under the frozen seal; `next_seal` is used if this round is voided."""

    nonce: ShortText
    next_seal: ShortText


class VoidRound(_Command, frozen=True, tag="void"):
    """Voids the round because the client has lost its nonce."""

    next_seal: ShortText


class StandUp(_Command, frozen=True, tag="stand"):
    pass


class ChangeColour(_Command, frozen=True, tag="colour"):
    colour: ShortText


class SetReady(_Command, frozen=True, tag="ready"):
    ready: bool


class Start(_Command, frozen=True, tag="start"):
    pass


class RemoveFromSeat(_Command, frozen=True, tag="remove"):
    seat: SeatNumber


class Readmit(_Command, frozen=True, tag="readmit"):
    """Lets everyone whom the host has removed sit down again."""


class SeatBot(_Command, frozen=True, tag="bot"):
    level: ShortText
    seat: SeatNumber | None = None


class HandOverHost(_Command, frozen=True, tag="host"):
    """Hands the host role over to another seat."""

    seat: SeatNumber


class Consent(_Command, frozen=True, tag="consent"):
    to: Literal["pause", "continue"]
    yes: bool


class Vote(_Command, frozen=True, tag="vote"):
    seat: SeatNumber
    choice: Literal["wait", "bot", "end"]


class ReturnToSeat(_Command, frozen=True, tag="return"):
    pass


class Rematch(_Command, frozen=True, tag="rematch"):
    pass


class AskForHint(_Command, frozen=True, tag="hint"):
    version: NonNegativeInt


class Chat(_Command, frozen=True, tag="chat"):
    text: Annotated[str, Meta(max_length=2000)] | None = None
    preset: ShortText | None = None


class Mute(_Command, frozen=True, tag="mute"):
    person: ShortText
    on: bool


class SetPace(_Command, frozen=True, tag="pace"):
    """Sets the pace of the room's bots; never logged (bot_pace.py says who may)."""

    pace: Literal["slow", "normal", "fast", "skip"]


class CloseTable(_Command, frozen=True, tag="close"):
    """Closes the table before the game begins."""


class NewPassword(_Command, frozen=True, tag="password"):
    """Replaces the password of a table that has one."""

    password: Annotated[str, Meta(pattern=r"\S", max_length=100)]


class CloseChat(_Command, frozen=True, tag="close_chat"):
    closed: bool


LogCommand = (
    Act
    | Undo
    | Sit
    | StandUp
    | ChangeColour
    | SetReady
    | Start
    | Seal
    | OpenSeal
    | VoidRound
    | RemoveFromSeat
    | Readmit
    | SeatBot
    | HandOverHost
    | Consent
    | Vote
    | ReturnToSeat
    | Rematch
    | AskForHint
    | CloseChat
    | CloseTable
    | NewPassword
)
Command = LogCommand | Chat | Mute | SetPace
Message = Command | Hello | Ping | StillHere | Why

_message_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_object_decoder: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def decode(frame: bytes | str) -> Message:
    """Decode the message in a frame. Raises Refusal `bad_message` with a sentence that says what is wrong."""
    if has_nul(frame):
        raise Refusal("bad_message", "The server did not understand this: a text contains a NUL character.")
    try:
        message = _message_decoder.decode(frame)
        if type(message) is Act and bytes(message.action)[:1] != b"{":
            _object_decoder.decode(message.action)  # raises, with a sentence
        return message
    except msgspec.DecodeError as problem:  # ValidationError is one of these
        raise Refusal("bad_message", f"The server did not understand this: {problem}.") from None
    except (UnicodeError, RecursionError):
        raise Refusal("bad_message") from None


class _NameAndId(msgspec.Struct, frozen=True):
    do: Any = None
    id: Any = None


_name_and_id_decoder: msgspec.json.Decoder[_NameAndId] = msgspec.json.Decoder(_NameAndId)
_PRINTABLE_WORD = re.compile(r"[!-~]{1,64}\Z")


def read_name_and_id(frame: bytes | str) -> tuple[str | None, str | None]:
    """Return `do` and `id` of a frame that could not be decoded, so that the refusal can name it.

    An invalid id (too short, or with a character that is not allowed) is returned too; one that is not printable ASCII
    or longer than 64 characters is not.
    """
    try:
        found = _name_and_id_decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None, None
    do, command = (
        value if isinstance(value, str) and _PRINTABLE_WORD.match(value) else None
        for value in (found.do, found.id)
    )
    return do, command


def list_message_names() -> tuple[str, ...]:
    """Return every value of `do` on the game socket."""
    return tuple(str(kind.__struct_config__.tag) for kind in Message.__args__)
