"""Idempotency keys: the same person with the same key gets the same table, from any worker.

The table's id is derived from both, so nothing needs to be stored besides the table. The derivation uses the site's
secret, because the id of an unlisted table must not be guessable from a simple key.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

from app.play.create import derive_game_id

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$"),
]


def derive_table_id(secret: str, person: str, key: str | None) -> str | None:
    """Return the id of the table that this request creates; None for a random one."""
    if key is None:
        return None
    return derive_game_id(secret, f"table|{person}|{key}")
