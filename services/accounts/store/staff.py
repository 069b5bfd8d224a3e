"""Roles, suspensions, and the log of what staff did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paiju.accounts.v1.events_pb2 import StaffActed
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from services.accounts.store import people, schema, sessions
from services.chassis import outbox
from services.chassis.auth import Staff
from services.chassis.db.inserts import upsert
from services.chassis.errors import Refusal


@dataclass(frozen=True, slots=True)
class Deed:
    """What somebody of the staff does."""

    by: Staff
    reason: str
    event_id: str
    """A new name: the deed's entry in the log, and its event."""
    at_ms: int


def tell(connection: Connection, deed: Deed, action: str, subject: str, **detail: Any) -> None:
    """Write a deed into the outbox, in the transaction that does it; the log hears it from there."""
    event = StaffActed(
        staff_id=deed.by.staff_id,
        role=deed.by.role,
        action=action,
        subject=subject,
        reason=deed.reason,
        detail_json=json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else "",
        at_ms=deed.at_ms,
    )
    outbox.put(connection, event, f"staff_acted:{deed.event_id}")


def grant(connection: Connection, player_id: str, role: str, deed: Deed) -> list[str]:
    """Give a role; one that he has stays, and nothing is told. Returns what he has now.

    Staff is called as nobody else is; who has not chosen a name yet gets another one.

    Raises:
        Refusal: NOT_FOUND. STAFF_NAME_ALIKE: somebody else looks to be called as he has chosen to be.
    """
    people.hold_names(connection, alone=True)
    player = people.hold(connection, player_id)
    if player is None or player.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=player_id)
    held = roles_of(connection, player_id)
    if not held:
        people.stand_alone(connection, player)
    if role not in held:
        row = {
            "player_id": player_id,
            "role": role,
            "granted_by": deed.by.staff_id,
            "granted_at_ms": deed.at_ms,
        }
        connection.execute(insert(schema.roles), row)
        tell(connection, deed, "role.grant", player_id, role=role)
    return roles_of(connection, player_id)


def revoke(connection: Connection, player_id: str, role: str, deed: Deed) -> list[str]:
    """Take a role away and end his sessions; one that he doesn't have: nothing. Returns what is left.

    Raises:
        Refusal: NOT_FOUND. LAST_ADMIN: only an operator takes the last one away.
    """
    if people.hold(connection, player_id) is None:
        raise Refusal("NOT_FOUND", what=player_id)
    table = schema.roles
    held = roles_of(connection, player_id)
    if role not in held:
        return held
    if role == "admin" and deed.by.role != "operator":
        admins = connection.scalars(
            select(table.c.player_id)
            .where(table.c.role == "admin")
            .order_by(table.c.player_id)
            .with_for_update()
        ).all()
        if len(admins) == 1:
            raise Refusal("LAST_ADMIN")
    connection.execute(delete(table).where(table.c.player_id == player_id, table.c.role == role))
    sessions.revoke_all(connection, player_id, deed.at_ms, programs=False)
    tell(connection, deed, "role.revoke", player_id, role=role)
    return roles_of(connection, player_id)


def roles_of(connection: Connection, player_id: str) -> list[str]:
    """Return a player's roles, sorted."""
    table = schema.roles
    return list(
        connection.scalars(select(table.c.role).where(table.c.player_id == player_id).order_by(table.c.role))
    )


def members(connection: Connection) -> list[tuple[str, str, list[str]]]:
    """Return id, nickname and roles of all staff, by id."""
    players, roles = schema.players, schema.roles
    rows = connection.execute(
        select(players.c.player_id, players.c.nickname, roles.c.role)
        .join(roles, roles.c.player_id == players.c.player_id)
        .order_by(players.c.player_id, roles.c.role)
    )
    found: dict[str, tuple[str, str, list[str]]] = {}
    for row in rows:
        found.setdefault(row.player_id, (row.player_id, row.nickname, []))[2].append(row.role)
    return list(found.values())


def suspend(connection: Connection, player_id: str, until_ms: int, deed: Deed) -> int:
    """Keep a player out, end all his sessions, and return how many.

    Raises:
        Refusal: NOT_FOUND. STAFF_CANT_LEAVE: his roles come first.
    """
    player = people.hold(connection, player_id)
    if player is None or player.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=player_id)
    if roles_of(connection, player_id):
        raise Refusal("STAFF_CANT_LEAVE")
    table = schema.players
    connection.execute(
        update(table)
        .where(table.c.player_id == player_id)
        .values(suspended_until_ms=until_ms, suspended_because=deed.reason)
    )
    ended = sessions.revoke_all(connection, player_id, deed.at_ms)
    tell(connection, deed, "player.suspend", player_id, until_ms=until_ms)
    return ended


def lift(connection: Connection, player_id: str, deed: Deed) -> None:
    """Let a suspended player in again; one who isn't suspended: nothing.

    Raises:
        Refusal: NOT_FOUND.
    """
    player = people.hold(connection, player_id)
    if player is None:
        raise Refusal("NOT_FOUND", what=player_id)
    if player.suspended_until_ms is None:
        return
    table = schema.players
    connection.execute(
        update(table)
        .where(table.c.player_id == player_id)
        .values(suspended_until_ms=None, suspended_because="")
    )
    tell(connection, deed, "suspension.lift", player_id)


def keep(connection: Connection, entries: Sequence[dict[str, Any]]) -> None:
    """Write entries (columns but `entry_id`) into the log; one of the same `event_id` is kept once."""
    for entry in entries:
        connection.execute(
            upsert(connection, schema.staff_log)
            .values(entry)
            .on_conflict_do_nothing(index_elements=["event_id"])
        )


def log(
    connection: Connection, below: int | None, most: int, staff_id: str = "", subject: str = ""
) -> Sequence[Row[Any]]:
    """Return entries of the log, the newest first, below an id."""
    table = schema.staff_log
    wanted = select(table).order_by(table.c.entry_id.desc()).limit(most)
    if below is not None:
        wanted = wanted.where(table.c.entry_id < below)
    if staff_id:
        wanted = wanted.where(table.c.staff_id == staff_id)
    if subject:
        wanted = wanted.where(table.c.subject == subject)
    return connection.execute(wanted).all()


def count_living(connection: Connection, player_id: str, now_ms: int) -> int:
    """Return how many sessions of a player are not over."""
    table = schema.sessions
    counted = select(func.count()).where(
        table.c.player_id == player_id,
        table.c.revoked_at_ms.is_(None),
        table.c.refresh_expires_at_ms > now_ms,
        table.c.key_id.is_(None),
    )
    return int(connection.scalar(counted) or 0)
