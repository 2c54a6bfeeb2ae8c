"""docs/deploy.md and docs/accounts.md are true: the table is the settings, blocks run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from app.admin import add_arguments
from app.settings import Settings
from tests.ops.processes import ServerProcess, running_server
from tools import debian

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/deploy.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    return f"`{default}`" if default != "" else ""


def test_table_of_settings_matches_the_code() -> None:
    rows = re.findall(r"^\| `(CARTAGENA_\w+)` \| `(--[\w-]+)` \| (.*?) ?\| (.*) \|$", TEXT, re.MULTILINE)
    expected = [
        (
            f"CARTAGENA_{each.name.upper()}",
            "--" + each.name.replace("_", "-"),
            _shown(each.default),
            each.metadata["sentence"],
        )
        for each in fields(Settings)
    ]
    assert [tuple(row) for row in rows] == expected


def test_every_named_setting_exists() -> None:
    known = {f"CARTAGENA_{each.name.upper()}" for each in fields(Settings)}
    for file in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        ROOT / "docker-compose.yml",
        ROOT / "Dockerfile",
    ):
        named = set(re.findall(r"\bCARTAGENA_[A-Z_]+\b", file.read_text()))
        assert named <= known, f"{file.name} names {named - known}"


def test_documented_and_existing_operator_commands_match() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    (commands,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    shown = set(re.findall(r"^cartagena admin ([a-z-]+)", TEXT, re.MULTILINE))
    assert shown == set(commands.choices)


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A folder with `cartagena` on the path, and the `curl` that the pages use."""
    debian.program("curl", wanted_for="trying the shell blocks of the docs")
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "cartagena"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m app.cli "$@"\n')
    command.chmod(0o755)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")}
    return {**clean, "PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("block", [block for block in BLOCKS if "cartagena serve" in block])
def test_code_block_starts_a_server(tmp_path: Path, place: dict[str, str], block: str) -> None:
    script = re.sub(r"^cartagena serve", "exec cartagena serve", block, flags=re.MULTILINE)
    server = ServerProcess(["bash", "-ec", script], tmp_path, {**place, "CARTAGENA_PORT": "0"})
    try:
        server.address()
    finally:
        server.stop()
    assert "Traceback" not in server.errors


def test_other_code_blocks_run_against_a_server(tmp_path: Path, place: dict[str, str]) -> None:
    others = [block for block in BLOCKS if "cartagena serve" not in block]
    assert len(others) >= 3
    with running_server(tmp_path) as server:
        base = server.address()
        for block in others:
            script = block.replace("http://127.0.0.1:8000", base)
            ran = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, env=place, capture_output=True
            )
            assert ran.returncode == 0, f"{script}\n{ran.stdout.decode()}{ran.stderr.decode()}"
        server.stop()
    backups = list((tmp_path / "backups").glob("cartagena-*.db"))
    assert backups
    assert all(backup.stat().st_size > 0 for backup in backups)


def test_documented_cron_line_deletes_old_copies_of_backups_only(tmp_path: Path) -> None:
    (line,) = re.findall(r"^15 4 .* docker cp .*$", TEXT, re.MULTILINE)
    steps = line.split(" && ")
    assert "admin backup" in steps[0], "nothing is deleted unless a backup was made and copied"
    for name, days in (("cartagena-new.db", 13), ("cartagena-old.db", 15), ("notes.txt", 15)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - days * 86_400,) * 2)
    subprocess.run(["sh", "-c", steps[-1].replace("/srv/cartagena-backups", str(tmp_path))], check=True)
    assert {file.name for file in tmp_path.iterdir()} == {"cartagena-new.db", "notes.txt"}


def test_code_blocks_about_accounts_run_against_a_server(tmp_path: Path, place: dict[str, str]) -> None:
    text = (ROOT / "docs/accounts.md").read_text()
    (block,) = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    with running_server(tmp_path) as server:
        script = block.replace("http://127.0.0.1:8000", server.address())
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, env=place, capture_output=True
        )
        assert ran.returncode == 0, f"{ran.stdout.decode()}{ran.stderr.decode()}{server.errors}"
        assert '"closed":3' in ran.stdout.decode()  # browser, phone and program
        server.stop()


def test_webhook_example_verifies_the_signature() -> None:
    from app.notify.webhook import sign

    text = (ROOT / "docs/accounts.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    header = sign("key", 1000, b"{}")
    assert names["is_genuine"]("key", header, b"{}", 1100)
    assert not names["is_genuine"]("other", header, b"{}", 1100)
    assert not names["is_genuine"]("key", header, b"{ }", 1100)
    assert not names["is_genuine"]("key", header, b"{}", 2000)


def test_every_account_route_is_in_the_table() -> None:
    from app.web.api import accounts, me, my_data, notices, profiles, resume, social

    text = (ROOT / "docs/accounts.md").read_text()
    for module in (accounts, me, my_data, notices, profiles, resume, social):
        for route in module.router.routes:
            path = str(getattr(route, "path", ""))
            if path.startswith("/api/v1/"):
                last = path.removeprefix("/api/v1").split("/{")[0]
                short = "/" + last.rsplit("/", 1)[-1]
                assert last in text or short in text, path
