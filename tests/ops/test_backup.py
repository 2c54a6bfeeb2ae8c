"""Backup and restore as documented in docs/deploy.md, on both databases."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from pathlib import Path

from app.store.database import open_database
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import make_append, new_game
from tools.services import Postgres

TEXT = (Path(__file__).parents[2] / "docs/deploy.md").read_text()


async def create_game_in(url: str) -> str:
    """Create a game with two entries in the database and return its id."""
    database = open_database(url)
    await upgrade(database)
    await database.close()
    async with open_store(url, lambda *_: None) as store:
        row = await new_game(store)
        assert await store.log.append(make_append(row, 2))
        return row.id


async def has_game(url: str, game: str) -> bool:
    async with open_store(url, lambda *_: None) as store:
        return await store.log.read_game(game) is not None and len(await store.log.read_entries(game)) == 2


async def test_open_sqlite_file_is_backed_up_and_restored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'cartagena.db'}"
    (backup,) = re.findall(r"^(python3 -c .*VACUUM INTO.*)$", TEXT, re.MULTILINE)
    (restore,) = re.findall(r"^(mv backup\.db .*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    game = await create_game_in(url)
    async with open_store(url, lambda *_: None) as store:
        assert await store.log.read_game(game)
        subprocess.run(["bash", "-ec", backup], cwd=tmp_path, check=True)
    with sqlite3.connect(tmp_path / "cartagena.db") as run:
        run.execute("DELETE FROM log")
    run.close()
    assert not await has_game(url, game)
    subprocess.run(["bash", "-ec", restore], cwd=tmp_path, check=True)
    assert await has_game(url, game)


async def test_a_postgres_dump_is_restored_into_an_empty_database(postgres: Postgres, tmp_path: Path) -> None:
    name = postgres.create_database()
    game = await create_game_in(postgres.url(name))

    def run(program: str, *words: str) -> None:
        where = ["--host", "127.0.0.1", "--port", str(postgres.port), "--username", "postgres"]
        subprocess.run([str(postgres.program(program)), *where, *words], check=True)

    dump = str(tmp_path / "backup.dump")
    run("pg_dump", "--format", "custom", "--file", dump, name)
    run("dropdb", "--force", name)
    run("createdb", name)
    run("pg_restore", "--exit-on-error", "--dbname", name, dump)
    assert await has_game(postgres.url(name), game)
    postgres.drop_database(name)
