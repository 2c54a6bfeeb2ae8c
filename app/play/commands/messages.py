"""What clients send: one small struct a message, decoded and checked by msgspec in one go."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
import orjson
from msgspec import Meta

from app.play.refusals import Refusal

# JSON that any part of the server and its store can hold: a lone surrogate cannot be written as UTF-8, and PostgreSQL
# stores no NUL. Either would be met first by whoever writes it down, far from the door. msgspec and orjson refuse the
# one by themselves; the other is looked for here.
# An escaped NUL whose own backslash is not escaped; an unescaped one is not JSON.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_NUL_BYTES = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def has_nul(text: bytes | str) -> bool:
    """Whether some string in this JSON holds a NUL."""
    if isinstance(text, str):
        return "\\u0000" in text and _NUL.search(text) is not None
    return b"\\u0000" in text and _NUL_BYTES.search(text) is not None


def read_json(body: bytes) -> Any:
    """What this JSON says; raises json.JSONDecodeError."""
    if has_nul(body):
        raise orjson.JSONDecodeError("a string holds a NUL character", "", 0)
    return orjson.loads(body)


Id = Annotated[str, Meta(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+\Z")]
Number = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=9)]
Short = Annotated[str, Meta(max_length=64)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", gc=False):
    pass


class _Command(_Message, frozen=True):
    id: Id


class Hello(_Message, frozen=True, tag="hello"):
    v: int
    seq: Number | None = None
    chat: Number | None = None
    password: Annotated[str, Meta(max_length=100)] | None = None
    watch: bool = False
    """Only to watch: whoever is signed in gets what a spectator gets, and may say nothing."""


class Ping(_Message, frozen=True, tag="ping"):
    n: Number


class Here(_Message, frozen=True, tag="here"):
    pass


class Act(_Command, frozen=True, tag="act"):
    version: Number
    action: msgspec.Raw
    """An object, in the sender's words: nearly always those of a choice, and known by them."""

    @classmethod
    def of(cls, command: str, version: int, action: dict[str, Any]) -> Act:
        return cls(id=command, version=version, action=msgspec.Raw(msgspec.json.encode(action)))

    def as_json(self) -> dict[str, Any]:
        """The action these words say; raises Refusal."""
        try:
            return _objects.decode(self.action)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Refusal("bad_message") from None


class Undo(_Command, frozen=True, tag="undo"):
    version: Number


class Sit(_Command, frozen=True, tag="sit"):
    seal: Short | None = None
    nonce: Short | None = None
    """Where seats are not sealed (`table.scheme` 1)."""
    seat: SeatNumber | None = None
    colour: Short | None = None


class Seal(_Command, frozen=True, tag="seal"):
    """Replaces the seal of the own seat."""

    seal: Short


class Open(_Command, frozen=True, tag="open"):
    """Shows the nonce under the frozen seal; the next seal is for a round that comes to nothing."""

    nonce: Short
    next_seal: Short


class Void(_Command, frozen=True, tag="void"):
    """The nonce is gone, with the browser that made it: the round is given up."""

    next_seal: Short


class Stand(_Command, frozen=True, tag="stand"):
    pass


class Colour(_Command, frozen=True, tag="colour"):
    colour: Short


class Ready(_Command, frozen=True, tag="ready"):
    ready: bool


class Start(_Command, frozen=True, tag="start"):
    pass


class Remove(_Command, frozen=True, tag="remove"):
    seat: SeatNumber


class Bot(_Command, frozen=True, tag="bot"):
    level: Short
    seat: SeatNumber | None = None


class Hand(_Command, frozen=True, tag="host"):
    """Hands the host role on."""

    seat: SeatNumber


class Consent(_Command, frozen=True, tag="consent"):
    to: Literal["pause", "continue"]
    yes: bool


class Vote(_Command, frozen=True, tag="vote"):
    seat: SeatNumber
    choice: Literal["wait", "bot", "end"]


class Return(_Command, frozen=True, tag="return"):
    pass


class Rematch(_Command, frozen=True, tag="rematch"):
    pass


class Hint(_Command, frozen=True, tag="hint"):
    version: Number


class Chat(_Command, frozen=True, tag="chat"):
    text: Annotated[str, Meta(max_length=2000)] | None = None
    preset: Short | None = None


class Mute(_Command, frozen=True, tag="mute"):
    person: Short
    on: bool


class Pace(_Command, frozen=True, tag="pace"):
    """How fast the bots of a room shall be, for whoever may say so; never written into the log."""

    pace: Literal["slow", "normal", "fast", "skip"]


class Close(_Command, frozen=True, tag="close"):
    """Gives the table up before it begins."""


class NewPassword(_Command, frozen=True, tag="password"):
    """Another password for a table that has one."""

    password: Annotated[str, Meta(min_length=1, max_length=100)]


class CloseChat(_Command, frozen=True, tag="close_chat"):
    closed: bool


LogCommand = (
    Act
    | Undo
    | Sit
    | Stand
    | Colour
    | Ready
    | Start
    | Seal
    | Open
    | Void
    | Remove
    | Bot
    | Hand
    | Consent
    | Vote
    | Return
    | Rematch
    | Hint
    | CloseChat
    | Close
    | NewPassword
)
Command = LogCommand | Chat | Mute | Pace
Message = Command | Hello | Ping | Here

_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_objects: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def decode(frame: bytes | str) -> Message:
    """The message in a frame; raises Refusal `bad_message` that says what is wrong with it."""
    if has_nul(frame):
        raise Refusal("bad_message", "The server did not understand this: a text holds a NUL character.")
    try:
        message = _decoder.decode(frame)
        if type(message) is Act and bytes(message.action)[:1] != b"{":
            _objects.decode(message.action)  # raises, with a sentence
        return message
    except msgspec.DecodeError as problem:  # ValidationError is one of these
        raise Refusal("bad_message", f"The server did not understand this: {problem}.") from None
    except (UnicodeError, RecursionError):
        raise Refusal("bad_message") from None


class _Named(msgspec.Struct, frozen=True):
    do: Any = None
    id: Any = None


_named: msgspec.json.Decoder[_Named] = msgspec.json.Decoder(_Named)
_SHOWABLE = re.compile(r"[!-~]{1,64}\Z")


def named(frame: bytes | str) -> tuple[str | None, str | None]:
    """`do` and `id` of a frame that is refused as a whole, so that its sender knows which one it was.

    An id that is itself what is wrong (too short, an odd character) is given back too; one that is no plain
    text, or longer than any id, is not.
    """
    try:
        found = _named.decode(frame)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None, None
    do, command = (
        value if isinstance(value, str) and _SHOWABLE.match(value) else None for value in (found.do, found.id)
    )
    return do, command


def message_names() -> tuple[str, ...]:
    """Every `do` of the game socket."""
    return tuple(str(kind.__struct_config__.tag) for kind in Message.__args__)
