"""Accounts: log-in names and passwords, recovery codes, resume codes, and API tokens."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.store.database import Database
from app.store.people.player_rows import require_present
from app.store.people.players import LoginTaken, Name, hash_secret, new_id
from app.store.tables.people import accounts, players, recovery_codes, resume_codes, sessions, tokens


@dataclass(frozen=True, slots=True)
class Account:
    """The data of an account that log-in needs. `device_epoch` counts how often all devices were logged out."""

    player: str
    login: str
    password: str
    device_epoch: int


class AccountStore:
    """Queries about accounts, codes and tokens; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def register(
        self, player: str | None, name: Name, password: str, codes: Sequence[str], now: int
    ) -> str:
        """Create an account for a guest or a new player; return the player's id. Raise LoginTaken or PlayerGone."""
        owner = player or new_id()
        account_values = {"name": name.text, "skeleton": name.skeleton, "is_account": True}

        def write(conn: Connection) -> None:
            if player is None:
                new = {"id": owner, **account_values, "is_bot": False, "made_at": now, "seen_at": now}
                conn.execute(insert(players).values(**new))
            else:
                require_present(conn, player)
                conn.execute(
                    update(players).where(players.c.id == owner).values(**account_values, changed_at=now)
                )
            row = {"player": owner, "login": name.login, "password": password}
            conn.execute(insert(accounts).values(**row, made_at=now))
            conn.execute(insert(recovery_codes), _make_code_rows(owner, codes, now))

        try:
            await self.database.write(write)
        except IntegrityError as problem:
            raise LoginTaken from problem
        return owner

    async def find_by_login(self, login: str) -> Account | None:
        """Return the account with this log-in name."""
        return await self._find(accounts.c.login == login)

    async def find_by_player(self, player: str) -> Account | None:
        """Return the account of a player; None for guests."""
        return await self._find(accounts.c.player == player)

    async def _find(self, condition: ColumnElement[bool]) -> Account | None:
        columns = (accounts.c.player, accounts.c.login, accounts.c.password, accounts.c.device_epoch)
        found = await self.database.fetch_rows(select(*columns).where(condition))
        return Account(*found[0]) if found else None

    async def set_password(self, player: str, password: str) -> None:
        """Store a new password and end all sessions, resume codes and tokens. The caller opens a new session."""

        def write(conn: Connection) -> None:
            conn.execute(update(accounts).where(accounts.c.player == player).values(password=password))
            for table in (sessions, resume_codes, tokens):
                conn.execute(delete(table).where(table.c.player == player))

        await self.database.write(write)

    async def replace_recovery_codes(self, player: str, codes: Sequence[str], now: int) -> None:
        """Replace all recovery codes of a player. Raise PlayerGone."""

        def write(conn: Connection) -> None:
            require_present(conn, player)
            conn.execute(delete(recovery_codes).where(recovery_codes.c.player == player))
            conn.execute(insert(recovery_codes), _make_code_rows(player, codes, now))

        await self.database.write(write)

    async def has_recovery_code(self, player: str, code: str) -> bool:
        """Return whether this is an unused code of the player, without using it."""
        return bool(
            await self.database.fetch_rows(select(recovery_codes.c.hash).where(*_match_code(player, code)))
        )

    async def use_recovery_code(self, player: str, code: str) -> bool:
        """Use a code; return whether it was an unused code of the player."""
        return (
            await self.database.execute_write(delete(recovery_codes).where(*_match_code(player, code))) == 1
        )

    async def add_resume_code(self, player: str, code: str, room: str | None, expires_at: int) -> None:
        """Store a one-time code for another device in place of the player's previous one. Raise PlayerGone."""
        row = {"hash": hash_secret(code), "player": player, "room": room, "expires_at": expires_at}

        def write(conn: Connection) -> None:
            require_present(conn, player)
            conn.execute(delete(resume_codes).where(resume_codes.c.player == player))
            conn.execute(insert(resume_codes).values(**row))

        await self.database.write(write)

    async def use_resume_code(self, code: str, now: int) -> tuple[str, str | None] | None:
        """Use a code and return its player and room. Of two concurrent calls, one returns None."""
        same_code = resume_codes.c.hash == hash_secret(code)

        def write(conn: Connection) -> tuple[str, str | None] | None:
            row = conn.execute(select(resume_codes).where(same_code)).first()
            if row is None or row.expires_at < now:
                return None
            if conn.execute(delete(resume_codes).where(same_code)).rowcount != 1:
                return None
            return row.player, row.room

        return await self.database.write(write)

    async def add_token(self, player: str, label: str, now: int, max_tokens: int) -> str | None:
        """Return a new bearer token, or None if the player has `max_tokens`. Raise PlayerGone.

        Only the token's hash is stored.
        """
        token = "ct_" + secrets.token_urlsafe(30)
        row = {"hash": hash_secret(token), "player": player, "label": label, "made_at": now, "seen_at": 0}
        existing = select(tokens.c.hash).where(tokens.c.player == player)

        def write(conn: Connection) -> str | None:
            require_present(conn, player)  # also serialises concurrent requests of the player
            if len(conn.execute(existing).all()) >= max_tokens:
                return None
            conn.execute(insert(tokens).values(**row))
            return token

        return await self.database.write(write)

    async def list_tokens(self, player: str) -> list[tuple[str, str, int]]:
        """Return id, label and time of last use of a player's tokens. The id is the start of the hash."""
        query = select(tokens).where(tokens.c.player == player).order_by(tokens.c.made_at)
        return [(row.hash[:16], row.label, row.seen_at) for row in await self.database.fetch_rows(query)]

    async def remove_token(self, player: str, token_id: str) -> list[str]:
        """Delete the player's token with this id; return its hash in a list, which is empty if there is none."""
        query = delete(tokens).where(
            tokens.c.player == player, tokens.c.hash.startswith(token_id, autoescape=True)
        )
        return await self.database.write(lambda conn: list(conn.scalars(query.returning(tokens.c.hash))))


def _make_code_rows(player: str, codes: Sequence[str], now: int) -> list[dict[str, object]]:
    return [{"hash": hash_secret(code), "player": player, "made_at": now} for code in codes]


def _match_code(player: str, code: str) -> tuple[ColumnElement[bool], ...]:
    return recovery_codes.c.hash == hash_secret(code), recovery_codes.c.player == player
