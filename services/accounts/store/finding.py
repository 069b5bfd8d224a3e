"""Finding people: what staff knows of somebody is an id, a login name, or how his nickname begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from services.accounts.store import people, schema

AFTER_ALL = "\U0010ffff"
"""No character sorts after it."""


def find(connection: Connection, query: str, login_name: str, nickname: str, most: int) -> Sequence[Row[Any]]:
    """Return some people: those whose id or login name it is, then those whose nickname begins so.

    Args:
        query: As it was asked.
        login_name: The same as a login name; empty if it can be none.
        nickname: The same as nicknames are kept.
        most: So many at most.
    """
    ways, table = schema.passwords, schema.players
    named = select(ways.c.player_id).where(ways.c.login_name == login_name)
    exact = [query, *connection.scalars(named)] if login_name else [query]
    first = list(people.profiles(connection, exact))
    if not nickname:
        return first[:most]
    begins = (
        select(table)
        .where(
            _begins(connection, nickname),
            table.c.deleted_at_ms.is_(None),
            table.c.player_id.not_in([row.player_id for row in first]),
        )
        .order_by(table.c.nickname, table.c.player_id)
        .limit(most)
    )
    return [*first, *connection.execute(begins)][:most]


def _begins(connection: Connection, nickname: str) -> ColumnElement[bool]:
    """Return the condition that the index answers: by bytes in SQLite, by pattern in PostgreSQL."""
    column = schema.players.c.nickname
    if connection.dialect.name == "postgresql":
        return column.startswith(nickname, autoescape=True)
    return (column >= nickname) & (column < nickname + AFTER_ALL)
