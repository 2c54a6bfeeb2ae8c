"""Parser of docs/architecture.md: its sections, tables and names in backticks."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGE", "ROOT", "named", "paths", "rows", "section"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_TOPS = ("app", "bench", "docs", "migrations", "static", "templates", "tests", "tools")
_FILE = re.compile(rf"(?:(?:{'|'.join(_TOPS)})/[\w./-]*|[\w./-]+\.(?:py|js|css|html|md|toml|txt|json))")


def section(title: str) -> str:
    """Return the text under a second-level heading."""
    found = re.findall(rf"^## {re.escape(title)}[^\n]*\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"docs/architecture.md has {len(found)} sections {title!r}"
    return str(found[0])


def rows(text: str) -> list[list[str]]:
    """Return the cells of every table row, without headings and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]


def named(text: str) -> list[str]:
    """Return everything in backticks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def paths(text: str) -> list[str]:
    """Return the files and folders named in backticks; `*` is a wildcard."""
    return [name for name in named(text) if _FILE.fullmatch(name.replace("*", "x"))]
