"""Inserts that know what to do with a row whose key is there already, on SQLite and PostgreSQL alike."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return the insert of the connection's dialect; both know ON CONFLICT in the same words.

    Without `on_conflict_do_nothing` or `on_conflict_do_update` it inserts as any other does.
    """
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
