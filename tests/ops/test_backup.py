"""Backup and restore as docs/deploy.md says: what was stored is there afterwards, on both databases."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from pathlib import Path

from app.store.engine import make_engine
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import append_of, new_game
from tools.services import Postgres

TEXT = (Path(__file__).parents[2] / "docs/deploy.md").read_text()


async def with_a_game(url: str) -> str:
    """A database with a game of two entries; its id."""
    engine = make_engine(url)
    await upgrade(engine)
    await engine.dispose()
    async with open_store(url, lambda *_: None) as store:
        row = await new_game(store)
        assert await store.append(append_of(row, 2))
        return row.id


async def holds(url: str, game: str) -> bool:
    async with open_store(url, lambda *_: None) as store:
        return await store.game(game) is not None and len(await store.entries(game)) == 2


async def test_a_sqlite_file_is_backed_up_while_it_is_open_and_put_back(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'cartagena.db'}"
    (backup,) = re.findall(r"^(python3 -c .*VACUUM INTO.*)$", TEXT, re.MULTILINE)
    (restore,) = re.findall(r"^(mv backup\.db .*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    game = await with_a_game(url)
    async with open_store(url, lambda *_: None) as store:
        assert await store.game(game)
        subprocess.run(["bash", "-ec", backup], cwd=tmp_path, check=True)
    with sqlite3.connect(tmp_path / "cartagena.db") as run:
        run.execute("DELETE FROM log")
    run.close()
    assert not await holds(url, game)
    subprocess.run(["bash", "-ec", restore], cwd=tmp_path, check=True)
    assert await holds(url, game)


async def test_a_postgres_dump_is_restored_into_an_empty_database(postgres: Postgres, tmp_path: Path) -> None:
    name = postgres.create_database()
    game = await with_a_game(postgres.url(name))

    def run(program: str, *words: str) -> None:
        where = ["--host", "127.0.0.1", "--port", str(postgres.port), "--username", "postgres"]
        subprocess.run([str(postgres.program(program)), *where, *words], check=True)

    dump = str(tmp_path / "backup.dump")
    run("pg_dump", "--format", "custom", "--file", dump, name)
    run("dropdb", "--force", name)
    run("createdb", name)
    run("pg_restore", "--exit-on-error", "--dbname", name, dump)
    assert await holds(postgres.url(name), game)
    postgres.drop_database(name)
