"""The choices of a seat as values, for tests that pick one."""

from __future__ import annotations

import json
from typing import Any

from app import rules


def choices_of(position: rules.Position, seat: int, *, is_undo_closed: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        rules.choices_json(position, seat, is_undo_closed=is_undo_closed)
    )
    return found
