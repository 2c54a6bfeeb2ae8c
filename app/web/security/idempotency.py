"""One request, one table: the same person with the same key opens the same table, at whichever worker.

The table's id is made from both, so that nothing has to be remembered besides the table itself. It is keyed with the
site's secret: an unlisted table is its link, and a key that a program counts up must not tell it.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from app.play.create import derive_game_id

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$"),
]


def table_id(secret: str, person: str, key: str | None) -> str | None:
    """The id of the table that this request opens; None: any."""
    if key is None:
        return None
    return derive_game_id(secret, f"table|{person}|{key}")
