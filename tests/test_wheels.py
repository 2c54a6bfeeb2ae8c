"""Installed packages: pinned, from wheels, for every supported Python. `make lock` checks the rest at the index."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tools import check_wheels, lock
from tools.check_wheels import promised
from tools.lock import normal

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def installed() -> dict[str, Distribution]:
    """What `make install` brought: the project's requirements and theirs, as they are in this environment."""
    found: dict[str, Distribution] = {}
    wanted = [(Requirement(each), "") for each in (*PROJECT["dependencies"], *lock.BUILD_TOOLS)]
    wanted += [(Requirement(each), "") for each in PROJECT["optional-dependencies"]["dev"]]
    while wanted:
        requirement, extra = wanted.pop()
        name = normal(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": extra})):
            continue
        found[name] = distribution(name)
        extras = ("", *requirement.extras)
        wanted += [(Requirement(each), extra) for each in found[name].requires or () for extra in extras]
    return found


def test_every_installed_package_is_pinned() -> None:
    unlike = {name: each.version for name, each in installed().items() if pins().get(name) != each.version}
    assert unlike == {}


def test_no_installed_package_was_compiled_locally() -> None:
    """A wheel of the index names the oldest system it runs on (manylinux); one that was built here names this one."""
    built = {
        name: tag
        for name, each in installed().items()
        for tag in re.findall(r"^Tag: .*-(linux_\w+)$", each.read_text("WHEEL") or "", re.MULTILINE)
    }
    assert built == {}


def test_every_pin_supports_every_promised_python() -> None:
    refused = [
        f"{name} {each.version} wants Python {wanted}, not {python}"
        for name, each in installed().items()
        for wanted in each.metadata.get_all("Requires-Python") or ()
        for python in promised()
        if f"{python}.0" not in SpecifierSet(wanted)
    ]
    assert refused == []


def test_classifiers_pins_and_docs_promise_the_same_pythons() -> None:
    pythons = promised()
    assert pythons == [f"3.{minor}" for minor in range(11, 11 + len(pythons))]
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    head = (ROOT / "constraints.txt").read_text().splitlines()[2]
    assert f"a wheel for Python {', '.join(pythons)};" in head, "`make lock` asks about each and says so"
    page = (ROOT / "docs" / "development.md").read_text()
    assert f"Python {pythons[0]} to {pythons[-1]}" in page
    assert f"Python {pythons[0]} to {pythons[-1]}" in (ROOT / "README.md").read_text()
    assert re.findall(r"^\| (3\.\d+)\b", page, re.MULTILINE) == pythons, "the table of who passed what"


def test_benchmark_dependencies_are_not_needed_for_tests() -> None:
    bench = {normal(Requirement(each).name) for each in PROJECT["optional-dependencies"]["bench"]}
    assert bench & set(installed()) == set()
    assert "chess" in bench


def test_every_step_of_the_makefile_installs_wheels_only() -> None:
    text = (ROOT / "Makefile").read_text()
    steps = [line for line in text.splitlines() if "pip install" in line]
    assert len(steps) == 1, "one place says how pip installs"
    assert "--only-binary :all:" in steps[0]
    assert "--no-binary" not in text


def test_pin_without_a_wheel_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list stands in for the package index; `make lock` queries the real one."""
    wheels = {("3.11", "sloop==1"), ("3.11", "mast==2"), ("3.12", "mast==2")}
    monkeypatch.setattr(
        check_wheels, "_has_wheels", lambda python, some: {(python, each) for each in some} <= wheels
    )
    assert check_wheels.missing("3.11", ["mast==2", "sloop==1"]) == []
    assert check_wheels.missing("3.12", ["mast==2", "sloop==1"]) == ["sloop==1"]


def test_lock_file_with_a_pin_that_needs_a_compiler_is_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "promised", lambda: [lock.this_python(), "3.99"])
    monkeypatch.setattr(lock, "CONSTRAINTS", tmp_path / "constraints.txt")
    monkeypatch.setattr(lock, "resolve", lambda: {"sloop": "1", "mast": "2"})
    monkeypatch.setattr(lock, "missing", lambda python, some: ["sloop==1"] if python == "3.99" else [])
    assert lock.main() == 1
    assert "no wheel for Python 3.99: sloop==1" in capsys.readouterr().out
    assert not (tmp_path / "constraints.txt").exists()
    monkeypatch.setattr(lock, "missing", lambda python, some: [])
    assert lock.main() == 0
    assert (tmp_path / "constraints.txt").read_text().splitlines()[3:] == ["mast==2", "sloop==1"]
