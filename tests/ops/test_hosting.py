"""The scripts of tools/hosting, with stubs for docker and git that record how they are called."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

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
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    mounting_files = {
        name
        for name, service in services.items()
        if any((ROOT / volume.partition(":")[0]).is_file() for volume in service.get("volumes", []))
    }
    recreated = [line.split()[-2:] for line in made if "--force-recreate" in line]
    assert failing != "nothing" or [set(names) for names in recreated] == [mounting_files]


# The containers are files of the folder $CONTAINERS. Like the real client, commands about containers fail without one,
# and `docker inspect` also finds the image of the same name.
DOCKER_STUB = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *"$FAILING"*) exit 1;; esac
command=$1
shift
was_container=
[ "$command" != container ] || { was_container=yes; command=$1; shift; }
name=$1
for word; do last=$word; done
missing() { echo "Error: No such container: $1" >&2; exit 1; }
[ "$command" != inspect ] || [ "$was_container" ] || exit 0
case $command in
    exec) [ -e "$CONTAINERS/$name" ] || missing "$name" ;;
    rename) [ -e "$CONTAINERS/$name" ] || missing "$name" ;;
    inspect | stop | rm | logs | start) [ -e "$CONTAINERS/$last" ] || missing "$last" ;;
esac
case "$command $*" in
    start*) sed -i "s/stopped/${OLD:-healthy 0}/" "$CONTAINERS/$last" ;;
    stop*) sed -i "s/: .*/: stopped/" "$CONTAINERS/$last" ;;
    "rm --force"*) rm "$CONTAINERS/$last" ;;
    rm*) grep -q stopped "$CONTAINERS/$last" || exit 1; rm "$CONTAINERS/$last" ;;
    rename*) [ ! -e "$CONTAINERS/$last" ] || exit 1; mv "$CONTAINERS/$name" "$CONTAINERS/$last" ;;
    "inspect --format"*) sed "s/.*: //" "$CONTAINERS/$last" ;;
    run*)
        [ ! -e "$CONTAINERS/cartagena" ] || exit 125
        echo "${RELEASE:-old}: ${NEW:-healthy 0}" > "$CONTAINERS/cartagena"
        [ "${NEW:-}" != created ] || exit 125 ;;
esac
"""


class Host:
    """A machine with this repository and a stub of Docker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = folder / ".env"
        self._calls = folder / "calls"
        self._containers = folder / "containers"
        self._containers.mkdir()
        (folder / "tools/hosting").mkdir(parents=True)
        for name in (".env.example", "tools/hosting/container.sh"):
            shutil.copy(ROOT / name, folder / name)
        for name, stub in (("docker", DOCKER_STUB), ("git", STUB)):
            (folder / name).write_text(stub)
            (folder / name).chmod(0o755)

    def run(self, *words: str, failing: str = "nothing", **more: str) -> int:
        """Run container.sh; return its exit code."""
        return self.start(*words, failing=failing, **more).wait(timeout=60)

    def start(self, *words: str, failing: str = "nothing", **more: str) -> subprocess.Popen[bytes]:
        """Start container.sh."""
        self._calls.unlink(missing_ok=True)
        environment = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "CALLS": str(self._calls),
            "CONTAINERS": str(self._containers),
            "FAILING": failing,
            **more,
        }
        script = self.folder / "tools/hosting/container.sh"
        return subprocess.Popen(["sh", str(script), *words], cwd="/", env=environment)

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    @property
    def containers(self) -> dict[str, str]:
        return {file.name: file.read_text().strip() for file in self._containers.iterdir()}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host whose settings have been written."""
    host = Host(tmp_path)
    assert host.run() == 1, "the address must be set first"
    assert host.calls == []
    assert host.settings.stat().st_mode & 0o077 == 0
    assert re.search(r"^CARTAGENA_SECRET=[0-9a-f]{64}$", host.settings.read_text(), re.MULTILINE)
    return host


def test_first_start_of_a_single_container_stops_nothing(host: Host) -> None:
    assert host.run() == 0
    assert host.containers == {"cartagena": "old: healthy 0"}
    assert not [call for call in host.calls if call.startswith(("stop", "rm"))]


