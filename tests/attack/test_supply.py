"""What the server is made of: the bill of materials is whole, pinned, and has nothing that only tests need."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tools.fuzz.__main__ import api
from tools.sbom import bill, normal

ROOT = Path(__file__).resolve().parents[2]


def test_the_bill_names_what_is_pinned_and_nothing_that_only_tests_need() -> None:
    made = bill()
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line and not line.startswith("#")
    )
    listed = {each["name"]: each["version"] for each in made["components"]}
    assert listed.items() <= pins.items()
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {normal(Requirement(each).name) for each in wanted} <= set(listed)
    assert not {"pytest", "hypothesis", "playwright", "schemathesis", "mypy"} & set(listed)
    refs = {each["bom-ref"] for each in (*made["components"], made["metadata"]["component"])}
    assert {each["ref"] for each in made["dependencies"]} == refs
    assert all(set(each["dependsOn"]) <= refs for each in made["dependencies"])


def test_every_operation_of_the_api_answers_as_it_is_described() -> None:
    """The short form of `make fuzz PART=api`: one made-up example each, as a program that sits at a table."""
    assert api(1, 1) == []
