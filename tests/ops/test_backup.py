"""Backup and restore as documented in docs/deploy.md, on both databases."""

from __future__ import annotations

import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.store.database import open_database
from app.store.file_lock import lock_database_file
from app.store.games.store import open_store
from app.store.migrate import upgrade
from app.store.people.personal_data import PersonalDataStore
from app.store.people.players import Name, PeopleStore
from app.store.sqlite_backup import BackupFailed, restore
from app.store.tables.people import players
from tests.store.samples import make_append, new_game
from tools.services import Postgres

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools/hosting/backup.sh"


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


def admin(folder: Path, *words: str, preexec_fn: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run an operator's command on cartagena.db in this folder; return its exit code and what it printed."""
    command = [sys.executable, "-m", "app.cli", "admin", "--database", "sqlite:///cartagena.db", *words]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")}
    environment = {**clean, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, preexec_fn=preexec_fn
    )
    return ran.returncode, ran.stdout + ran.stderr


async def test_open_sqlite_file_is_backed_up_and_restored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'cartagena.db'}"
    game = await create_game_in(url)
    async with open_store(url, lambda *_: None) as store:
        assert await store.log.read_game(game)
        code, said = admin(tmp_path, "backup")
    assert code == 0, said
    (backup,) = (tmp_path / "backups").iterdir()
    assert backup.stat().st_mode & 0o077 == 0, "it contains personal data"
    with sqlite3.connect(tmp_path / "cartagena.db") as run:
        run.execute("DELETE FROM log")
    run.close()
    assert not await has_game(url, game)
    with lock_database_file(url, wait_seconds=0):  # as a server does
        assert admin(tmp_path, "restore", str(backup)) == (
            1,
            "cartagena: a server is using the database; stop it first.\n",
        )
    (tmp_path / "cartagena.db-wal").write_bytes(b"of the database that is replaced")
    code, said = admin(tmp_path, "restore", str(backup))
    assert code == 0, said
    assert await has_game(url, game)
    kept = {file.name.partition(".before-")[2][20:] for file in tmp_path.glob("cartagena.db.before-*")}
    assert {"", "-wal"} <= kept, "the replaced database is kept"


async def test_old_sqlite_backups_are_deleted_after_the_new_one_is_complete(tmp_path: Path) -> None:
    await create_game_in(f"sqlite:///{tmp_path / 'cartagena.db'}")
    folder = tmp_path / "backups"
    folder.mkdir()
    now = int(time.time())
    for days in (1, 13, 15, 40):
        file = folder / f"cartagena-{days}-days-old.db"
        file.touch()
        os.utime(file, (now - days * 86_400,) * 2)
    for hours in (1, 40):  # of a backup that is running, and of one that was killed
        part = folder / f"cartagena-{hours}-hours-old.part"
        part.touch()
        os.utime(part, (now - hours * 3600,) * 2)
    (folder / "notes.txt").touch()
    os.utime(folder / "notes.txt", (0, 0))
    (tmp_path / "elsewhere").mkdir()
    assert admin(tmp_path / "elsewhere", "backup", "--folder", str(folder))[0] == 1
    assert len(list(folder.iterdir())) == 7, "a failed backup deletes nothing"
    assert admin(tmp_path, "backup")[0] == 0
    names = {file.name for file in folder.iterdir()}
    assert {"cartagena-1-days-old.db", "cartagena-13-days-old.db", "notes.txt"} < names
    assert "cartagena-1-hours-old.part" in names
    assert len(names) == 5


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, b"another program"])
async def test_file_that_is_no_backup_changes_nothing(tmp_path: Path, content: bytes) -> None:
    url = f"sqlite:///{tmp_path / 'cartagena.db'}"
    game = await create_game_in(url)
    bad = tmp_path / "bad.db"
    if content == b"another program":
        with sqlite3.connect(bad) as run:
            run.execute("CREATE TABLE recipes (name TEXT)")
        run.close()
    else:
        bad.write_bytes(content)
    with pytest.raises(BackupFailed, match="is not a"):
        restore(tmp_path / "cartagena.db", bad, 0)
    assert await has_game(url, game)
    assert not list(tmp_path.glob("*.before-*"))


@pytest.mark.parametrize("folder", ["/proc/nope", "cartagena.db", "cartagena.db/below"])
async def test_unusable_backup_folder_is_named(tmp_path: Path, folder: str) -> None:
    await create_game_in(f"sqlite:///{tmp_path / 'cartagena.db'}")
    code, said = admin(tmp_path, "backup", "--folder", folder)
    assert code == 1
    assert re.fullmatch(rf"cartagena: {folder}/cartagena-\S+\.db could not be written \([\w ]+\)\.\n", said)


