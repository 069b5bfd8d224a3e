"""Sessions and their refresh tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paiju.accounts.v1 import events_pb2
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from services.accounts.core.tokens import KeptSession, Use, judge_use
from services.accounts.store import schema
from services.chassis import outbox
from services.chassis.errors import Refusal

SESSIONS_SWEPT_MAX = 20
"""Dead sessions removed with each new one."""
SESSIONS_LISTED_MAX = 100


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What showing a refresh token led to."""

    use: Use
    player_id: str = ""
    roles: tuple[str, ...] = ()


def open_session(
    connection: Connection,
    session_id: str,
    player_id: str,
    device: str,
    refresh_hash: bytes,
    refresh_expires_at_ms: int,
    now_ms: int,
    network: str = "unknown",
    way: str = "guest",
    key_id: str | None = None,
) -> None:
    """Begin a session, and forget some that nobody can refresh any more.

    Args:
        way: How it was signed in: `guest`, `password`, `oidc:<provider>`, `api_key`.
        key_id: Of a program: its API key.
    """
    table = schema.sessions
    dead = (
        select(table.c.session_id)
        .where(table.c.refresh_expires_at_ms <= now_ms)
        .limit(SESSIONS_SWEPT_MAX)
        .scalar_subquery()
    )
    connection.execute(delete(table).where(table.c.session_id.in_(dead)))
    connection.execute(
        insert(table),
        {
            "session_id": session_id,
            "player_id": player_id,
            "device": device,
            "refresh_hash": refresh_hash,
            "refresh_expires_at_ms": refresh_expires_at_ms,
            "created_at_ms": now_ms,
            "used_at_ms": now_ms,
            "network": network,
            "way": way,
            "key_id": key_id,
        },
    )


def refresh(
    connection: Connection,
    session_id: str,
    shown_hash: bytes,
    new_hash: bytes,
    new_expires_at_ms: int,
    now_ms: int,
    network: str = "unknown",
) -> Refreshed:
    """Exchange a refresh token; one that was used before ends its session (which is not an exception: it is
    written).
    """
    table = schema.sessions
    row = connection.execute(
        select(table).where(table.c.session_id == session_id).with_for_update()
    ).one_or_none()
    kept = None
    if row is not None:
        kept = KeptSession(row.refresh_hash, row.refresh_expires_at_ms, row.revoked_at_ms is not None)
    use = judge_use(kept, shown_hash, now_ms)
    if row is None:
        return Refreshed(use)
    if use == "reused":
        _revoke(connection, session_id, row.player_id, now_ms)
    elif use == "rotate":
        connection.execute(
            update(table)
            .where(table.c.session_id == session_id)
            .values(
                refresh_hash=new_hash,
                refresh_expires_at_ms=new_expires_at_ms,
                used_at_ms=now_ms,
                network=network,
            )
        )
    roles = schema.roles
    held = connection.scalars(
        select(roles.c.role).where(roles.c.player_id == row.player_id).order_by(roles.c.role)
    )
    return Refreshed(use, row.player_id, tuple(held))


def living(connection: Connection, player_id: str, now_ms: int) -> Sequence[Row[Any]]:
    """Return a person's sessions that are not over, the one last used first; not those of programs."""
    table = schema.sessions
    used = func.coalesce(table.c.used_at_ms, table.c.created_at_ms)
    return connection.execute(
        select(table)
        .where(*_alive(player_id, now_ms), table.c.key_id.is_(None))
        .order_by(used.desc(), table.c.session_id)
        .limit(SESSIONS_LISTED_MAX)
    ).all()


def revoke_all(
    connection: Connection, player_id: str, now_ms: int, but: str = "", *, programs: bool = True
) -> int:
    """End all sessions of a player but one, and return how many; with those of his programs or without."""
    table = schema.sessions
    wanted = [*_alive(player_id, now_ms), table.c.session_id != but]
    if not programs:
        wanted.append(table.c.key_id.is_(None))
    return _revoke_found(connection, wanted, now_ms)


def revoke_of_key(connection: Connection, key_id: str, now_ms: int) -> int:
    """End the sessions of an API key, and return how many."""
    table = schema.sessions
    return _revoke_found(connection, [table.c.key_id == key_id, table.c.revoked_at_ms.is_(None)], now_ms)


def _alive(player_id: str, now_ms: int) -> list[ColumnElement[bool]]:
    table = schema.sessions
    return [
        table.c.player_id == player_id,
        table.c.revoked_at_ms.is_(None),
        table.c.refresh_expires_at_ms > now_ms,
    ]


def _revoke_found(connection: Connection, wanted: list[ColumnElement[bool]], now_ms: int) -> int:
    table = schema.sessions
    rows = connection.execute(
        select(table.c.session_id, table.c.player_id)
        .where(*wanted)
        .order_by(table.c.session_id)
        .with_for_update()
    ).all()
    for row in rows:
        _revoke(connection, row.session_id, row.player_id, now_ms)
    return len(rows)


def revoke_session(connection: Connection, session_id: str, player_id: str, now_ms: int) -> None:
    """End a session of a player; twice does nothing.

    Raises:
        Refusal: NOT_FOUND: there is none, or it is another's (nobody learns which).
    """
    table = schema.sessions
    row = connection.execute(
        select(table).where(table.c.session_id == session_id).with_for_update()
    ).one_or_none()
    if row is None or (player_id and row.player_id != player_id):
        raise Refusal("NOT_FOUND", what="session")
    if row.revoked_at_ms is None:
        _revoke(connection, session_id, row.player_id, now_ms)


def _revoke(connection: Connection, session_id: str, player_id: str, now_ms: int) -> None:
    table = schema.sessions
    connection.execute(update(table).where(table.c.session_id == session_id).values(revoked_at_ms=now_ms))
    event = events_pb2.SessionRevoked(player_id=player_id, session_id=session_id)
    outbox.put(connection, event, f"session_revoked:{session_id}")
