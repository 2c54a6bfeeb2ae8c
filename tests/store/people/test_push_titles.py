"""The migration that removes titles from pushes queued by an older release."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import text

from app.store.database import open_database
from app.store.migrate import downgrade, upgrade
from tests.databases import begin, connect


@pytest.fixture
def postgres_url(new_postgres_url: str) -> str:
    """A database without tables, because the test creates them."""
    return new_postgres_url


PEOPLE = """
    INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at)
        VALUES ('p', 'Ann', 'ann', false, false, 1, 1);
    INSERT INTO sessions (hash, player, device, made_at, seen_at) VALUES ('s', 'p', '', 1, 1);
    INSERT INTO push_subscriptions (id, player, session, endpoint, p256dh, auth, key, takes_silent, made_at)
        VALUES ('b', 'p', 's', 'https://push.example/1', 'k', 'a', 1, true, 1)
""".split(";")
TURN = {"headline": "Your turn", "deadline": 1_800_000_000_123, "at": 7}
BODIES: dict[str, dict[str, Any]] = {
    "one": {"title": 'Anne\'s "table" – übrigens', **TURN},
    "two": {"title": "", **TURN},
    "three": {**TURN, "deadline": None},
    "": {"count": 4, "at": 7},
    "gone": {"at": 7},
}


async def test_migration_removes_titles_from_queued_pushes(database_url: str) -> None:
    database = open_database(database_url)
    await upgrade(database, "0009")
    async with begin(database) as conn:
        for statement in PEOPLE:
            await conn.execute(text(statement))
        for game, body in BODIES.items():
            await conn.execute(
                text(
                    "INSERT INTO pushes (subscription, game, event, mark, seq, body, n, at, expires_at, attempts,"
                    " lease_until) VALUES ('b', :game, 'turn', 'm', 1, :body, 1, 1, 1, 0, 0)"
                ),
                {"game": game, "body": json.dumps(body)},
            )

    async def bodies() -> dict[str, object]:
        async with connect(database) as conn:
            rows = (await conn.execute(text("SELECT game, CAST(body AS text) AS body FROM pushes"))).all()
        return {row.game: json.loads(row.body) for row in rows}

    assert await bodies() == BODIES
    await upgrade(database, "0010")
    assert await bodies() == {
        game: {name: value for name, value in body.items() if name != "title"}
        for game, body in BODIES.items()
    }
    await downgrade(database, "0009")  # that release expects a title wherever there is a headline
    assert await bodies() == {
        game: {**body, "title": ""} if "headline" in body else body for game, body in BODIES.items()
    }
    await database.close()