def _set_file_size_limit() -> None:
    """Let writes beyond 8 KB fail, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


@pytest.mark.parametrize("command", ["backup", "restore"])
async def test_full_disk_is_named_and_leaves_no_partial_copy(tmp_path: Path, command: str) -> None:
    url = f"sqlite:///{tmp_path / 'cartagena.db'}"
    game = await create_game_in(url)
    code, said = admin(tmp_path, "backup")
    assert code == 0, said
    (backup,) = (tmp_path / "backups").iterdir()
    words = ["restore", str(backup)] if command == "restore" else ["backup"]
    code, said = admin(tmp_path, *words, preexec_fn=_set_file_size_limit)
    assert code == 1
    assert re.search(r"could not be (written|replaced) \((File too large|disk I/O error)\)", said), said
    assert list((tmp_path / "backups").iterdir()) == [backup]
    assert not list(tmp_path.glob("*.restoring"))
    assert await has_game(url, game)


def test_backup_command_refuses_other_databases() -> None:
    command = [sys.executable, "-m", "app.cli", "admin", "--database", "postgresql://h/d", "backup"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, "docs/deploy.md" in ran.stderr) == (1, True)


# -- tools/hosting/backup.sh, the service `backup` of docker-compose.yml -----------------------------------


class Backups:
    """The script on a database of the test server."""

    def __init__(self, postgres: Postgres, database: str, folder: Path) -> None:
        programs = postgres.program("psql").parent
        self.folder = folder
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PGHOST": "127.0.0.1",
            "PGPORT": str(postgres.port),
            "PGUSER": "postgres",
            "PGDATABASE": database,
            "BACKUP_FOLDER": str(folder),
        }

    def run(self, *words: str, **more: str) -> tuple[int, str]:
        ran = subprocess.run(
            ["sh", str(SCRIPT), *words],
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return ran.returncode, ran.stderr

    def start(self, **more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["sh", str(SCRIPT), "every-day"],
            env={**self.environment, **more},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


@pytest.fixture
def backups(postgres: Postgres, tmp_path: Path) -> Iterator[Backups]:
    name = postgres.create_database()
    yield Backups(postgres, name, tmp_path / "backups")
    for each in (name, f"{name}_before", f"{name}_restored"):
        postgres.sql(f'DROP DATABASE IF EXISTS "{each}" WITH (FORCE)')


async def test_postgres_backup_is_written_rotated_and_restored(postgres: Postgres, backups: Backups) -> None:
    name = backups.environment["PGDATABASE"]
    game = await create_game_in(postgres.url(name))
    backups.folder.mkdir()
    for days in (1, 13, 15, 40):
        file = backups.folder / f"cartagena-{days}-days-old.dump"
        file.touch()
        os.utime(file, (time.time() - days * 86_400 - 60,) * 2)
    code, said = backups.run("now", PGDATABASE="missing")
    assert code != 0
    assert len(list(backups.folder.glob("*.dump"))) == 4, "a failed backup deletes nothing"
    code, said = backups.run("now")
    assert code == 0, said
    names = {file.name for file in backups.folder.glob("*.dump")}
    assert {"cartagena-1-days-old.dump", "cartagena-13-days-old.dump"} < names
    assert len(names) == 3
    (backup,) = [file for file in backups.folder.glob("*.dump") if "old" not in file.name]
    assert backup.stat().st_mode & 0o077 == 0
    postgres.sql("DELETE FROM log", name)

    damaged = backups.folder / "damaged"
    damaged.write_bytes(backup.read_bytes()[:-2000])
    assert backups.run("restore", str(damaged))[0] != 0
    assert not await has_game(postgres.url(name), game), "a damaged backup replaces nothing"
    async with open_store(postgres.url(name), lambda *_: None) as store:
        await store.log.read_game(game)
        code, said = backups.run("restore", str(backup))
        assert (code, "Stop the app first" in said) == (1, True)
    for _ in range(2):  # the second time there is a database of before
        code, said = backups.run("restore", str(backup))
        assert code == 0, said
        assert await has_game(postgres.url(name), game)


async def test_postgres_restore_that_was_killed_keeps_the_old_database(
    postgres: Postgres, backups: Backups
) -> None:
    name = backups.environment["PGDATABASE"]
    game = await create_game_in(postgres.url(name))
    assert backups.run("now")[0] == 0
    (backup,) = backups.folder.iterdir()
    postgres.sql(f'ALTER DATABASE "{name}" RENAME TO "{name}_before"')  # the last step before the kill
    code, said = backups.run("restore", str(backup))
    assert code == 0, said
    assert await has_game(postgres.url(name), game)
    assert await has_game(postgres.url(f"{name}_before"), game)


def test_postgres_is_backed_up_at_once_if_the_last_backup_is_old_and_retried_if_it_failed(
    backups: Backups,
) -> None:
    script = backups.start(PGPORT="1", BACKUP_RETRY_SECONDS="0.2")
    try:
        assert script.stderr is not None
        said = [script.stderr.readline() for _ in range(8)]
        assert sum("failed; trying again" in line for line in said) >= 2, said
    finally:
        os.killpg(script.pid, signal.SIGKILL)
        script.communicate()
    script = backups.start()
    try:
        assert script.stderr is not None
        said = [script.stderr.readline() for _ in range(2)]
        assert "wrote" in said[1], said
    finally:
        os.killpg(script.pid, signal.SIGKILL)
        script.communicate()
    assert len(list(backups.folder.glob("*.dump"))) == 1


@pytest.mark.parametrize("end", ["exit 1", "kill -TERM $PPID", "kill -INT $PPID"])
def test_failed_postgres_backup_leaves_no_partial_dump(tmp_path: Path, end: str) -> None:
    """They would fill the disk, which is what made the backup fail."""
    folder = tmp_path / "backups"
    folder.mkdir()
    killed, running = folder / "cartagena-killed.dump.part", folder / "cartagena-running.dump.part"
    killed.touch()
    running.touch()
    os.utime(killed, (time.time() - 13 * 3600,) * 2)
    pg_dump = tmp_path / "pg_dump"
    pg_dump.write_text(f'#!/bin/sh\necho partial > "$4"\n{end}\n')
    pg_dump.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "BACKUP_FOLDER": str(folder)}
    ran = subprocess.run(["sh", str(SCRIPT), "now"], env=environment, capture_output=True, timeout=60)
    assert ran.returncode != 0
    assert list(folder.iterdir()) == [running]


@pytest.mark.parametrize("setting", [{"BACKUP_DAYS": "0"}, {"BACKUP_DAYS": "two"}, {"BACKUP_AT": "25:00"}])
def test_wrong_backup_setting_is_refused(backups: Backups, setting: dict[str, str]) -> None:
    code, said = backups.run("now", **setting)
    assert code == 1
    assert f"{next(iter(setting))} must be" in said


# -- tools/hosting/erase-again.sh ---------------------------------------------------------------------------


async def _add_people(url: str, *names: str) -> list[str]:
    database = open_database(url)
    await upgrade(database)
    people = PeopleStore(database)
    added = [await people.add_guest(Name(name, name, name, (name,)), "a browser", 1000) for name in names]
    await database.close()
    return [guest.id for guest, _ in added]


async def _erase(url: str, *ids: str) -> None:
    database = open_database(url)
    await PersonalDataStore(database).erase(ids, 2000)
    await database.close()


async def _read_alive(url: str) -> set[str]:
    database = open_database(url)
    rows = await database.fetch_rows(select(players.c.id).where(players.c.deleted_at.is_(None)))
    await database.close()
    return {row.id for row in rows}


def _erase_again(folder: Path, url: str, suffix: str) -> tuple[int, str]:
    """Run the script in this folder as on a host; return its exit code and what it printed."""
    program = folder / "bin/cartagena"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m app.cli "$@"\n')
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "CARTAGENA_DATABASE": url}
    with (ROOT / "tools/hosting/erase-again.sh").open() as script:  # as docker exec gets it
        ran = subprocess.run(
            ["sh", "-s", suffix], stdin=script, cwd=folder, env=environment, capture_output=True, text=True
        )
    return ran.returncode, ran.stdout + ran.stderr


async def test_people_erased_since_a_sqlite_backup_are_erased_again(tmp_path: Path) -> None:
    url = "sqlite:///cartagena.db"
    full_url = f"sqlite:///{tmp_path / 'cartagena.db'}"
    names = ("Early", "Late", "Guest of Late", "Forger", "Stays")
    early, late, guest, forger, stays = await _add_people(full_url, *names)
    await _erase(full_url, early)
    with sqlite3.connect(tmp_path / "cartagena.db") as run:
        run.execute("UPDATE players SET claimed_by = ? WHERE id = ?", [late, guest])
    run.close()
    assert admin(tmp_path, "backup")[0] == 0
    await _erase(full_url, late)
    with sqlite3.connect(tmp_path / "cartagena.db") as run:
        forged = '{"id": "x", "deleted_at": 5}'
        run.execute("UPDATE players SET name = ? WHERE id = ?", [forged, forger])
    run.close()
    (backup,) = (tmp_path / "backups").iterdir()
    assert admin(tmp_path, "restore", str(backup))[0] == 0
    assert await _read_alive(full_url) == {late, guest, forger, stays}
    (kept,) = tmp_path.glob("cartagena.db.before-*Z")
    suffix = kept.name.removeprefix("cartagena.db")
    assert _erase_again(tmp_path, url, ".before-never")[0] != 0
    assert _erase_again(tmp_path, url, suffix) == (0, f"{late}\nPlayer erased.\n")
    assert await _read_alive(full_url) == {forger, stays}
    assert _erase_again(tmp_path, url, suffix) == (0, ""), "it may be repeated"


async def test_people_erased_since_a_postgres_backup_are_erased_again(
    postgres: Postgres, backups: Backups, tmp_path: Path
) -> None:
    url = postgres.url(backups.environment["PGDATABASE"])
    late, stays = await _add_people(url, "Late", "Stays")
    assert backups.run("now")[0] == 0
    await _erase(url, late)
    (backup,) = backups.folder.iterdir()
    assert backups.run("restore", str(backup))[0] == 0
    assert _erase_again(tmp_path, f"{url}?ssl=disable", "_before") == (0, f"{late}\nPlayer erased.\n")
    assert await _read_alive(url) == {stays}
