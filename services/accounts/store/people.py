"""Challenges, players and profiles: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.accounts.v1 import events_pb2
from sqlalchemy import Connection, Row, delete, func, insert, select, text, update

from services.accounts.core import names
from services.accounts.core.limits import DAY_MS, HOUR_MS, CreationLimits, Made, judge
from services.accounts.store import schema
from services.chassis import outbox
from services.chassis.errors import Refusal

CHALLENGES_SWEPT_MAX = 100
"""Expired challenges removed with each new one, so that the table stays small by itself."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who signed in."""

    player: Row[Any]
    created: bool


def keep_challenge(
    connection: Connection, challenge: bytes, public_key: bytes, now_ms: int, expires_at_ms: int
) -> None:
    """Remember a challenge, and forget some that have expired."""
    table = schema.challenges
    expired = (
        select(table.c.challenge)
        .where(table.c.expires_at_ms <= now_ms)
        .limit(CHALLENGES_SWEPT_MAX)
        .scalar_subquery()
    )
    connection.execute(delete(table).where(table.c.challenge.in_(expired)))
    connection.execute(
        insert(table), {"challenge": challenge, "public_key": public_key, "expires_at_ms": expires_at_ms}
    )


def use_challenge(connection: Connection, challenge: bytes, public_key: bytes, now_ms: int) -> None:
    """Use up a challenge.

    Raises:
        Refusal: CHALLENGE_INVALID: unknown, used, expired, or given to another key.
    """
    table = schema.challenges
    used = connection.execute(
        delete(table).where(
            table.c.challenge == challenge,
            table.c.public_key == public_key,
            table.c.expires_at_ms > now_ms,
        )
    )
    if used.rowcount != 1:
        raise Refusal("CHALLENGE_INVALID")


def sign_in(
    connection: Connection,
    public_key: bytes,
    network: str,
    new_player_id: str,
    limits: CreationLimits,
    now_ms: int,
) -> SignedIn:
    """Return the player of a key, made now if the key is new.

    Raises:
        Refusal: TOO_MANY_NEW_PLAYERS: the key is new, and too many were made from this network lately.
    """
    player = _player_of_key(connection, public_key)
    if player is not None:
        return SignedIn(player, created=False)
    _hold_network(connection, network)
    player = _player_of_key(connection, public_key)
    if player is not None:
        return SignedIn(player, created=False)
    verdict = judge(limits, _made(connection, network, now_ms), now_ms)
    if not verdict.allowed:
        raise Refusal("TOO_MANY_NEW_PLAYERS", retry_ms=verdict.retry_ms)
    connection.execute(
        insert(schema.players),
        {
            "player_id": new_player_id,
            "nickname": names.default_nickname(new_player_id),
            "avatar": names.default_avatar(new_player_id),
            "created_at_ms": now_ms,
            "version": 1,
            "network": network,
            "welcome": verdict.welcome,
        },
    )
    connection.execute(
        insert(schema.device_keys),
        {"public_key": public_key, "player_id": new_player_id, "created_at_ms": now_ms},
    )
    event = events_pb2.PlayerCreated(player_id=new_player_id, created_at_ms=now_ms, welcome=verdict.welcome)
    outbox.put(connection, event, f"player_created:{new_player_id}")
    return SignedIn(profiles(connection, [new_player_id])[0], created=True)


def profiles(connection: Connection, player_ids: Iterable[str]) -> Sequence[Row[Any]]:
    """Return the players that exist, in the order of the ids."""
    wanted = list(dict.fromkeys(player_ids))
    rows = connection.execute(select(schema.players).where(schema.players.c.player_id.in_(wanted)))
    found = {row.player_id: row for row in rows}
    return [found[player_id] for player_id in wanted if player_id in found]


def update_profile(
    connection: Connection, player_id: str, changes: dict[str, str], expected_version: int
) -> Row[Any]:
    """Change a profile and tell of it; nothing new changes nothing.

    Args:
        expected_version: The version the caller has read; 0 = whatever it is.

    Raises:
        Refusal: NOT_FOUND, PROFILE_CHANGED.
    """
    table = schema.players
    found = connection.execute(
        select(table).where(table.c.player_id == player_id).with_for_update()
    ).one_or_none()
    if found is None:
        raise Refusal("NOT_FOUND", what=player_id)
    if expected_version not in (0, found.version):
        raise Refusal("PROFILE_CHANGED", version=found.version)
    if all(getattr(found, name) == value for name, value in changes.items()):
        return found
    connection.execute(
        update(table).where(table.c.player_id == player_id).values(version=found.version + 1, **changes)
    )
    changed = profiles(connection, [player_id])[0]
    event = events_pb2.ProfileChanged(
        player_id=player_id, nickname=changed.nickname, avatar=changed.avatar, version=changed.version
    )
    outbox.put(connection, event, f"profile_changed:{player_id}/{changed.version}")
    return changed


def _player_of_key(connection: Connection, public_key: bytes) -> Row[Any] | None:
    table, keys = schema.players, schema.device_keys
    return connection.execute(
        select(table).join(keys, keys.c.player_id == table.c.player_id).where(keys.c.public_key == public_key)
    ).one_or_none()


def _hold_network(connection: Connection, network: str) -> None:
    """Let one transaction at a time make players from a network (SQLite has one writer anyway)."""
    if connection.dialect.name == "postgresql":
        connection.execute(
            text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"network/{network}"}
        )


def _made(connection: Connection, network: str, now_ms: int) -> Made:
    table = schema.players

    def since(age_ms: int, *more: Any) -> Any:
        return connection.execute(
            select(func.count(), func.min(table.c.created_at_ms)).where(
                table.c.network == network, table.c.created_at_ms > now_ms - age_ms, *more
            )
        ).one()

    hour, day = since(HOUR_MS), since(DAY_MS)
    welcomed = since(DAY_MS, table.c.welcome.is_(True))
    return Made(hour[0], day[0], welcomed[0], hour[1] or 0, day[1] or 0)
