"""People's settings for ratings: to see none, and to be withheld from the public file."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, select

from app.store.database import Database
from app.store.people.player_rows import require_present
from app.store.tables.ratings import rating_settings
from app.store.upserts import upsert


class RatingSettings(NamedTuple):
    hides_ratings: bool = False
    is_withheld: bool = False


class RatingSettingsStore:
    """Settings by person."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read(self, person: str) -> RatingSettings:
        query = select(rating_settings.c.hides_ratings, rating_settings.c.is_withheld)
        rows = await self.database.fetch_rows(query.where(rating_settings.c.person == person))
        return RatingSettings(*rows[0]) if rows else RatingSettings()

    async def save(self, person: str, settings: RatingSettings) -> None:
        """Store the settings. Raise PlayerGone if the person was erased or claimed meanwhile."""

        def write(conn: Connection) -> None:
            require_present(conn, person)
            values = settings._asdict()
            statement = upsert(conn, rating_settings).values(person=person, **values)
            conn.execute(statement.on_conflict_do_update(index_elements=["person"], set_=values))

        await self.database.write(write)
