"""Claim, export and erase cover every column that holds a player's id. The schema is walked to find new ones."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    String,
    Text,
    insert,
    select,
    update,
)

from app.store.database import open_database
from app.store.people.personal_data import PersonalDataStore
from app.store.people.players import PeopleStore, hash_secret
from app.store.people.references import NOTICE_GROUPS, REFERENCES, OnClaim, OnErase, Reference, claim_guest
from app.store.tables import games as game_tables
from app.store.tables import people_metadata as people_tables
from app.store.tables.people import notices, players

NOW = 1_800_000_000
GUEST, ACCOUNT, OTHER = "guest", "account", "other"
BROWSER, NEW_SESSION = "hash-of-the-browser", "hash-of-the-new-session"
TABLES = [*game_tables.metadata.sorted_tables, *people_tables.metadata.sorted_tables]

# Columns whose type could hold a player's id but that do not.
OTHER_IDS = {
    "games.id", "games.preset", "push_subscriptions.id", "push_subscriptions.auth", "pushes.subscription",
    "reports.reason", "audit.deed", "erasures.done_to", "queue_failures.queue", "outbox.address",
    # documents and texts
    "games.founded", "games.options", "games.terms", "games.result", "chat.text", "reports.words", "bans.reason",
    "bans.came_from", "notices.told_of", "notices.switches", "game_switches.switches", "pushes.body",
    "deals.options", "deals.opponents", "deals.par", "deal_tries.line", "rating_cursor.holder",
}  # fmt: skip
_GAME_COLUMNS = {"game", "command", "next_game"}
_SUSPECT_NAMES = {"player", "person", "people", "who", "owner", "subject", "creator", "host"}


def could_hold_a_player(column: Column[Any]) -> bool:
    if any(key.target_fullname == "players.id" for key in column.foreign_keys):
        return True
    if column.name in _GAME_COLUMNS or any(column.foreign_keys):
        return False
    is_document = isinstance(column.type, JSON | Text)
    is_id = isinstance(column.type, String) and column.type.length in (32, 40)
    return is_document or is_id or column.name in _SUSPECT_NAMES


def test_every_column_that_could_hold_a_player_is_handled() -> None:
    handled = {str(reference.column) for reference in REFERENCES}
    found = {str(column) for table in TABLES for column in table.c if could_hold_a_player(column)}
    assert found - handled - OTHER_IDS == set(), (
        "add them to REFERENCES, or to OTHER_IDS if no player is meant"
    )
    assert handled & OTHER_IDS == set()
    assert handled <= {str(column) for table in TABLES for column in table.c}


def test_rows_are_deleted_before_the_rows_they_reference() -> None:
    order = list(
        dict.fromkeys(reference.table for reference in REFERENCES if reference.on_erase is OnErase.DELETE)
    )
    for table, later in itertools.combinations(order, 2):
        for key in later.foreign_keys:
            assert key.column.table is not table, f"{later} refers to {table}"


def test_notice_settings_are_claimed_in_known_groups() -> None:
    kept = {"player", "language", "told_at", "told_of", "digested_on"}
    assert {column.name for column in notices.c} == kept | {name for group in NOTICE_GROUPS for name in group}


# -- rows for every reference, made from the schema --------------------------------------------------

_numbers = itertools.count(1)
PLAIN = [
    reference
    for reference in REFERENCES
    if reference.table is not players and not isinstance(reference.column.type, JSON | Text)
]


def plant(
    conn: Connection, reference: Reference, person: str, like: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Insert a row with the person's id and return it; other columns are invented, or copied from `like`."""
    row = like or {column.name: _invent_value(column) for column in reference.table.c}
    row = {**row, reference.column.name: person}
    conn.execute(insert(reference.table).values(**row))
    return row


def _invent_value(column: Column[Any]) -> Any:
    target = next((key.target_fullname for key in column.foreign_keys), None)
    if target is not None:
        return {"players.id": OTHER, "games.id": "a-game", "sessions.hash": BROWSER}[target]
    if str(column) in ("games.terms", "log.body"):
        return "{}"
    if isinstance(column.type, JSON):
        return {}
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, Integer | Float):
        return next(_numbers)
    if column.nullable:
        return None
    return f"{next(_numbers)}"


@pytest.fixture
async def people(migrated_url: str) -> AsyncIterator[PeopleStore]:
    database = open_database(migrated_url)
    store = PeopleStore(database)

    def begin(conn: Connection) -> None:
        for player in (GUEST, ACCOUNT, OTHER):
            row = {
                "id": player,
                "name": f"Name of {player}",
                "skeleton": player,
                "made_at": NOW,
                "seen_at": NOW,
            }
            conn.execute(insert(players).values(**row, is_account=player == ACCOUNT, is_bot=False))
        made_up = {column.name: _invent_value(column) for column in game_tables.games.c}
        conn.execute(insert(game_tables.games).values(**{**made_up, "id": "a-game"}))
        sessions = people_tables.metadata.tables["sessions"]
        row = {"player": OTHER, "device": "x", "made_at": NOW, "seen_at": NOW}
        conn.execute(insert(sessions).values(hash=hash_secret("of-other"), **row))
        for key, player in ((BROWSER, GUEST), (NEW_SESSION, ACCOUNT)):
            conn.execute(insert(sessions).values(hash=key, **{**row, "player": player}))

    await store.database.write(begin)
    yield store
    await database.close()


