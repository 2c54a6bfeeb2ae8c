"""Accounts: a name and a password for a player, recovery codes, resume codes, programs' tokens."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.store.people.player_rows import require_present
from app.store.people.players import LoginTaken, Name, hashed, new_id
from app.store.people.tables import accounts, players, recovery_codes, resume_codes, sessions, tokens
from app.store.transactions import Queries


@dataclass(frozen=True, slots=True)
class Account:
    """An account as log-in needs it. `device_epoch` counts how often every device was logged out."""

    player: str
    login: str
    password: str
    device_epoch: int


class AccountStore(Queries):
    """Queries about accounts and codes; each call is one transaction."""

    async def register(
        self, player: str | None, name: Name, password: str, codes: Sequence[str], now: int
    ) -> str:
        """Make a guest, or a new player, an account; return the player's id. Raise LoginTaken or PlayerGone."""
        owner = player or new_id()
        try:
            async with self.writing() as run:
                if player is None:
                    row = {"id": owner, "name": name.text, "skeleton": name.skeleton}
                    more = {"is_account": True, "is_bot": False, "made_at": now, "seen_at": now}
                    await run.execute(insert(players).values(**row, **more))
                else:
                    await run.run_sync(require_present, player)
                    changed = {"name": name.text, "skeleton": name.skeleton}
                    await run.execute(
                        update(players)
                        .where(players.c.id == owner)
                        .values(**changed, is_account=True, changed_at=now)
                    )
                row = {"player": owner, "login": name.login, "password": password}
                await run.execute(insert(accounts).values(**row, made_at=now))
                await run.execute(insert(recovery_codes), _code_rows(owner, codes, now))
        except IntegrityError as problem:
            raise LoginTaken from problem
        return owner

    async def by_login(self, login: str) -> Account | None:
        """Return the account with this log-in name."""
        return await self._account(accounts.c.login == login)

    async def of_player(self, player: str) -> Account | None:
        """Return the account of a player; None for guests."""
        return await self._account(accounts.c.player == player)

    async def _account(self, condition: ColumnElement[bool]) -> Account | None:
        columns = (accounts.c.player, accounts.c.login, accounts.c.password, accounts.c.device_epoch)
        async with self.reading() as run:
            row = (await run.execute(select(*columns).where(condition))).first()
        return Account(*row) if row is not None else None

    async def set_password(self, player: str, password: str) -> None:
        """A new password; every session ends, the caller opens a fresh one. Resume codes and tokens end too."""
        async with self.writing() as run:
            await run.execute(update(accounts).where(accounts.c.player == player).values(password=password))
            for table in (sessions, resume_codes, tokens):
                await run.execute(delete(table).where(table.c.player == player))

    async def replace_recovery_codes(self, player: str, codes: Sequence[str], now: int) -> None:
        """Store fresh codes; the old ones are void. Raise PlayerGone."""
        async with self.writing() as run:
            await run.run_sync(require_present, player)
            await run.execute(delete(recovery_codes).where(recovery_codes.c.player == player))
            await run.execute(insert(recovery_codes), _code_rows(player, codes, now))

    async def has_recovery_code(self, player: str, code: str) -> bool:
        """Whether this is an unused code of the player; it stays one."""
        return bool(await self.rows(select(recovery_codes.c.hash).where(*_is_code(player, code))))

    async def use_recovery_code(self, player: str, code: str) -> bool:
        """Whether this was an unused code of the player; it is used up by asking."""
        return await self.change(delete(recovery_codes).where(*_is_code(player, code))) == 1

    async def add_resume_code(self, player: str, code: str, room: str | None, expires_at: int) -> None:
        """Store a one-time code for another device; the player's former one is void. Raise PlayerGone."""
        row = {"hash": hashed(code), "player": player, "room": room, "expires_at": expires_at}
        async with self.writing() as run:
            await run.run_sync(require_present, player)
            await run.execute(delete(resume_codes).where(resume_codes.c.player == player))
            await run.execute(insert(resume_codes).values(**row))

    async def use_resume_code(self, code: str, now: int) -> tuple[str, str | None] | None:
        """The player and room of a code; it is used up, whoever of two comes first gets it."""
        key = hashed(code)
        async with self.writing() as run:
            row = (await run.execute(select(resume_codes).where(resume_codes.c.hash == key))).first()
            if row is None or row.expires_at < now:
                return None
            if (await run.execute(delete(resume_codes).where(resume_codes.c.hash == key))).rowcount != 1:
                return None
        return row.player, row.room

    async def add_token(self, player: str, label: str, now: int, most: int) -> str | None:
        """Return a new bearer token, stored as its hash; None: the player has `most`. Raise PlayerGone."""
        token = "ct_" + secrets.token_urlsafe(30)
        row = {"hash": hashed(token), "player": player, "label": label, "made_at": now, "seen_at": 0}
        theirs = select(tokens.c.hash).where(tokens.c.player == player)
        async with self.writing() as run:
            await run.run_sync(require_present, player)  # and concurrent requests count each other's tokens
            if len((await run.execute(theirs)).all()) >= most:
                return None
            await run.execute(insert(tokens).values(**row))
        return token

    async def tokens(self, player: str) -> list[tuple[str, str, int]]:
        """A player's tokens: the first letters of the hash as their id, label, last used."""
        query = select(tokens).where(tokens.c.player == player).order_by(tokens.c.made_at)
        return [(row.hash[:16], row.label, row.seen_at) for row in await self.rows(query)]

    async def remove_token(self, player: str, token: str) -> list[str]:
        """The token of this player that begins so is void; its hash, if there was one."""
        query = delete(tokens).where(
            tokens.c.player == player, tokens.c.hash.startswith(token, autoescape=True)
        )
        async with self.writing() as run:
            return [row.hash for row in await run.execute(query.returning(tokens.c.hash))]


def _code_rows(player: str, codes: Sequence[str], now: int) -> list[dict[str, object]]:
    return [{"hash": hashed(code), "player": player, "made_at": now} for code in codes]


def _is_code(player: str, code: str) -> tuple[ColumnElement[bool], ...]:
    return recovery_codes.c.hash == hashed(code), recovery_codes.c.player == player
