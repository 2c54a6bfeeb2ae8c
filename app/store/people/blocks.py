"""Blocks between people, under any of their ids, read in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from app.store.batcher import pad_to_power_of_two
from app.store.tables.people import blocks, players

# Used whenever a player sits down. Built once: a query that is built with a literal list leaves kilobytes in reference
# cycles, per call, until the garbage collector runs.
_SELECT_ACCOUNTS = select(players.c.id, players.c.claimed_by).where(
    players.c.id.in_(bindparam("ids", expanding=True))
)
_SELECT_CLAIMED_GUESTS = select(players.c.id, players.c.claimed_by).where(
    players.c.claimed_by.in_(bindparam("ids", expanding=True))
)
_SELECT_BLOCKS_BETWEEN = select(blocks.c.player, blocks.c.blocked).where(
    blocks.c.player.in_(bindparam("blockers", expanding=True)),
    blocks.c.blocked.in_(bindparam("blocked", expanding=True)),
)
_SELECT_BLOCKED = select(blocks.c.player, blocks.c.blocked).where(
    blocks.c.player.in_(bindparam("blockers", expanding=True))
)


def find_blocks(conn: Connection, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[bool]:
    """Return for each pair whether one of the first people has blocked one of the second, under any of their ids."""
    if not pairs:
        return []
    all_ids = find_all_ids(conn, [ids for pair in pairs for ids in pair])
    blockers, blocked = all_ids[::2], all_ids[1::2]
    values = {
        "blockers": pad_to_power_of_two(list(set().union(*blockers))),
        "blocked": pad_to_power_of_two(list(set().union(*blocked))),
    }
    found = {(row.player, row.blocked) for row in conn.execute(_SELECT_BLOCKS_BETWEEN, values)}
    return [
        any(blocker in of_first and other in of_second for blocker, other in found)
        for of_first, of_second in zip(blockers, blocked, strict=True)
    ]


def read_blocked_ids(conn: Connection, people: Sequence[Sequence[str]]) -> list[frozenset[str]]:
    """Return for each person, given by all of their ids, all ids of the people they have blocked."""
    blockers = pad_to_power_of_two(list({id_ for ids in people for id_ in ids}))
    rows = conn.execute(_SELECT_BLOCKED, {"blockers": blockers}).all()
    if not rows:
        return [frozenset()] * len(people)
    blocked = [{row.blocked for row in rows if row.player in ids} for ids in people]
    return [frozenset(ids) for ids in find_all_ids(conn, [sorted(ids) for ids in blocked])]


def find_all_ids(conn: Connection, people: Sequence[Sequence[str]]) -> list[set[str]]:
    """Return, for each sequence of ids, these ids, the accounts that claimed them, and all guests of those accounts."""
    ids = list({id_ for person in people for id_ in person})
    owners = {
        row.id: row.claimed_by or row.id
        for row in conn.execute(_SELECT_ACCOUNTS, {"ids": pad_to_power_of_two(ids)})
    }
    claimed: dict[str, set[str]] = {}
    for row in conn.execute(_SELECT_CLAIMED_GUESTS, {"ids": pad_to_power_of_two([*ids, *owners.values()])}):
        claimed.setdefault(row.claimed_by, set()).add(row.id)
    with_accounts = [{*person, *(owners.get(id_, id_) for id_ in person)} for person in people]
    return [person.union(*(claimed.get(id_, ()) for id_ in person)) for person in with_accounts]
