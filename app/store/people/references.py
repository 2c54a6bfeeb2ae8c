"""All columns that hold a player's id, and what claiming, exporting and erasing do with their rows.

All three operations follow `REFERENCES`. A column of a new table needs one more line there;
tests/store/people/test_references.py walks the schema and fails if one is missing.

An account claims a guest by logging in on the guest's browser. Where both have settings, the account's settings win.
Rows that stay under the guest's id are found through `players.claimed_by`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Table,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.sql.expression import Select

from app.store.people.notice_checks import recheck_player
from app.store.people.player_notes import MAX_NOTE_CHARS
from app.store.people.player_rows import lock_present
from app.store.tables.deals import deal_tries
from app.store.tables.friends import friend_requests, friend_settings, friendships, player_notes
from app.store.tables.games import chat, games, log, mutes, queue_failures, seats
from app.store.tables.people import (
    accounts,
    audit,
    bans,
    blocks,
    erasures,
    game_switches,
    invitations,
    notices,
    outbox,
    players,
    push_subscriptions,
    recovery_codes,
    reports,
    resume_codes,
    sessions,
    tokens,
)
from app.store.tables.practice import mistake_searches, mistakes
from app.store.tables.ratings import rating_changes, rating_settings, ratings


class OnClaim(Enum):
    """What happens to a row of the guest when an account claims the guest."""

    MOVE = "gets the account's id; deleted if the account has a row with the same key"
    COPY = "stays, and is copied for the account"
    DELETE = "deleted"
    KEEP = "stays under the guest's id, which refers to the account"
    CUSTOM = "handled by a function of this module"


class OnErase(Enum):
    """What happens to a row of a person who is erased."""

    DELETE = "deleted immediately, and again when the erasure ends"
    BLANK = "stays with an empty id"
    STEPS = "personal data is removed in steps (erasure.py); the id stays but refers to nobody"
    KEEP = "stays"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that holds a player's id. `section` is the section of the export that lists its rows, if any."""

    column: Column[Any]
    on_claim: OnClaim
    on_erase: OnErase
    section: str | None

    @property
    def table(self) -> Table:
        table: Table = self.column.table
        return table


