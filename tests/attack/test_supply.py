"""The software bill of materials is complete, pinned, and free of test dependencies."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tools.audit import LOCKS
from tools.fuzz.__main__ import api
from tools.sbom import bill, normal

ROOT = Path(__file__).resolve().parents[2]


def test_the_sbom_lists_pinned_packages_without_test_dependencies() -> None:
    made = bill()
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line and not line.startswith("#")
    )
    needed = [each for each in made["components"] if each.get("scope") != "excluded"]
    listed = {each["name"]: each["version"] for each in needed}
    assert listed.items() <= pins.items()
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {normal(Requirement(each).name) for each in wanted} <= set(listed)
    assert not {"pytest", "hypothesis", "playwright", "schemathesis", "mypy"} & set(listed)
    refs = {each["bom-ref"] for each in (*made["components"], made["metadata"]["component"])}
    assert {each["ref"] for each in made["dependencies"]} == refs
    assert all(set(each["dependsOn"]) <= refs for each in made["dependencies"])


def test_the_sbom_lists_the_tools_that_check_scripts() -> None:
    tools = {each["name"]: each for each in bill()["components"] if each.get("scope") == "excluded"}
    wanted = json.loads((ROOT / "tools" / "js" / "package.json").read_text())["devDependencies"]
    assert {name: tools[name]["version"] for name in wanted} == wanted
    assert tools["@biomejs/biome"]["purl"].startswith("pkg:npm/%40biomejs/biome@")


def test_the_sbom_lists_dependencies_of_npm_packages() -> None:
    lock = json.loads((ROOT / "tools" / "js" / "package-lock.json").read_text())["packages"]
    needs = {each["ref"]: each["dependsOn"] for each in bill()["dependencies"]}
    biome = lock["node_modules/@biomejs/biome"]
    (found,) = (named for ref, named in needs.items() if ref.startswith("pkg:npm/%40biomejs/biome@"))
    assert len(found) == len(biome["optionalDependencies"]) > 0


def test_the_audit_covers_every_npm_lock_file() -> None:
    tracked = [path for path in ROOT.glob("*/**/package-lock.json") if "node_modules" not in path.parts]
    assert sorted(LOCKS) == sorted(path for path in tracked if ".venv" not in path.parts)


def test_every_api_operation_answers_as_described() -> None:
    """The short form of `make fuzz PART=api`: one generated example per operation, as a program with a seat."""
    assert api(1, 1) == []
