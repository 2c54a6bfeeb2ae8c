"""The scripts of tools/hosting, with stubs for docker and git that record how they are called."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.ops.dockerfiles import ROOT

STUB = """#!/bin/sh
echo "${0##*/} $*" >> "$CALLS"
case "$*" in *"$FAILING"*) exit 1;; esac
"""


@pytest.mark.parametrize(
    "failing", ["nothing", "backup now", "pull --ff-only", "build", "up"], ids=lambda word: word.split()[0]
)
def test_update_backs_up_first_and_stops_at_the_first_failure(tmp_path: Path, failing: str) -> None:
    for name in ("docker", "git"):
        stub = tmp_path / name
        stub.write_text(STUB)
        stub.chmod(0o755)
    calls = tmp_path / "calls"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(calls), "FAILING": failing}
    ran = subprocess.run(["sh", str(ROOT / "tools/hosting/update.sh")], cwd="/", env=environment)
    assert (ran.returncode == 0) == (failing == "nothing")
    steps = ["compose run --rm backup now", "pull --ff-only", "compose build", "compose pull", "compose up"]
    made = [line.partition(" ")[2] for line in calls.read_text().splitlines()]
    ends_at = next((n for n, line in enumerate(made) if failing in line), len(steps) - 1)
    assert all(line.startswith(step) for line, step in zip(made[: ends_at + 1], steps, strict=False))
    assert failing == "nothing" or len(made) == ends_at + 1


def _checkout(folder: Path) -> Path:
    """Return the script that starts a single container, in a folder of its own with stubs on the path."""
    (folder / "tools/hosting").mkdir(parents=True)
    for name in (".env.example", "tools/hosting/container.sh"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("docker", "git"):
        (folder / name).write_text(STUB)
        (folder / name).chmod(0o755)
    return folder / "tools/hosting/container.sh"


@pytest.mark.parametrize("failing", ["nothing", "admin backup", "pull --ff-only", "build"])
def test_single_container_is_backed_up_and_replaced_after_the_build(tmp_path: Path, failing: str) -> None:
    script, calls = _checkout(tmp_path), tmp_path / "calls"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(calls), "FAILING": failing}

    def run(*words: str) -> int:
        return subprocess.run(["sh", str(script), *words], cwd="/", env=environment).returncode

    assert run() == 1, "the address must be set first"
    assert not calls.exists()
    settings = tmp_path / ".env"
    assert settings.stat().st_mode & 0o077 == 0
    assert re.search(r"^CARTAGENA_SECRET=[0-9a-f]{64}$", settings.read_text(), re.MULTILINE)
    before = settings.read_text()
    assert (run("update") == 0) == (failing == "nothing")
    assert settings.read_text() == before, "the secret is kept"
    made = [line.removeprefix("docker ") for line in calls.read_text().splitlines()]
    steps = [
        "exec cartagena true",
        "exec cartagena cartagena admin backup",
        "git pull --ff-only",
        "build --pull",
    ]
    steps += ["inspect cartagena", "stop --time 20", "rm cartagena", "run --detach", "image prune"]
    ends_at = next((n for n, line in enumerate(made) if failing in line), len(steps) - 1)
    assert all(line.startswith(step) for line, step in zip(made, steps, strict=False))
    assert len(made) == ends_at + 1, "nothing is stopped unless the image was built"


def test_documented_command_is_the_one_of_the_script() -> None:
    (command,) = re.findall(r"^docker run --detach .*$", (ROOT / "docs/deploy.md").read_text(), re.MULTILINE)
    script = (ROOT / "tools/hosting/container.sh").read_text().replace("\\\n    ", "")
    assert command.replace("8000:8000", '"${PUBLISH:-8000:8000}"') in script
