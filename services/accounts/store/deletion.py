"""Deleting a person: asked for, waited for, done. The id stays, for the book of coins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from paiju.accounts.v1.events_pb2 import AccountDeleted
from sqlalchemy import Connection, Row, delete, select, update

from services.accounts.core import names
from services.accounts.store import friends, people, protection, schema, sessions, staff
from services.chassis import outbox
from services.chassis.errors import Refusal

NICKNAME: Final = "已注销"
"""What a deleted person is called: nobody else may be."""
DUE_MAX: Final = 50
"""People deleted in one go."""


def ask(connection: Connection, player_id: str, nickname: str, deletes_at_ms: int, now_ms: int) -> int:
    """Mark an account to be deleted, end all its sessions, and return when; twice keeps the first time.

    Raises:
        Refusal: NOT_FOUND. NICKNAME_MISMATCH. STAFF_CANT_LEAVE.
    """
    player = people.hold(connection, player_id)
    if player is None or player.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=player_id)
    if player.nickname != nickname:
        raise Refusal("NICKNAME_MISMATCH")
    if staff.roles_of(connection, player_id):
        raise Refusal("STAFF_CANT_LEAVE")
    at_ms: int = player.deletes_at_ms or deletes_at_ms
    table = schema.players
    connection.execute(update(table).where(table.c.player_id == player_id).values(deletes_at_ms=at_ms))
    sessions.revoke_all(connection, player_id, now_ms)
    return at_ms


def due(connection: Connection, now_ms: int) -> Sequence[str]:
    """Return whose time has come."""
    table = schema.players
    return connection.scalars(
        select(table.c.player_id)
        .where(table.c.deletes_at_ms <= now_ms, table.c.deleted_at_ms.is_(None))
        .order_by(table.c.deletes_at_ms)
        .limit(DUE_MAX)
    ).all()


def forget(connection: Connection, player_id: str, now_ms: int) -> bool:
    """Forget who a player was, if his time has still come, and tell of it; return whether it was done."""
    player: Row[Any] | None = people.hold(connection, player_id)
    if player is None or player.deleted_at_ms is not None:
        return False
    if player.deletes_at_ms is None or player.deletes_at_ms > now_ms:
        return False
    sessions.revoke_all(connection, player_id, now_ms)
    players = schema.players
    connection.execute(
        update(players)
        .where(players.c.player_id == player_id)
        .values(
            nickname=NICKNAME,
            avatar=names.AVATARS[0],
            homepage="",
            region="",
            city="",
            looks=names.looks_of(NICKNAME),
            dialect="",
            theme="",
            network="unknown",
            suspended_because="",
            version=player.version + 1,
            deleted_at_ms=now_ms,
        )
    )
    protection.keep_for_ways(connection, player_id)
    friends.forget(connection, player_id)
    secrets, keys = schema.api_key_secrets, schema.api_keys
    mine = select(keys.c.key_id).where(keys.c.player_id == player_id)
    connection.execute(delete(secrets).where(secrets.c.key_id.in_(mine)))
    for table in (schema.device_keys, schema.passwords, schema.identities, schema.sessions, keys):
        connection.execute(delete(table).where(table.c.player_id == player_id))
    connection.execute(delete(schema.oidc_flows).where(schema.oidc_flows.c.player_id == player_id))
    outbox.put(connection, AccountDeleted(player_id=player_id, at_ms=now_ms), f"account_deleted:{player_id}")
    return True
