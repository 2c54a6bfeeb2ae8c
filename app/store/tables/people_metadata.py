"""The metadata of all tables that are not of games. Importing it defines every such table."""

from __future__ import annotations

from app.store.tables import deals, friends, practice, ratings
from app.store.tables.people import metadata

__all__ = ["TABLE_MODULES", "metadata"]

TABLE_MODULES = (deals, friends, practice, ratings)
