"""Programs that no wheel contains: found, installed once if permitted, or reported with instructions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import debian, find_chromium

ROOT = Path(__file__).resolve().parent.parent


def test_wrong_chromium_path_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(find_chromium.NoChromium, match="no such file"):
        find_chromium.find()


def test_missing_chromium_without_root_is_reported_with_instructions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(find_chromium.NoChromium, match="apt-get install fonts-liberation chromium"):
        find_chromium.find()


FIND_AS_ROOT = "import os; os.geteuid = lambda: 0; from tools.find_chromium import find; print(find())"
FAKE_APT = """#!/bin/sh
echo "$@" >> "$0.calls"
for package; do :; done
new="${0%/*}/$package"
case "$*" in *install*"KNOWN") sleep 0.5; printf '#!/bin/sh\\n' > "$new"; chmod +x "$new";; *) exit 100;; esac
"""


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ("chromium-headless-shell", ["update", "chromium-headless-shell"]),
        ("chromium", ["update", "chromium-headless-shell", "chromium"]),
    ],
)
def test_workers_without_chromium_install_it_once(tmp_path: Path, known: str, asked: list[str]) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text(FAKE_APT.replace("KNOWN", f" {known}"))
    apt.chmod(0o755)
    for tool in ("sh", "sleep", "chmod"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    environment = {"PATH": str(tmp_path), "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", FIND_AS_ROOT], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = [worker.communicate(timeout=30)[0].strip() for worker in asking]
    assert answers == [str(tmp_path / known)] * 2
    calls = (tmp_path / "apt-get.calls").read_text().splitlines()
    assert [call.split()[-1] for call in calls] == asked


def test_existing_program_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "compass").write_text("#!/bin/sh\n")
    (tmp_path / "compass").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert debian.program("compass") == str(tmp_path / "compass")


def test_missing_program_without_root_is_reported_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(debian.Missing, match=r"the chart needs .* no-such-compass.*apt-get install brass"):
        debian.program("no-such-compass", "brass", wanted_for="the chart")
    with pytest.raises(debian.Missing, match=r"libnone\.so\.9.*apt-get install libnone9"):
        debian.library("libnone.so.9", "libnone9")


def test_package_without_the_program_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\nexit 100\n")
    apt.chmod(0o755)
    (tmp_path / "sh").symlink_to(shutil.which("sh") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(debian.Missing, match="could not install brass"):
        debian.program("no-such-compass", "brass")


def test_library_found_by_the_loader_is_installed() -> None:
    assert debian.library("libc.so.6", "libc6") == "libc.so.6"


POSTINST_APT = """#!/bin/sh
case "$*" in *update*) exit 0;; esac
for word; do case "$word" in DPkg::Path=*) PATH="${word#*=}";; esac; done
export PATH
if deb-systemd-helper --quiet was-enabled brass.service; then echo enabled; else echo left; fi >> LOG
deb-systemd-invoke start brass.service && echo "start did nothing" >> LOG
deb-systemd-helper update-state brass.service
printf '#!/bin/sh\\n' > PLACE/brass
chmod +x PLACE/brass
"""


def test_installation_is_announced_and_enables_no_service(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """apt runs the package's script with the path it is given; this one does what debhelper writes into scripts."""
    log, system = tmp_path / "log", tmp_path / "system"
    system.mkdir()
    for name in ("deb-systemd-helper", "deb-systemd-invoke"):
        real = system / name
        real.write_text(f'#!/bin/sh\necho "real {name} $*" >> {log}\n')
        real.chmod(0o755)
    apt = tmp_path / "apt-get"
    apt.write_text(POSTINST_APT.replace("LOG", str(log)).replace("PLACE", str(tmp_path)))
    apt.chmod(0o755)
    for tool in ("sh", "chmod"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    monkeypatch.setattr(debian, "_SYSTEM_PATH", f"{system}:{debian._SYSTEM_PATH}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert debian.program("brass", wanted_for="the chart") == str(tmp_path / "brass")
    assert log.read_text().splitlines() == [
        "left",
        "start did nothing",
        "real deb-systemd-helper update-state brass.service",
    ]
    assert (
        "the chart needs the program brass, which is not on the PATH. "
        "Installing with apt-get, without enabling or starting services: brass"
    ) in capfd.readouterr().err