# In the order in which rows can be deleted: referencing rows before the rows they reference.
REFERENCES: tuple[Reference, ...] = (
    # The browser that logs in keeps its subscription; subscriptions of other devices end with their sessions.
    Reference(push_subscriptions.c.player, OnClaim.CUSTOM, OnErase.DELETE, "browsers"),
    Reference(sessions.c.player, OnClaim.DELETE, OnErase.DELETE, "devices"),
    Reference(tokens.c.player, OnClaim.DELETE, OnErase.DELETE, "tokens"),
    Reference(resume_codes.c.player, OnClaim.DELETE, OnErase.DELETE, None),
    Reference(recovery_codes.c.player, OnClaim.DELETE, OnErase.DELETE, None),  # a guest has none
    Reference(accounts.c.player, OnClaim.KEEP, OnErase.DELETE, "account"),  # a guest has none
    # Before the outbox: a worker that adds outbox rows has locked the row in `notices`.
    Reference(notices.c.player, OnClaim.CUSTOM, OnErase.DELETE, "notices"),
    Reference(outbox.c.player, OnClaim.MOVE, OnErase.DELETE, "outbox"),
    Reference(game_switches.c.player, OnClaim.MOVE, OnErase.DELETE, "notices_of_games"),
    Reference(invitations.c.player, OnClaim.MOVE, OnErase.DELETE, "invitations"),
    # Private to the invited player, who may have blocked the inviter or dismissed the invitation: then it is missing.
    Reference(invitations.c.inviter, OnClaim.MOVE, OnErase.BLANK, None),
    Reference(blocks.c.player, OnClaim.MOVE, OnErase.DELETE, "blocked"),
    Reference(blocks.c.blocked, OnClaim.MOVE, OnErase.DELETE, None),  # private to the blocking player
    # A guest has no friends, but may have written notes, and others about them.
    Reference(friendships.c.player, OnClaim.MOVE, OnErase.DELETE, "friends"),
    Reference(friendships.c.friend, OnClaim.MOVE, OnErase.DELETE, None),  # the friend's own row
    Reference(friend_requests.c.player, OnClaim.MOVE, OnErase.DELETE, "friend_requests"),
    Reference(friend_requests.c.asked, OnClaim.MOVE, OnErase.DELETE, "friend_requests_received"),
    Reference(friend_settings.c.player, OnClaim.MOVE, OnErase.DELETE, "friend_settings"),
    Reference(player_notes.c.player, OnClaim.CUSTOM, OnErase.DELETE, "player_notes"),
    Reference(player_notes.c.about, OnClaim.CUSTOM, OnErase.DELETE, None),  # private to the author
    Reference(deal_tries.c.person, OnClaim.CUSTOM, OnErase.DELETE, "deals"),
    Reference(mistakes.c.person, OnClaim.MOVE, OnErase.DELETE, "mistakes"),
    Reference(mistake_searches.c.person, OnClaim.MOVE, OnErase.DELETE, "mistake_searches"),
    # Only accounts are rated. As with a seat, the id of an erased person refers to nobody; the figures of the others
    # can be computed only with theirs. They stay out of the public file if they did before.
    Reference(ratings.c.person, OnClaim.KEEP, OnErase.KEEP, "ratings"),
    Reference(rating_changes.c.person, OnClaim.KEEP, OnErase.KEEP, "rating_changes"),
    Reference(rating_settings.c.person, OnClaim.KEEP, OnErase.KEEP, "rating_settings"),
    # A mute hides lines by author id: the guest's past lines and the account's future ones.
    Reference(mutes.c.person, OnClaim.MOVE, OnErase.STEPS, "muted"),
    Reference(mutes.c.muted, OnClaim.COPY, OnErase.STEPS, None),
    Reference(chat.c.person, OnClaim.KEEP, OnErase.STEPS, "chat"),
    Reference(seats.c.person, OnClaim.KEEP, OnErase.KEEP, "games"),
    Reference(games.c.creator, OnClaim.KEEP, OnErase.STEPS, "tables"),
    Reference(games.c.host, OnClaim.KEEP, OnErase.KEEP, None),
    Reference(log.c.who, OnClaim.KEEP, OnErase.KEEP, None),  # moves are in the records of "games"
    Reference(log.c.body, OnClaim.KEEP, OnErase.KEEP, None),  # JSON
    # The operator's decisions stay on record.
    Reference(reports.c.reporter, OnClaim.KEEP, OnErase.BLANK, "reports"),
    Reference(reports.c.reported, OnClaim.KEEP, OnErase.KEEP, None),  # private to reporter and operator
    Reference(bans.c.player, OnClaim.KEEP, OnErase.KEEP, "bans"),
    Reference(audit.c.subject, OnClaim.KEEP, OnErase.KEEP, None),
    Reference(audit.c.detail, OnClaim.KEEP, OnErase.KEEP, None),  # JSON
    Reference(erasures.c.player, OnClaim.KEEP, OnErase.KEEP, None),  # the erasure's own row
    # Deleted when the row that it names is processed.
    Reference(queue_failures.c.key, OnClaim.KEEP, OnErase.KEEP, None),
    Reference(players.c.claimed_by, OnClaim.MOVE, OnErase.KEEP, "players"),
    Reference(players.c.id, OnClaim.CUSTOM, OnErase.STEPS, "players"),
)

# Not exported: secrets, and values without meaning outside this database.
_HIDDEN = frozenset(
    (
        players.c.skeleton,
        accounts.c.password,
        sessions.c.hash,
        tokens.c.hash,
        notices.c.confirm_hash,
        notices.c.stop_token,
        push_subscriptions.c.auth,
        push_subscriptions.c.p256dh,
        push_subscriptions.c.session,
        bans.c.came_from,
    )
)


# -- claiming --------------------------------------------------------------------------------------