@pytest.mark.parametrize("failing", ["nothing", "admin backup", "pull --ff-only", "build"])
def test_single_container_is_backed_up_and_replaced_after_the_build(host: Host, failing: str) -> None:
    assert host.run() == 0
    before = host.settings.read_text()
    assert (host.run("update", failing=failing, RELEASE="new") == 0) == (failing == "nothing")
    assert host.settings.read_text() == before, "the secret is kept"
    release = "new" if failing == "nothing" else "old"
    assert host.containers == {"cartagena": f"{release}: healthy 0"}
    steps = [
        "exec cartagena true",
        "exec cartagena cartagena admin backup",
        "git pull --ff-only",
        "build --pull",
    ]
    steps += [
        "stop",
        "rename cartagena cartagena-before",
        "run --detach",
        "rm cartagena-before",
        "image prune",
    ]
    made = [call for call in host.calls if not call.startswith("container inspect")]
    ends_at = next((n for n, call in enumerate(made) if failing in call), len(steps) - 1)
    assert all(call.startswith(step) for call, step in zip(made, steps, strict=False))
    assert len(made) == ends_at + 1, "nothing is stopped unless the image was built"


@pytest.mark.parametrize("new", ["created", "starting 0", "unhealthy 0", "starting 1"])
def test_previous_container_runs_again_if_the_new_one_does_not_become_healthy(host: Host, new: str) -> None:
    assert host.run() == 0
    assert host.run("update", NEW=new, RELEASE="new", START_SECONDS="2") != 0
    assert host.containers == {"cartagena": "old: healthy 0"}
    assert not [call for call in host.calls if call.startswith("image prune")]
    assert host.run("update", RELEASE="new") == 0
    assert host.containers == {"cartagena": "new: healthy 0"}


def test_previous_container_runs_again_if_the_update_is_interrupted(host: Host) -> None:
    assert host.run() == 0
    update = host.start(NEW="starting 0", RELEASE="new")
    deadline = time.monotonic() + 30
    while not any(call.startswith("run") for call in host.calls):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    update.send_signal(signal.SIGTERM)
    assert update.wait(timeout=60) != 0
    assert host.containers == {"cartagena": "old: healthy 0"}


@pytest.mark.parametrize("failing", ["stop", "rename"])
def test_running_container_is_never_removed(host: Host, failing: str) -> None:
    assert host.run() == 0
    assert host.run(failing=failing, RELEASE="new") != 0
    assert host.containers == {"cartagena": "old: healthy 0"}


def test_first_start_that_fails_is_reported_and_can_be_repeated(host: Host) -> None:
    for new in ("created", "starting 1"):
        assert host.run(NEW=new) != 0
    assert host.run() == 0
    assert host.containers == {"cartagena": "old: healthy 0"}


@pytest.mark.parametrize("new", [None, "starting 1"])
def test_update_that_was_killed_can_be_repeated(host: Host, new: str | None) -> None:
    assert host.run() == 0
    folder = host.folder / "containers"
    (folder / "cartagena").rename(folder / "cartagena-before")
    (folder / "cartagena-before").write_text("old: stopped\n")
    if new is not None:
        (folder / "cartagena").write_text(f"broken: {new}\n")
    assert host.run(NEW="starting 1", RELEASE="new") != 0
    assert host.containers == {"cartagena": "old: healthy 0"}, "not the broken one"
    assert host.run(RELEASE="new") == 0
    assert host.containers == {"cartagena": "new: healthy 0"}


@pytest.mark.parametrize(("old", "failing"), [("starting 1", "nothing"), ("healthy 0", "start cartagena")])
def test_failed_rollback_names_the_backup(
    host: Host, capfd: pytest.CaptureFixture[str], old: str, failing: str
) -> None:
    assert host.run() == 0
    assert host.run(NEW="starting 1", OLD=old, failing=failing) != 0
    assert "restore the last backup" in capfd.readouterr().err


def test_published_port_is_kept(host: Host) -> None:
    def publish() -> str:
        (started,) = [call for call in host.calls if call.startswith("run")]
        return started.partition("--publish ")[2].partition(" ")[0]

    settings = host.settings.read_text().rstrip()
    host.settings.write_text(settings)  # without a line feed at the end
    assert host.run() == 0
    assert publish() == "8000:8000"
    assert host.run(PUBLISH="127.0.0.1:8000:8000") == 0
    assert publish() == "127.0.0.1:8000:8000"
    assert host.run("update") == 0
    assert publish() == "127.0.0.1:8000:8000"
    host.settings.write_text(f"{settings}\nPUBLISH=80:8000\n")
    assert host.run("update") == 0
    assert publish() == "80:8000"
    assert host.run(PUBLISH="81:8000") == 0
    assert host.settings.read_text() == f"{settings}\nPUBLISH=81:8000\n"


def test_documented_command_is_the_one_of_the_script() -> None:
    (command,) = re.findall(r"^docker run --detach .*$", (ROOT / "docs/deploy.md").read_text(), re.MULTILINE)
    script = (ROOT / "tools/hosting/container.sh").read_text().replace("\\\n    ", "")
    assert command.replace("8000:8000", '"${publish:-8000:8000}"') in script
