"""Private notes about other people."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select

from app.store.database import Database
from app.store.people.player_rows import PlayerGone, lock_present
from app.store.tables.friends import player_notes
from app.store.upserts import upsert

MAX_NOTES = 1000  # per author
MAX_NOTE_CHARS = 500  # the length of the column


class PlayerNoteStore:
    """Queries about notes. Only the author ever reads them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read(self, author: str, about: str) -> str:
        """Return the author's note about a person; empty if there is none."""
        query = select(player_notes.c.text).where(
            player_notes.c.player == author, player_notes.c.about == about
        )
        rows = await self.database.fetch_rows(query)
        return str(rows[0].text) if rows else ""

    async def save(self, author: str, about: str, text: str, now: int) -> bool:
        """Store the note, or delete it if the text is empty; return False if the author has MAX_NOTES.

        Raise PlayerGone if one of them was erased, or claimed by an account, meanwhile.
        """
        same = (player_notes.c.player == author, player_notes.c.about == about)
        others = (player_notes.c.player == author, player_notes.c.about != about)
        count = select(func.count()).select_from(player_notes).where(*others)

        def write(conn: Connection) -> bool:
            # Both locks prevent that a note is written while one of them is erased or claimed.
            if len(lock_present(conn, {author, about}, unclaimed=True)) != 2:
                raise PlayerGone
            if not text:
                conn.execute(delete(player_notes).where(*same))
                return True
            if int(conn.execute(count).scalar_one()) >= MAX_NOTES:
                return False
            changed = {"text": text, "at": now}
            new = upsert(conn, player_notes).values(player=author, about=about, **changed)
            conn.execute(new.on_conflict_do_update(index_elements=["player", "about"], set_=changed))
            return True

        return await self.database.write(write)
