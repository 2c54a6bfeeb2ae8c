"""Claim, export and erase cover every column that holds a player's id; the schema is walked for new ones."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Connection, Integer, String, Text, insert, select, update

from app.store.engine import make_engine
from app.store.games import tables as game_tables
from app.store.people import deal_tables as people_tables
from app.store.people.data import DataStore
from app.store.people.players import PeopleStore, hashed
from app.store.people.references import NOTICE_GROUPS, REFERENCES, OnClaim, OnErase, Reference, claim_guest
from app.store.people.tables import notices, players

NOW = 1_800_000_000
GUEST, ACCOUNT, OTHER = "guest", "account", "other"
BROWSER, NEW_SESSION = "hash-of-the-browser", "hash-of-the-new-session"
TABLES = [*game_tables.metadata.sorted_tables, *people_tables.metadata.sorted_tables]

# Columns that could hold a player's id by their type and do not.
OTHER_IDS = {
    "games.id", "games.preset", "push_subscriptions.id", "push_subscriptions.auth", "pushes.subscription",
    "reports.reason", "audit.deed", "erasures.done_to", "queue_failures.queue", "outbox.address",
    # documents and texts
    "games.founded", "games.options", "games.terms", "games.result", "chat.text", "reports.words", "bans.reason",
    "bans.came_from", "notices.told_of", "notices.switches", "game_switches.switches", "pushes.body",
    "deals.options", "deals.opponents", "deal_tries.line",
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
    handled = {str(each.column) for each in REFERENCES}
    found = {str(column) for table in TABLES for column in table.c if could_hold_a_player(column)}
    assert found - handled - OTHER_IDS == set(), (
        "add them to REFERENCES, or to OTHER_IDS if no player is meant"
    )
    assert handled & OTHER_IDS == set()
    assert handled <= {str(column) for table in TABLES for column in table.c}


def test_rows_are_deleted_before_the_rows_they_refer_to() -> None:
    order = list(dict.fromkeys(each.table for each in REFERENCES if each.on_erase is OnErase.DELETE))
    for table, later in itertools.combinations(order, 2):
        for key in later.foreign_keys:
            assert key.column.table is not table, f"{later} refers to {table}"


def test_settings_for_notices_are_taken_over_in_known_groups() -> None:
    kept = {"player", "language", "told_at", "told_of", "digested_on"}
    assert {column.name for column in notices.c} == kept | {name for group in NOTICE_GROUPS for name in group}


# -- rows for every reference, made from the schema --------------------------------------------------

_numbers = itertools.count(1)
PLAIN = [
    each for each in REFERENCES if each.table is not players and not isinstance(each.column.type, JSON | Text)
]


def plant(
    run: Connection, reference: Reference, person: str, like: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Insert a row that holds the person's id, its other columns made up (or as in `like`); return it."""
    row = like or {column.name: _made_up(column) for column in reference.table.c}
    row = {**row, reference.column.name: person}
    run.execute(insert(reference.table).values(**row))
    return row


def _made_up(column: Column[Any]) -> Any:
    target = next((key.target_fullname for key in column.foreign_keys), None)
    if target is not None:
        return {"players.id": OTHER, "games.id": "a-game", "sessions.hash": BROWSER}[target]
    if str(column) in ("games.terms", "log.body"):
        return "{}"
    if isinstance(column.type, JSON):
        return {}
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, Integer):
        return next(_numbers)
    if column.nullable:
        return None
    return f"{next(_numbers)}"


@pytest.fixture
async def people(migrated_url: str) -> AsyncIterator[PeopleStore]:
    engine = make_engine(migrated_url)
    store = PeopleStore(engine)

    def begin(run: Connection) -> None:
        for player in (GUEST, ACCOUNT, OTHER):
            row = {
                "id": player,
                "name": f"Name of {player}",
                "skeleton": player,
                "made_at": NOW,
                "seen_at": NOW,
            }
            run.execute(insert(players).values(**row, is_account=player == ACCOUNT, is_bot=False))
        made_up = {column.name: _made_up(column) for column in game_tables.games.c}
        run.execute(insert(game_tables.games).values(**{**made_up, "id": "a-game"}))
        sessions = people_tables.metadata.tables["sessions"]
        row = {"player": OTHER, "device": "x", "made_at": NOW, "seen_at": NOW}
        run.execute(insert(sessions).values(hash=hashed("of-other"), **row))
        for key, player in ((BROWSER, GUEST), (NEW_SESSION, ACCOUNT)):
            run.execute(insert(sessions).values(hash=key, **{**row, "player": player}))

    await store.write(begin)
    yield store
    await engine.dispose()


def holders(run: Connection, reference: Reference) -> list[str]:
    return sorted(run.execute(select(reference.column)).scalars())


