"""docs/rules.md matches the catalogue of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import rules

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("spec", rules.CATALOGUE, ids=lambda spec: spec.name)
def test_every_option_is_documented_with_its_range_and_description(spec: rules.OptionSpec) -> None:
    row = f"| `{spec.name}` | {spec.describe_range()} | {spec.sentence}"
    assert row in PAGE, f"docs/rules.md needs this row: {row}"


@pytest.mark.parametrize("preset", rules.PRESETS)
def test_every_preset_is_documented(preset: str) -> None:
    assert f"| `{preset}` (" in PAGE


def test_docs_name_only_existing_options() -> None:
    table = PAGE.split("| option |")[1].split("\n\n")[0]
    named = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert named == [spec.name for spec in rules.CATALOGUE]
