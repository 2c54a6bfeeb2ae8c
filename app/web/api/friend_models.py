"""Models of the API about friends. Times are milliseconds since 1970."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.store.people.friends import Relation
from app.store.people.player_notes import MAX_NOTE_CHARS
from app.web.api.models import Body


class PersonName(BaseModel):
    """A person, with their present name."""

    id: str
    name: str


class TableOfFriend(BaseModel):
    """An unfinished table: the reader plays there, may take a seat, or may watch."""

    id: str
    preset: str
    way: Literal["play", "join", "watch"]
    seats: int
    taken: int


class FriendEntry(PersonName):
    """A friend, as far as they let friends see them."""

    since: int
    online: bool | None = Field(description="null if the friend does not show it")
    seen_at: int | None = Field(description="null if the friend does not show it, or it is too long ago")
    note: str = Field(description="the reader's own note about them")
    tables: list[TableOfFriend]


class FriendRequestEntry(PersonName):
    """A request, with the other person of it."""

    at: int


class InvitationEntry(BaseModel):
    """An invitation of the reader to an open table."""

    game: str
    preset: str
    by: PersonName
    at: int


class Visibility(Body):
    """What friends may see: that one is online and where one plays, and when one was last seen."""

    online: bool = False
    seen: bool = False


class FriendLists(BaseModel):
    """Everything on the page of friends but the scores."""

    friends: list[FriendEntry]
    requests: list[FriendRequestEntry] = Field(description="that wait for the reader's answer")
    sent: list[FriendRequestEntry]
    invitations: list[InvitationEntry]
    visibility: Visibility


class FriendScore(BaseModel):
    """The reader's results against a friend, in all games that both finished."""

    played: int
    won: int
    lost: int


class FriendScores(BaseModel):
    """Scores by the id of the friend."""

    scores: dict[str, FriendScore]


class RelationEntry(BaseModel):
    """The reader's relation to a person, by the id that was asked for."""

    relation: Relation
    can_ask: bool = Field(
        description="false for guests, for oneself and for people whom the reader has blocked"
    )


class Relations(BaseModel):
    """Relations by the id of the person; unknown people are left out."""

    relations: dict[str, RelationEntry]


class NewRelation(BaseModel):
    """The relation after a request."""

    relation: Relation


class OwnTable(BaseModel):
    """An open table with a free seat at which the reader sits, and to which they can invite."""

    id: str
    title: str
    preset: str
    seats: int
    taken: int


class EarlierTable(BaseModel):
    """The last table at which both played."""

    id: str
    preset: str
    seats: int
    company: list[str]


class TablesToShare(BaseModel):
    """Tables to which a friend can be invited, and the last one with them, which can be opened again."""

    open: list[OwnTable]
    last: EarlierTable | None


class Note(Body):
    """A private note about a person. An empty text deletes it."""

    text: Annotated[str, Field(max_length=MAX_NOTE_CHARS)]


class StoredNote(BaseModel):
    """The note as it is stored; empty if there is none."""

    text: str
