"""Every column that holds a player's id, with what claiming, exporting and erasing a person do with it.

`REFERENCES` is the one list that all three follow. A column of a new table is one more line of it;
tests/store/people/test_references.py walks the schema and names a column that is missing.

Claiming: an account takes over a guest, who logs in on the guest's browser. The account's own settings win where both
have some. What is kept under the guest's id is found through `players.claimed_by`.
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

from app.store.games.tables import chat, games, log, mutes, queue_failures, seats
from app.store.people.checks import recheck_player
from app.store.people.deal_tables import deal_tries
from app.store.people.player_rows import lock_present
from app.store.people.tables import (
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


class OnClaim(Enum):
    """What happens to a row of the guest when an account claims the guest."""

    MOVE = "gets the account's id; deleted where the account has a row with the same key"
    COPY = "stays, and the account gets one as well"
    DELETE = "deleted"
    KEEP = "stays under the guest's id, which leads to the account"
    OWN = "handled by a function of this module"


class OnErase(Enum):
    """What happens to a row of a person who is erased."""

    DELETE = "deleted at once, and once more when the erasure ends"
    BLANK = "stays with an empty id"
    STEPS = (
        "what it says about the person is removed step by step (erasure.py); the id stays and leads nowhere"
    )
    KEEP = "stays"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that holds a player's id. `section` is where the export lists the rows of it, if it does."""

    column: Column[Any]
    on_claim: OnClaim
    on_erase: OnErase
    section: str | None

    @property
    def table(self) -> Table:
        table: Table = self.column.table
        return table


_MOVE, _COPY, _CUT, _KEEP, _OWN = OnClaim.MOVE, OnClaim.COPY, OnClaim.DELETE, OnClaim.KEEP, OnClaim.OWN
_DELETE, _BLANK, _STEPS, _STAY = OnErase.DELETE, OnErase.BLANK, OnErase.STEPS, OnErase.KEEP

# In the order in which rows can be deleted: those that refer to others first.
REFERENCES: tuple[Reference, ...] = (
    # The browser that logs in keeps its subscription; those of other devices end with their sessions.
    Reference(push_subscriptions.c.player, _OWN, _DELETE, "browsers"),
    Reference(sessions.c.player, _CUT, _DELETE, "devices"),
    Reference(tokens.c.player, _CUT, _DELETE, "tokens"),
    Reference(resume_codes.c.player, _CUT, _DELETE, None),
    Reference(recovery_codes.c.player, _CUT, _DELETE, None),  # a guest has none
    Reference(accounts.c.player, _KEEP, _DELETE, "account"),  # a guest has none
    # Before the outbox: a worker that adds rows to the outbox has locked the row of notices.
    Reference(notices.c.player, _OWN, _DELETE, "notices"),
    Reference(outbox.c.player, _MOVE, _DELETE, "outbox"),
    Reference(game_switches.c.player, _MOVE, _DELETE, "notices_of_games"),
    Reference(invitations.c.player, _MOVE, _DELETE, "invitations"),
    Reference(invitations.c.inviter, _MOVE, _BLANK, "invitations"),
    Reference(blocks.c.player, _MOVE, _DELETE, "blocked"),
    Reference(blocks.c.blocked, _MOVE, _DELETE, None),  # who has blocked me is their affair
    Reference(deal_tries.c.person, _OWN, _DELETE, "deals"),
    # A mute hides lines by their author's id: those the guest wrote and those the account will write.
    Reference(mutes.c.person, _MOVE, _STEPS, "muted"),
    Reference(mutes.c.muted, _COPY, _STEPS, None),
    Reference(chat.c.person, _KEEP, _STEPS, "chat"),
    Reference(seats.c.person, _KEEP, _STEPS, "games"),
    Reference(games.c.creator, _KEEP, _STEPS, "tables"),
    Reference(games.c.host, _KEEP, _STAY, None),
    Reference(log.c.who, _KEEP, _STEPS, None),  # moves are in the records of "games"
    Reference(log.c.body, _KEEP, _STEPS, None),  # JSON: ids, and names in entries of older releases
    # What the operator decided, and about whom, stays on record.
    Reference(reports.c.reporter, _KEEP, _BLANK, "reports"),
    Reference(reports.c.reported, _KEEP, _STAY, None),  # who has reported me is between them and the operator
    Reference(bans.c.player, _KEEP, _STAY, "bans"),
    Reference(audit.c.subject, _KEEP, _STAY, None),
    Reference(audit.c.detail, _KEEP, _STAY, None),  # JSON
    Reference(erasures.c.player, _KEEP, _STAY, None),  # the erasure's own row
    Reference(queue_failures.c.key, _KEEP, _STAY, None),  # deleted when the row it names is processed
    Reference(players.c.claimed_by, _MOVE, _STAY, "players"),
    Reference(players.c.id, _OWN, _STEPS, "players"),
)

# Secrets, and what means nothing outside of this database.
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


