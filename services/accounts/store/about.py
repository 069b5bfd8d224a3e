"""What accounts itself holds about a person, as plain values."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, select

from services.accounts.store import schema, staff, ways

NOT_HIS: frozenset[str] = frozenset({"refresh_hash", "hash", "secret_hash", "welcome", "version"})
"""Columns that say nothing of a person, or must not be shown."""


def person(connection: Connection, player_id: str) -> dict[str, Any]:
    """Return profile, ways in, sessions (those that ended, too), API keys and roles."""
    return {
        "player": _rows(connection, schema.players, player_id),
        "ways_in": [
            {"kind": way.kind, "id": way.id, "created_at_ms": way.created_at_ms, "title": way.title}
            for way in ways.of(connection, player_id)
        ],
        "identities": _rows(connection, schema.identities, player_id),
        "sessions": _rows(connection, schema.sessions, player_id),
        "api_keys": _rows(connection, schema.api_keys, player_id),
        "roles": staff.roles_of(connection, player_id),
    }


def deeds(
    connection: Connection, player_id: str, below: int | None, most: int
) -> tuple[list[dict[str, Any]], str]:
    """Return what staff did to a person, without who it was, the newest first; and the next cursor."""
    rows = staff.log(connection, below, most, subject=player_id)
    found = [{"action": row.action, "reason": row.reason, "at_ms": row.at_ms} for row in rows]
    return found, str(rows[-1].entry_id) if len(rows) == most else ""


def _rows(connection: Connection, table: Table, player_id: str) -> list[dict[str, Any]]:
    rows = connection.execute(select(table).where(table.c.player_id == player_id)).mappings()
    return [{name: value for name, value in row.items() if name not in NOT_HIS} for row in rows]
