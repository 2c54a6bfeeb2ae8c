"""Parser of docs/protocol.md, for tests that compare it with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def section(number: int) -> str:
    return PAGE.split(f"\n## {number}. ", 1)[1].split("\n## ", 1)[0]


def under(number: int, heading: str) -> str:
    """Return the text below a heading of a section."""
    text = section(number)
    assert f"\n### {heading}\n" in text, heading
    return text.split(f"\n### {heading}\n", 1)[1].split("\n### ", 1)[0]


def examples(text: str, first: str) -> list[dict[str, Any]]:
    """Return the JSON examples whose first field is this; omissions become empty values."""
    found = []
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        # An example may go on in the next line, indented.
        for line in re.sub(r"\n +", "", block).splitlines():
            if line.startswith(f'{{"{first}"'):
                found.append(json.loads(line.replace("{…}", "{}").replace("[…]", "[]")))
    assert found
    return found


def table_rows(text: str) -> list[list[str]]:
    """Return the rows of a Markdown table, without its head."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]
