"""Sessions and their refresh tokens."""

from __future__ import annotations

from dataclasses import dataclass

from paiju.accounts.v1 import events_pb2
from sqlalchemy import Connection, delete, insert, select, update

from services.accounts.core.tokens import KeptSession, Use, judge_use
from services.accounts.store import schema
from services.chassis import outbox
from services.chassis.errors import Refusal

SESSIONS_SWEPT_MAX = 20
"""Dead sessions removed with each new one."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What showing a refresh token led to."""

    use: Use
    player_id: str = ""


def open_session(
    connection: Connection,
    session_id: str,
    player_id: str,
    device: str,
    refresh_hash: bytes,
    refresh_expires_at_ms: int,
    now_ms: int,
) -> None:
    """Begin a session, and forget some that nobody can refresh any more."""
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
        },
    )


def refresh(
    connection: Connection,
    session_id: str,
    shown_hash: bytes,
    new_hash: bytes,
    new_expires_at_ms: int,
    now_ms: int,
) -> Refreshed:
    """Exchange a refresh token; one that was used before ends its session (which is not an exception: it is
    written)."""
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
            .values(refresh_hash=new_hash, refresh_expires_at_ms=new_expires_at_ms)
        )
    return Refreshed(use, row.player_id)


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