def claim_guest(conn: Connection, guest: str, account: str, now: int, *, browser: str, session: str) -> bool:
    """Transfer a guest's rows to an account; return False if either was erased, claimed or registered meanwhile.

    `browser` is the hash of the guest's session on the browser that logs in, `session` that of the account's new
    session there. The caller deletes the guest's sessions, because they would open the account.
    """
    if len(lock_present(conn, {guest, account}, unclaimed=True)) != 2:
        return False
    if conn.execute(select(players.c.is_account).where(players.c.id == guest)).scalar():
        return False
    claimed = {"claimed_by": account, "changed_at": now}
    conn.execute(update(players).where(players.c.id == guest).values(**claimed))
    conn.execute(update(players).where(players.c.claimed_by == guest).values(changed_at=now))
    of_browser = (push_subscriptions.c.player == guest, push_subscriptions.c.session == browser)
    conn.execute(update(push_subscriptions).where(*of_browser).values(player=account, session=session))
    _claim_notices(conn, guest, account)
    _claim_tries(conn, guest, account)
    for column in (player_notes.c.player, player_notes.c.about):
        _claim_player_notes(conn, column, guest, account)
    for reference in REFERENCES:
        match reference.on_claim:
            case OnClaim.MOVE:
                _move(conn, reference.column, guest, account)
            case OnClaim.COPY:
                _copy(conn, reference.column, guest, account)
            case OnClaim.DELETE:
                conn.execute(delete(reference.table).where(reference.column == guest))
    for one, other in _PERSON_PAIR_COLUMNS:  # no one can block, mute, invite or befriend themselves
        conn.execute(delete(one.table).where(one == account, other == account))
    recheck_player(conn, account, now)
    return True


_PERSON_PAIR_COLUMNS = (
    (blocks.c.player, blocks.c.blocked),
    (invitations.c.player, invitations.c.inviter),
    (friendships.c.player, friendships.c.friend),
    (friend_requests.c.player, friend_requests.c.asked),
    (player_notes.c.player, player_notes.c.about),
    (mutes.c.person, mutes.c.muted),
)


def _find_unique_keys(column: Column[Any]) -> list[list[Column[Any]]]:
    """Return the unique keys that contain this column, each without it."""
    table: Table = column.table
    unique = [index.columns for index in table.indexes if index.unique]
    return [
        [part for part in key if part is not column]
        for key in (table.primary_key.columns, *unique)
        if key.contains_column(column)
    ]


def _has_twin(column: Column[Any], account: str) -> Any:
    """Return the condition that the account has a row with the same key."""
    table: Table = column.table
    twin = table.alias("twin")
    return or_(
        *(
            exists().where(twin.c[column.name] == account, *(twin.c[part.name] == part for part in key))
            for key in _find_unique_keys(column)
        )
    )


def _move(conn: Connection, column: Column[Any], guest: str, account: str) -> None:
    if _find_unique_keys(column):
        conn.execute(delete(column.table).where(column == guest, _has_twin(column, account)))
    conn.execute(update(column.table).where(column == guest).values({column: account}))


def _copy(conn: Connection, column: Column[Any], guest: str, account: str) -> None:
    table: Table = column.table
    values = [literal(account).label(other.name) if other is column else other for other in table.c]
    rows = select(*values).where(column == guest, ~_has_twin(column, account))
    conn.execute(insert(table).from_select(list(table.c.keys()), rows))


# Settings that belong together. The account takes over a group if the first column of its own is not set.
NOTICE_GROUPS = (
    ("email", "email_confirmed_at", "confirm_hash", "confirm_sent_at", "stop_token"),
    ("webhook", "webhook_key", "webhook_failures", "webhook_form"),
    ("switches", "zone", "quiet_from", "quiet_to", "digest_at", "every_channel"),
)


def _claim_notices(conn: Connection, guest: str, account: str) -> None:
    """Move the guest's notice settings. If the account has settings, add only the groups that it has not set."""
    rows = {
        row.player: row._mapping
        for row in conn.execute(select(notices).where(notices.c.player.in_((guest, account))))
    }
    if guest not in rows:
        return
    if account not in rows:
        conn.execute(update(notices).where(notices.c.player == guest).values(player=account))
        return
    conn.execute(delete(notices).where(notices.c.player == guest))
    unset = [group for group in NOTICE_GROUPS if rows[account][group[0]] is None]
    filled = {
        name: rows[guest][name] for group in unset if rows[guest][group[0]] is not None for name in group
    }
    if filled:
        conn.execute(update(notices).where(notices.c.player == account).values(**filled))


