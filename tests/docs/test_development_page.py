"""docs/development.md names the existing test folders of every part."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.run_tests import PARTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")


def folders_of(text: str) -> set[str]:
    """The folders of tests/ that a text names, `tests/{a,b}` taken apart."""
    several = [name for group in re.findall(r"`tests/\{([\w,]+)\}`", text) for name in group.split(",")]
    return {*several, *re.findall(r"`tests/(\w+)`", text)}


@pytest.mark.parametrize("part", [part for part in PARTS if part.folders], ids=lambda part: part.name)
def test_every_test_part_has_the_documented_folders(part: object) -> None:
    name, folders = getattr(part, "name", ""), set(getattr(part, "folders", ()))
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {name} |"))
    named = folders_of(row)
    assert named & folders == folders
    assert named <= folders | {"cluster"}, "the long form of tests/cluster belongs to soak"


def test_every_named_folder_exists() -> None:
    assert [name for name in folders_of(PAGE) if not (ROOT / "tests" / name).is_dir()] == []