def claim_guest(run: Connection, guest: str, account: str, now: int, *, browser: str, session: str) -> bool:
    """Make a guest's rows the account's; False: one of them was erased, claimed or registered meanwhile.

    `browser` is the hash of the session that the guest logs in from, `session` that of the account's new one there.
    The caller deletes the guest's sessions, for they would open the account.
    """
    if len(lock_present(run, {guest, account}, unclaimed=True)) != 2:
        return False
    if run.execute(select(players.c.is_account).where(players.c.id == guest)).scalar():
        return False
    claimed = {"claimed_by": account, "changed_at": now}
    run.execute(update(players).where(players.c.id == guest).values(**claimed))
    run.execute(update(players).where(players.c.claimed_by == guest).values(changed_at=now))
    theirs = (push_subscriptions.c.player == guest, push_subscriptions.c.session == browser)
    run.execute(update(push_subscriptions).where(*theirs).values(player=account, session=session))
    _claim_notices(run, guest, account)
    _claim_tries(run, guest, account)
    for each in REFERENCES:
        match each.on_claim:
            case OnClaim.MOVE:
                _move(run, each.column, guest, account)
            case OnClaim.COPY:
                _copy(run, each.column, guest, account)
            case OnClaim.DELETE:
                run.execute(delete(each.table).where(each.column == guest))
    for one, other in _PAIRS:  # nobody blocks, mutes or invites themselves
        run.execute(delete(one.table).where(one == account, other == account))
    recheck_player(run, account, now)
    return True


_PAIRS = (
    (blocks.c.player, blocks.c.blocked),
    (invitations.c.player, invitations.c.inviter),
    (mutes.c.person, mutes.c.muted),
)


def _keys_with(column: Column[Any]) -> list[list[Column[Any]]]:
    """Return the unique keys that contain this column, each without it."""
    table: Table = column.table
    unique = [index.columns for index in table.indexes if index.unique]
    return [
        [each for each in key if each is not column]
        for key in (table.primary_key.columns, *unique)
        if key.contains_column(column)
    ]


def _has_twin(column: Column[Any], account: str) -> Any:
    """Return the condition that the account has a row with the same key."""
    table: Table = column.table
    twin = table.alias("twin")
    return or_(
        *(
            exists().where(twin.c[column.name] == account, *(twin.c[each.name] == each for each in key))
            for key in _keys_with(column)
        )
    )


def _move(run: Connection, column: Column[Any], guest: str, account: str) -> None:
    if _keys_with(column):
        run.execute(delete(column.table).where(column == guest, _has_twin(column, account)))
    run.execute(update(column.table).where(column == guest).values({column: account}))


def _copy(run: Connection, column: Column[Any], guest: str, account: str) -> None:
    table: Table = column.table
    values = [literal(account).label(each.name) if each is column else each for each in table.c]
    rows = select(*values).where(column == guest, ~_has_twin(column, account))
    run.execute(insert(table).from_select(list(table.c.keys()), rows))


# Settings that belong together; the account takes a group over if it has not set the group's first column.
NOTICE_GROUPS = (
    ("email", "email_confirmed_at", "confirm_hash", "confirm_sent_at", "stop_token"),
    ("webhook", "webhook_key", "webhook_failures", "webhook_form"),
    ("switches", "zone", "quiet_from", "quiet_to", "digest_at", "every_channel"),
)


def _claim_notices(run: Connection, guest: str, account: str) -> None:
    """Move the guest's settings for notices; where the account has some, fill in what it has not set."""
    rows = {
        row.player: row._mapping
        for row in run.execute(select(notices).where(notices.c.player.in_((guest, account))))
    }
    if guest not in rows:
        return
    if account not in rows:
        run.execute(update(notices).where(notices.c.player == guest).values(player=account))
        return
    run.execute(delete(notices).where(notices.c.player == guest))
    unset = [group for group in NOTICE_GROUPS if rows[account][group[0]] is None]
    filled = {
        name: rows[guest][name] for group in unset if rows[guest][group[0]] is not None for name in group
    }
    if filled:
        run.execute(update(notices).where(notices.c.player == account).values(**filled))


def _claim_tries(run: Connection, guest: str, account: str) -> None:
    """Move the guest's tries of deals behind the account's: number 1 of a day counts, and stays number 1."""
    of_guest = select(deal_tries.c.day).where(deal_tries.c.person == guest)
    numbers = (
        select(deal_tries.c.day, func.max(deal_tries.c.n).label("last"))
        .where(deal_tries.c.person == account, deal_tries.c.day.in_(of_guest))
        .group_by(deal_tries.c.day)
    )
    for row in run.execute(numbers).all():
        theirs = (deal_tries.c.person == guest, deal_tries.c.day == row.day)
        moved = {"person": account, "n": deal_tries.c.n + row.last}
        run.execute(update(deal_tries).where(*theirs).values(**moved))
    run.execute(update(deal_tries).where(deal_tries.c.person == guest).values(person=account))


# -- exporting -------------------------------------------------------------------------------------


def exports(ids: Collection[str]) -> dict[str, Select[Any]]:
    """Return the query of each section of a person's export."""
    sections: dict[str, Select[Any]] = {
        "games": select(
            games.c.id, games.c.preset, games.c.status, games.c.created_at, games.c.ended_at,
            *(each for each in seats.c if each is not seats.c.game),
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
    }  # fmt: skip
    for name in dict.fromkeys(each.section for each in REFERENCES if each.section is not None):
        if name not in sections:
            columns = [each.column for each in REFERENCES if each.section == name]
            table: Table = columns[0].table
            shown = [column for column in table.c if column not in _HIDDEN]
            theirs = or_(*(column.in_(ids) for column in columns))
            sections[name] = select(*shown).where(theirs).order_by(*table.primary_key.columns)
    return sections


# -- erasing ---------------------------------------------------------------------------------------


def erase_rows(run: Connection, ids: Sequence[str]) -> None:
    """Delete or blank what is not removed step by step; may be repeated."""
    for each in REFERENCES:
        theirs = each.column.in_(ids)
        match each.on_erase:
            case OnErase.DELETE:
                run.execute(delete(each.table).where(theirs))
            case OnErase.BLANK:
                run.execute(update(each.table).where(theirs).values({each.column: ""}))