def _claim_tries(conn: Connection, guest: str, account: str) -> None:
    """Append the guest's tries to the account's. The account's number 1 of a day counts, so it stays number 1."""
    of_guest = select(deal_tries.c.day).where(deal_tries.c.person == guest)
    numbers = (
        select(deal_tries.c.day, func.max(deal_tries.c.n).label("last"))
        .where(deal_tries.c.person == account, deal_tries.c.day.in_(of_guest))
        .group_by(deal_tries.c.day)
    )
    for row in conn.execute(numbers).all():
        of_day = (deal_tries.c.person == guest, deal_tries.c.day == row.day)
        moved = {"person": account, "n": deal_tries.c.n + row.last}
        conn.execute(update(deal_tries).where(*of_day).values(**moved))
    conn.execute(update(deal_tries).where(deal_tries.c.person == guest).values(person=account))


def _claim_player_notes(conn: Connection, column: Column[Any], guest: str, account: str) -> None:
    """Move notes by a guest, or about one. Where the account has a note of the same key, append the guest's to it."""
    other = player_notes.c.about if column is player_notes.c.player else player_notes.c.player
    guests = player_notes.alias("guests")
    added = select(guests.c.text).where(guests.c[column.name] == guest, guests.c[other.name] == other)
    both = func.substr(player_notes.c.text + "\n" + added.scalar_subquery(), 1, MAX_NOTE_CHARS)
    conn.execute(update(player_notes).where(column == account, added.exists()).values(text=both))
    _move(conn, column, guest, account)


# -- exporting -------------------------------------------------------------------------------------


def make_export_queries(ids: Collection[str]) -> dict[str, Select[Any]]:
    """Return the query for each section of a person's export."""
    sections: dict[str, Select[Any]] = {
        "games": select(
            games.c.id, games.c.preset, games.c.status, games.c.created_at, games.c.ended_at,
            *(column for column in seats.c if column is not seats.c.game),
        )
        .join(seats, seats.c.game == games.c.id)
        .where(seats.c.person.in_(ids))
        .order_by(games.c.created_at),
        "tables": select(games.c.id, games.c.created_at, games.c.status, games.c.terms)
        .where(games.c.creator.in_(ids))
        .order_by(games.c.created_at),
        "chat": select(chat.c.game, chat.c.at, chat.c.channel, chat.c.text, chat.c.preset)
        .where(chat.c.person.in_(ids), chat.c.is_deleted.is_(False))
        .order_by(chat.c.at),
        # Without the answer: a request is declined in silence. Only a declined one is kept when it is withdrawn.
        "friend_requests": select(friend_requests.c.player, friend_requests.c.asked, friend_requests.c.at)
        .where(friend_requests.c.player.in_(ids), friend_requests.c.is_withdrawn.is_(False))
        .order_by(friend_requests.c.at),
    }  # fmt: skip
    for name in dict.fromkeys(reference.section for reference in REFERENCES if reference.section is not None):
        if name not in sections:
            columns = [reference.column for reference in REFERENCES if reference.section == name]
            table: Table = columns[0].table
            shown = [column for column in table.c if column not in _HIDDEN]
            is_own = or_(*(column.in_(ids) for column in columns))
            sections[name] = select(*shown).where(is_own).order_by(*table.primary_key.columns)
    return sections


# -- erasing ---------------------------------------------------------------------------------------


def erase_rows(conn: Connection, ids: Sequence[str]) -> None:
    """Delete or blank the rows that are not handled in steps. Idempotent."""
    for reference in REFERENCES:
        is_own = reference.column.in_(ids)
        match reference.on_erase:
            case OnErase.DELETE:
                conn.execute(delete(reference.table).where(is_own))
            case OnErase.BLANK:
                conn.execute(update(reference.table).where(is_own).values({reference.column: ""}))
