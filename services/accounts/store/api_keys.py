"""API keys of programs: made, rotated, exchanged, ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from services.accounts.store import people, schema, sessions
from services.chassis.errors import Refusal

KEYS_MAX = 10
"""Good keys of a player."""
LISTED_MAX = 50
SECRETS_MAX = 2
"""Good secrets of a key at a time."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A key, and its good secrets, the newest first."""

    key: Row[Any]
    secrets: Sequence[Row[Any]]


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret to be kept."""

    hash: bytes
    prefix: str


def create(connection: Connection, key: dict[str, Any], secret: NewSecret, now_ms: int) -> Kept:
    """Keep a new key (its columns) with its first secret.

    Raises:
        Refusal: NOT_FOUND: no such player. TOO_MANY_API_KEYS.
    """
    table = schema.api_keys
    player = people.hold(connection, key["player_id"])
    if player is None or player.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=key["player_id"])
    count = connection.scalar(
        select(func.count()).where(table.c.player_id == key["player_id"], table.c.revoked_at_ms.is_(None))
    )
    if (count or 0) >= KEYS_MAX:
        raise Refusal("TOO_MANY_API_KEYS", most=KEYS_MAX)
    connection.execute(insert(table), key | {"created_at_ms": now_ms})
    _add_secret(connection, key["key_id"], secret, now_ms)
    return _kept(connection, key["key_id"], now_ms)


def of(connection: Connection, player_id: str, now_ms: int) -> list[Kept]:
    """Return a player's keys, the newest first, ended ones last."""
    table = schema.api_keys
    rows = connection.execute(
        select(table)
        .where(table.c.player_id == player_id)
        .order_by(table.c.revoked_at_ms.is_not(None), table.c.created_at_ms.desc(), table.c.key_id)
        .limit(LISTED_MAX)
    ).all()
    return [Kept(row, _secrets(connection, row.key_id, now_ms)) for row in rows]


def rotate(
    connection: Connection, player_id: str, key_id: str, secret: NewSecret, overlap_ms: int, now_ms: int
) -> Kept:
    """Give a key a new secret; the newest so far stays good for `overlap_ms`, older ones end.

    Raises:
        Refusal: NOT_FOUND: he has no such good key.
    """
    _held(connection, key_id, player_id)
    table = schema.api_key_secrets
    good = _secrets(connection, key_id, now_ms)
    kept = {good[0].secret_hash} if good and overlap_ms > 0 else set()
    connection.execute(delete(table).where(table.c.key_id == key_id, table.c.secret_hash.not_in(kept)))
    for before in kept:
        connection.execute(
            update(table).where(table.c.secret_hash == before).values(expires_at_ms=now_ms + overlap_ms)
        )
    _add_secret(connection, key_id, secret, now_ms)
    return _kept(connection, key_id, now_ms)


def revoke(connection: Connection, key_id: str, player_id: str, now_ms: int) -> Row[Any]:
    """End a key with its tokens, and return it as it was; twice does nothing.

    Args:
        player_id: Whose it must be; empty: anybody's.

    Raises:
        Refusal: NOT_FOUND.
    """
    table = schema.api_keys
    key = _held(connection, key_id, player_id, is_good=False)
    if key.revoked_at_ms is None:
        connection.execute(update(table).where(table.c.key_id == key_id).values(revoked_at_ms=now_ms))
        secrets = schema.api_key_secrets
        connection.execute(delete(secrets).where(secrets.c.key_id == key_id))
        sessions.revoke_of_key(connection, key_id, now_ms)
    return key


def exchange(
    connection: Connection, secret_hash: bytes, session_id: str, expires_at_ms: int, network: str, now_ms: int
) -> Row[Any]:
    """Begin the session of one token, and return the key.

    Raises:
        Refusal: API_KEY_INVALID: unknown, ended, or the secret was replaced. ACCOUNT_SUSPENDED.
    """
    table, secrets = schema.api_keys, schema.api_key_secrets
    found = connection.execute(select(secrets).where(secrets.c.secret_hash == secret_hash)).one_or_none()
    if found is None or (found.expires_at_ms is not None and found.expires_at_ms <= now_ms):
        raise Refusal("API_KEY_INVALID")
    owner = connection.scalar(select(table.c.player_id).where(table.c.key_id == found.key_id))
    # The player before the key, as everywhere: suspension and deletion hold him first, too.
    player = people.hold(connection, owner or "")
    key = connection.execute(
        select(table).where(table.c.key_id == found.key_id).with_for_update()
    ).one_or_none()
    if key is None or key.revoked_at_ms is not None or player is None or player.deleted_at_ms is not None:
        raise Refusal("API_KEY_INVALID")
    if player.deletes_at_ms is not None:
        raise Refusal("API_KEY_INVALID")
    if people.is_suspended(player, now_ms):
        raise people.suspended(player)
    sessions.open_session(
        connection,
        session_id,
        key.player_id,
        key.name,
        b"",
        expires_at_ms,
        now_ms,
        network,
        "api_key",
        key.key_id,
    )
    connection.execute(update(table).where(table.c.key_id == key.key_id).values(used_at_ms=now_ms))
    return key


def _held(connection: Connection, key_id: str, player_id: str, *, is_good: bool = True) -> Row[Any]:
    table = schema.api_keys
    key = connection.execute(select(table).where(table.c.key_id == key_id).with_for_update()).one_or_none()
    if key is None or player_id not in ("", key.player_id) or (is_good and key.revoked_at_ms is not None):
        raise Refusal("NOT_FOUND", what="API key")
    return key


def _kept(connection: Connection, key_id: str, now_ms: int) -> Kept:
    table = schema.api_keys
    key = connection.execute(select(table).where(table.c.key_id == key_id)).one()
    return Kept(key, _secrets(connection, key_id, now_ms))


def _secrets(connection: Connection, key_id: str, now_ms: int) -> Sequence[Row[Any]]:
    table = schema.api_key_secrets
    return connection.execute(
        select(table)
        .where(
            table.c.key_id == key_id,
            (table.c.expires_at_ms.is_(None)) | (table.c.expires_at_ms > now_ms),
        )
        .order_by(table.c.expires_at_ms.is_not(None), table.c.created_at_ms.desc(), table.c.secret_hash)
        .limit(SECRETS_MAX)
    ).all()


def _add_secret(connection: Connection, key_id: str, secret: NewSecret, now_ms: int) -> None:
    row = {"secret_hash": secret.hash, "key_id": key_id, "prefix": secret.prefix, "created_at_ms": now_ms}
    connection.execute(insert(schema.api_key_secrets), row)
