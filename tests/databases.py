"""Databases of PostgreSQL that are used again: making one and its tables takes longer than most tests."""

from __future__ import annotations

from app.store import game_tables, people_tables
from app.store.migrate import newest
from tools.services import Postgres

__all__ = ["Databases"]

# Whoever is still connected (a server that was killed, say) is cut off; rows go, tables stay.
_EMPTY = """
DO $$
DECLARE each text;
BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  SET LOCAL session_replication_role = replica;  -- in any order
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP EXECUTE format('DELETE FROM %I', each); END LOOP;
  FOR each IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', each); END LOOP;
END $$
"""
_TABLES = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'"


class Databases:
    """Hands out databases without a row; those with the tables of this release are kept for the next test."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._idle: list[str] = []
        tables = {*game_tables.metadata.tables, *people_tables.metadata.tables, "alembic_version"}
        self._expected = " ".join(sorted(tables))

    def take(self) -> str:
        return self._idle.pop() if self._idle else self._postgres.create_database()

    def give_back(self, name: str) -> None:
        ask = self._postgres.sql
        if ask(_TABLES, name) == self._expected and ask("TABLE alembic_version", name) == newest():
            ask(_EMPTY, name)
            self._idle.append(name)
        else:
            self._postgres.drop_database(name)