async def claim(people: PeopleStore) -> bool:
    return await people.write(
        lambda run: claim_guest(run, GUEST, ACCOUNT, NOW, browser=BROWSER, session=NEW_SESSION)
    )


async def plant_all(people: PeopleStore, person: str) -> None:
    await people.write(lambda run: [plant(run, each, person) for each in PLAIN])


async def test_claiming_moves_copies_keeps_or_deletes_each_row(people: PeopleStore) -> None:
    await plant_all(people, GUEST)
    assert await claim(people)
    for each in PLAIN:
        after = {*await people.read(partial(holders, reference=each))}
        stays = each.on_claim in (OnClaim.KEEP, OnClaim.COPY)
        assert (GUEST in after) == stays, str(each.column)
        if each.on_claim not in (OnClaim.KEEP, OnClaim.DELETE):
            assert ACCOUNT in after, str(each.column)


async def test_claiming_keeps_the_accounts_own_rows_where_both_have_one(people: PeopleStore) -> None:
    taken_over = [each for each in PLAIN if each.on_claim in (OnClaim.MOVE, OnClaim.COPY, OnClaim.OWN)]

    def both(run: Connection) -> None:
        for each in taken_over:
            own = plant(run, each, ACCOUNT)
            key = {column.name for column in each.table.primary_key.columns}
            is_key = each.column.name in key
            fresh = {column.name: _made_up(column) for column in each.table.c}
            plant(run, each, GUEST, {**fresh, **({name: own[name] for name in key} if is_key else {})})

    await people.write(both)
    assert await claim(people)
    for each in taken_over:
        after = await people.read(partial(holders, reference=each))
        assert ACCOUNT in after, str(each.column)
        assert each.on_claim is OnClaim.COPY or GUEST not in after, str(each.column)


async def test_erasing_leaves_what_the_list_says(people: PeopleStore) -> None:
    await plant_all(people, GUEST)
    await DataStore(people.engine).erase([GUEST], NOW)
    for each in PLAIN:
        after = await people.read(partial(holders, reference=each))
        if each.on_erase in (OnErase.DELETE, OnErase.BLANK):
            assert GUEST not in after, str(each.column)
        if each.on_erase is OnErase.BLANK:
            assert "" in after, str(each.column)

    def everything(run: Connection) -> str:
        return json.dumps([str(row) for table in TABLES for row in run.execute(select(table))])

    assert f"Name of {GUEST}" not in await people.read(everything)


async def test_the_export_has_every_section_and_no_secret(people: PeopleStore) -> None:
    before = await DataStore(people.engine).download([GUEST])
    await plant_all(people, GUEST)
    after = await DataStore(people.engine).download([GUEST])
    for section, count in Counter(each.section for each in PLAIN if each.section is not None).items():
        assert len(after[section]) == len(before[section]) + count, section
    for rows in after.values():
        for row in rows:
            assert row.keys().isdisjoint({"hash", "password", "skeleton", "p256dh", "stop_token"})


async def test_settings_of_the_account_win_and_what_it_has_not_set_is_filled_in(people: PeopleStore) -> None:
    row = {"told_at": 0, "told_of": [], "webhook_failures": 0, "every_channel": False}
    guests = {"stop_token": "g", "language": "de", "email": "guest@example.org", "webhook": "https://guest.example",
              "webhook_key": "k", "switches": {"turn": False}, "zone": "Europe/Berlin"}  # fmt: skip
    accounts = {"stop_token": "a", "language": "en", "email": "me@example.org"}

    def both(run: Connection) -> None:
        run.execute(insert(notices).values(player=GUEST, **row, **guests))
        run.execute(insert(notices).values(player=ACCOUNT, **row, **accounts))

    await people.write(both)
    assert await claim(people)
    (after,) = await people.rows(select(notices))
    assert (after.player, after.email, after.stop_token, after.language) == (
        ACCOUNT,
        "me@example.org",
        "a",
        "en",
    )
    assert (after.webhook, after.webhook_key) == ("https://guest.example", "k")
    assert (after.switches, after.zone) == ({"turn": False}, "Europe/Berlin")


async def test_a_guest_who_changed_meanwhile_is_not_claimed(people: PeopleStore) -> None:
    unchanged: dict[str, Any] = {"deleted_at": None, "claimed_by": None, "is_account": False}
    for change in ({"deleted_at": NOW}, {"claimed_by": OTHER}, {"is_account": True}):
        await people.change(update(players).where(players.c.id == GUEST).values(**{**unchanged, **change}))
        assert not await claim(people), change
    await people.change(update(players).where(players.c.id == GUEST).values(**unchanged))
    assert await claim(people)