def read_ids(conn: Connection, reference: Reference) -> list[str]:
    return sorted(conn.execute(select(reference.column)).scalars())


async def claim(people: PeopleStore) -> bool:
    return await people.database.write(
        lambda conn: claim_guest(conn, GUEST, ACCOUNT, NOW, browser=BROWSER, session=NEW_SESSION)
    )


async def plant_all(people: PeopleStore, person: str) -> None:
    await people.database.write(lambda conn: [plant(conn, reference, person) for reference in PLAIN])


async def test_claiming_moves_copies_keeps_or_deletes_each_row(people: PeopleStore) -> None:
    await plant_all(people, GUEST)
    assert await claim(people)
    for reference in PLAIN:
        after = {*await people.database.read(partial(read_ids, reference=reference))}
        stays = reference.on_claim in (OnClaim.KEEP, OnClaim.COPY)
        assert (GUEST in after) == stays, str(reference.column)
        if reference.on_claim not in (OnClaim.KEEP, OnClaim.DELETE):
            assert ACCOUNT in after, str(reference.column)


async def test_claiming_keeps_the_accounts_row_where_both_have_one(people: PeopleStore) -> None:
    taken_over = [
        reference for reference in PLAIN if reference.on_claim in (OnClaim.MOVE, OnClaim.COPY, OnClaim.CUSTOM)
    ]

    def both(conn: Connection) -> None:
        for reference in taken_over:
            own = plant(conn, reference, ACCOUNT)
            key = {column.name for column in reference.table.primary_key.columns}
            is_key = reference.column.name in key
            fresh = {column.name: _invent_value(column) for column in reference.table.c}
            plant(conn, reference, GUEST, {**fresh, **({name: own[name] for name in key} if is_key else {})})

    await people.database.write(both)
    assert await claim(people)
    for reference in taken_over:
        after = await people.database.read(partial(read_ids, reference=reference))
        assert ACCOUNT in after, str(reference.column)
        assert reference.on_claim is OnClaim.COPY or GUEST not in after, str(reference.column)


async def test_erasing_leaves_only_what_references_says(people: PeopleStore) -> None:
    await plant_all(people, GUEST)
    await PersonalDataStore(people.database).erase([GUEST], NOW)
    for reference in PLAIN:
        after = await people.database.read(partial(read_ids, reference=reference))
        if reference.on_erase in (OnErase.DELETE, OnErase.BLANK):
            assert GUEST not in after, str(reference.column)
        if reference.on_erase is OnErase.BLANK:
            assert "" in after, str(reference.column)

    def everything(conn: Connection) -> str:
        return json.dumps([str(row) for table in TABLES for row in conn.execute(select(table))])

    assert f"Name of {GUEST}" not in await people.database.read(everything)


async def test_export_has_every_section_and_no_secrets(people: PeopleStore) -> None:
    before = await PersonalDataStore(people.database).export([GUEST])
    await plant_all(people, GUEST)
    after = await PersonalDataStore(people.database).export([GUEST])
    for section, count in Counter(
        reference.section for reference in PLAIN if reference.section is not None
    ).items():
        assert len(after[section]) == len(before[section]) + count, section
    for rows in after.values():
        for row in rows:
            assert row.keys().isdisjoint({"hash", "password", "skeleton", "p256dh", "stop_token"})


async def test_account_settings_win_and_unset_ones_are_filled_from_the_guest(people: PeopleStore) -> None:
    row = {"told_at": 0, "told_of": [], "webhook_failures": 0, "every_channel": False}
    guests = {"stop_token": "g", "language": "de", "email": "guest@example.org", "webhook": "https://guest.example",
              "webhook_key": "k", "switches": {"turn": False}, "zone": "Europe/Berlin"}  # fmt: skip
    accounts = {"stop_token": "a", "language": "en", "email": "me@example.org"}

    def both(conn: Connection) -> None:
        conn.execute(insert(notices).values(player=GUEST, **row, **guests))
        conn.execute(insert(notices).values(player=ACCOUNT, **row, **accounts))

    await people.database.write(both)
    assert await claim(people)
    (after,) = await people.database.fetch_rows(select(notices))
    assert (after.player, after.email, after.stop_token, after.language) == (
        ACCOUNT,
        "me@example.org",
        "a",
        "en",
    )
    assert (after.webhook, after.webhook_key) == ("https://guest.example", "k")
    assert (after.switches, after.zone) == ({"turn": False}, "Europe/Berlin")


async def test_guest_who_changed_meanwhile_is_not_claimed(people: PeopleStore) -> None:
    unchanged: dict[str, Any] = {"deleted_at": None, "claimed_by": None, "is_account": False}
    for change in ({"deleted_at": NOW}, {"claimed_by": OTHER}, {"is_account": True}):
        await people.database.execute_write(
            update(players).where(players.c.id == GUEST).values(**{**unchanged, **change})
        )
        assert not await claim(people), change
    await people.database.execute_write(update(players).where(players.c.id == GUEST).values(**unchanged))
    assert await claim(people)
