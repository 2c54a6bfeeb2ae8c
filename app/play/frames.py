"""Frames from the server: one struct each, with its fields in the order in which they are written.

docs/protocol.md explains them (§3 and §4 the frames, §5 the blocks), and tests/docs compares the two. A field that is
UNSET is left out; None is written as null. The `events` frames of an action are assembled from bytes for each audience
(audience_frames.py); tests decode all frames of whole games into these structs.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

Json = dict[str, Any]
"""An object of another format: views, events, actions and options of docs/interchange.md, rows of the lobby."""


class _Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    pass


class ClockBlock(_Block, frozen=True, kw_only=True):
    left: list[int]
    running: list[int]
    at: int


class SeatBlock(_Block, frozen=True, kw_only=True):
    person: str | None
    name: str | None
    colour: str | None
    ready: bool
    bot: str | None
    absent: bool
    reserved: str | None


class SealRoundBlock(_Block, frozen=True, kw_only=True):
    """A start that waits for seals to be opened."""

    seq: int
    order: list[int]
    options: Json
    bots: list[str | None]
    seals: list[str | None]
    nonces: list[str | None]
    asked: bool
    until: int


class SeriesBlock(_Block, frozen=True, kw_only=True):
    """The series of a table made for a rematch."""

    after: str
    wins: list[int] | None
    begins: int | None


class ScreenBlock(_Block, frozen=True, kw_only=True):
    """The automatic start of a table opened from a screen."""

    begins: int | None


class RatedBlock(_Block, frozen=True, kw_only=True):
    """The rating of a table: its pool, and whether the game counts with the people who have seats now."""

    pool: str
    counts: bool


class TableBlock(_Block, frozen=True, kw_only=True):
    """The public state of a table."""

    id: str
    title: str
    status: str
    options: Json
    rules_version: int
    visibility: str
    locked: bool
    spectators: bool
    clock: Json
    on_timeout: str
    absence: int
    hints: bool
    pace: int
    bot_level: str
    host: str
    commitment: str
    server_seed: str | None
    scheme: int
    nonces: list[str | None]
    seals: list[str | None] | UnsetType = UNSET
    opening: SealRoundBlock | UnsetType | None = UNSET
    void_rounds: int | UnsetType = UNSET
    void_why: str | UnsetType | None = UNSET
    seats: list[SeatBlock]
    consents: dict[str, list[int]]
    votes: dict[str, dict[str, str]]
    paused: bool
    chat_closed: bool
    result: Json | None
    next: str | None
    next_commitment: str | None
    closed_why: str | UnsetType = UNSET
    removed_until: int | UnsetType = UNSET
    deal: str | UnsetType = UNSET
    series: SeriesBlock | UnsetType = UNSET
    screen: ScreenBlock | UnsetType = UNSET
    rated: RatedBlock | UnsetType = UNSET


class YouInRoom(_Block, frozen=True, kw_only=True):
    """The receiving client in a room."""

    person: str | None
    name: str | None
    seat: int | None
    muted: list[str]
    removed: bool | UnsetType = UNSET
    removed_until: int | UnsetType = UNSET


class YourSeat(_Block, frozen=True, kw_only=True):
    seat: int | None


class YouInLobby(_Block, frozen=True, kw_only=True):
    person: str | None
    name: str | None


class ServerFrame(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="t", gc=False
):
    """One message of the server."""

    @property
    def version(self) -> int | None:
        """The version of the room that a client has after this frame; None if the frame does not change it."""
        return None


class _VersionedFrame(ServerFrame, frozen=True, kw_only=True):
    seq: int
    at: int

    @property
    def version(self) -> int:
        return self.seq


class Welcome(ServerFrame, frozen=True, kw_only=True, tag="welcome"):
    v: int
    game: str
    seq: int
    now: int
    resumed: bool
    you: YouInRoom
    presets: tuple[str, ...]


class State(_VersionedFrame, frozen=True, kw_only=True, tag="state"):
    you: YourSeat
    table: TableBlock
    view: Json | None
    clock: ClockBlock | None
    choices: msgspec.Raw | UnsetType = UNSET
    undo: bool | UnsetType = UNSET


class Events(_VersionedFrame, frozen=True, kw_only=True, tag="events"):
    events: list[Json]
    by: str | UnsetType = UNSET
    clock: ClockBlock | UnsetType = UNSET
    table: TableBlock | UnsetType = UNSET
    choices: list[Json] | UnsetType = UNSET
    undo: bool | UnsetType = UNSET
    ack: str | UnsetType = UNSET


class TableChange(_VersionedFrame, frozen=True, kw_only=True, tag="table"):
    kind: str
    seat: int | UnsetType = UNSET
    why: str | UnsetType = UNSET
    removed_until: int | UnsetType = UNSET
    you: YourSeat
    table: TableBlock
    view: Json | UnsetType | None = UNSET
    clock: ClockBlock | UnsetType | None = UNSET
    choices: msgspec.Raw | UnsetType = UNSET
    undo: bool | UnsetType = UNSET
    ack: str | UnsetType = UNSET


class Ack(ServerFrame, frozen=True, kw_only=True, tag="ack"):
    ack: str
    seq: int | UnsetType = UNSET
    chat: int | UnsetType = UNSET


class Refused(ServerFrame, frozen=True, kw_only=True, tag="refused"):
    id: str | None
    code: str
    message: str
    why: str | UnsetType = UNSET
    params: dict[str, str | int] | UnsetType = UNSET
    seq: int | UnsetType = UNSET
    state: State | UnsetType = UNSET


class Chat(ServerFrame, frozen=True, kw_only=True, tag="chat"):
    n: int
    at: int
    channel: str
    person: str | UnsetType = UNSET
    name: str | UnsetType | None = UNSET
    seat: int | UnsetType | None = UNSET
    text: str | UnsetType = UNSET
    preset: str | UnsetType = UNSET


class Presence(ServerFrame, frozen=True, kw_only=True, tag="presence"):
    seats: list[bool | None]
    watching: int
    away: dict[str, int]


class Hint(ServerFrame, frozen=True, kw_only=True, tag="hint"):
    seq: int
    action: Json
    why: str
    params: Json
    ack: str


class Why(ServerFrame, frozen=True, kw_only=True, tag="why"):
    """The refusal that a click comes nearest to: fields as in `refused`."""

    ack: str
    code: str
    message: str
    why: str | UnsetType = UNSET
    params: dict[str, str | int] | UnsetType = UNSET


class Pong(ServerFrame, frozen=True, kw_only=True, tag="pong"):
    n: int
    now: int


class Bye(ServerFrame, frozen=True, kw_only=True, tag="bye"):
    code: str
    message: str


class LobbyWelcome(ServerFrame, frozen=True, kw_only=True, tag="welcome"):
    v: int
    now: int
    you: YouInLobby


class LobbyLists(ServerFrame, frozen=True, kw_only=True, tag="lobby"):
    open: list[Json]
    watch: list[Json]
    mine: list[Json]
    people: int


class LobbyRow(ServerFrame, frozen=True, kw_only=True, tag="room"):
    list: Literal["open", "watch", "mine"]
    room: Json


class LobbyGone(ServerFrame, frozen=True, kw_only=True, tag="gone"):
    list: Literal["open", "watch", "mine"]
    id: str


GameFrame = Welcome | State | Events | TableChange | Ack | Refused | Chat | Presence | Hint | Why | Pong | Bye
LobbyFrame = LobbyWelcome | LobbyLists | LobbyRow | LobbyGone | Pong | Refused | Bye

encode = msgspec.json.Encoder().encode


class Frame(msgspec.Struct, gc=False, eq=False):
    """The bytes of one message, encoded once and shared by all sockets that receive it.

    `seq` is the version of the room that a client has after it, and the event id in streams.
    """

    payload: bytes
    seq: int | None = None

    def __repr__(self) -> str:
        return f"Frame({len(self.payload)} bytes)"  # never the text: it may contain a hand, and logs are not secret


def encode_frame(message: ServerFrame) -> Frame:
    return Frame(encode(message), message.version)
