"""Challenges, players and profiles: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from paiju.accounts.v1 import events_pb2
from sqlalchemy import Connection, Row, delete, func, insert, select, text, update

from services.accounts.core import names
from services.accounts.core.choices import is_in
from services.accounts.core.limits import DAY_MS, HOUR_MS, CreationLimits, Made, judge
from services.accounts.core.texts import text_of
from services.accounts.store import schema
from services.chassis import outbox
from services.chassis.errors import Refusal

FOR_EVER = -1
"""A suspension without an end."""
RENAMES_MAX = 50
"""Names of the house's making that are tried for who becomes staff; the first is nearly always free."""
CHALLENGES_SWEPT_MAX = 100
"""Expired challenges removed with each new one, so that the table stays small by itself."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who signed in."""

    player: Row[Any]
    created: bool
    deletion_cancelled: bool = False
    roles: tuple[str, ...] = ()


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
            ACCOUNT_SUSPENDED.
    """
    player_id = player_of_key(connection, public_key)
    if player_id is not None:
        return enter(connection, player_id, now_ms)
    hold_newcomer(connection, public_key.hex())
    hold_network(connection, network)
    player_id = player_of_key(connection, public_key)
    if player_id is not None:
        return enter(connection, player_id, now_ms)
    player = make_player(connection, new_player_id, network, limits, now_ms)
    connection.execute(
        insert(schema.device_keys),
        {"public_key": public_key, "player_id": new_player_id, "created_at_ms": now_ms},
    )
    return SignedIn(player, created=True)


def enter(connection: Connection, player_id: str, now_ms: int) -> SignedIn:
    """Let a player in who has proven who he is; a deletion that waits is cancelled.

    Raises:
        Refusal: ACCOUNT_SUSPENDED. ACCOUNT_DELETED: it has just happened.
    """
    table = schema.players
    found = hold(connection, player_id)
    if found is None or found.deleted_at_ms is not None:
        raise Refusal("ACCOUNT_DELETED")
    if is_suspended(found, now_ms):
        raise suspended(found)
    if found.deletes_at_ms is not None:
        connection.execute(update(table).where(table.c.player_id == player_id).values(deletes_at_ms=None))
    roles = tuple(
        connection.scalars(
            select(schema.roles.c.role)
            .where(schema.roles.c.player_id == player_id)
            .order_by(schema.roles.c.role)
        )
    )
    return SignedIn(found, False, found.deletes_at_ms is not None, roles)


def hold(connection: Connection, player_id: str) -> Row[Any] | None:
    """Return a player, held for this transaction: sign-in, suspension, deletion come one after the other."""
    table = schema.players
    return connection.execute(
        select(table).where(table.c.player_id == player_id).with_for_update()
    ).one_or_none()


def is_suspended(player: Row[Any], now_ms: int) -> bool:
    """Return whether a player is kept out now."""
    until: int | None = player.suspended_until_ms
    return until is not None and (until == FOR_EVER or until > now_ms)


def suspended(player: Row[Any]) -> Refusal:
    """Return what a suspended player is told."""
    until = player.suspended_until_ms
    said = "—" if until == FOR_EVER else text_of(until)
    return Refusal("ACCOUNT_SUSPENDED", until=said, until_ms=until, why=player.suspended_because)


def make_player(
    connection: Connection, new_player_id: str, network: str, limits: CreationLimits, now_ms: int
) -> Row[Any]:
    """Make a player, and tell of him; `hold_network` comes before.

    He is called as nobody of the staff is.

    Raises:
        Refusal: TOO_MANY_NEW_PLAYERS.
    """
    verdict = judge(limits, _made(connection, network, now_ms), now_ms)
    if not verdict.allowed:
        raise Refusal("TOO_MANY_NEW_PLAYERS", retry_ms=verdict.retry_ms)
    hold_names(connection)
    nickname = names.default_nickname(new_player_id, staff_names(connection))
    connection.execute(
        insert(schema.players),
        {
            "player_id": new_player_id,
            "nickname": nickname,
            "looks": names.looks_of(nickname),
            "avatar": names.default_avatar(new_player_id),
            "created_at_ms": now_ms,
            "version": 1,
            "network": network,
            "welcome": verdict.welcome,
        },
    )
    event = events_pb2.PlayerCreated(player_id=new_player_id, created_at_ms=now_ms, welcome=verdict.welcome)
    outbox.put(connection, event, f"player_created:{new_player_id}")
    return profiles(connection, [new_player_id])[0]


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

    A city that does not lie in the region goes with the old one.

    Raises:
        Refusal: NOT_FOUND, PROFILE_CHANGED. NICKNAME_STAFF: somebody of the staff looks to be called so.
            STAFF_NAME_ALIKE: he is of the staff, and somebody else looks to be called so. CITY_UNKNOWN: it is
            not in the region.
    """
    if "nickname" in changes:
        hold_names(connection)
    found = hold(connection, player_id)
    if found is None or found.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=player_id)
    if expected_version not in (0, found.version):
        raise Refusal("PROFILE_CHANGED", version=found.version)
    region = changes.get("region", found.region)
    if not is_in(changes.get("city", found.city), region):
        if "city" in changes:
            raise Refusal("CITY_UNKNOWN")
        changes = {**changes, "city": ""}
    if all(getattr(found, name) == value for name, value in changes.items()):
        return found
    if changes.get("nickname", found.nickname) != found.nickname:
        names.check_unlike(changes["nickname"], staff_names(connection, player_id))
        changes = {**changes, "looks": names.looks_of(changes["nickname"])}
        roles = schema.roles.c
        if connection.execute(select(roles.role).where(roles.player_id == player_id)).first():
            check_alone(connection, player_id, changes["nickname"])
    return _write_profile(connection, found, changes)


def _write_profile(connection: Connection, found: Row[Any], changes: dict[str, str]) -> Row[Any]:
    table, player_id = schema.players, found.player_id
    connection.execute(
        update(table).where(table.c.player_id == player_id).values(version=found.version + 1, **changes)
    )
    changed = profiles(connection, [player_id])[0]
    # No name goes into a stream that is kept: it could not be forgotten there.
    event = events_pb2.ProfileChanged(player_id=player_id, version=changed.version)
    outbox.put(connection, event, f"profile_changed:{player_id}/{changed.version}")
    return changed


def player_of_key(connection: Connection, public_key: bytes) -> str | None:
    """Return whose way in a key is."""
    keys = schema.device_keys
    return connection.scalar(select(keys.c.player_id).where(keys.c.public_key == public_key))


def staff_names(connection: Connection, but: str = "") -> Sequence[str]:
    """Return how staff is called, but for one."""
    table, roles = schema.players, schema.roles
    return connection.scalars(
        select(table.c.nickname)
        .where(table.c.player_id.in_(select(roles.c.player_id)), table.c.player_id != but)
        .distinct()
    ).all()


def check_alone(connection: Connection, player_id: str, nickname: str) -> None:
    """Let a member of staff be called what nobody else looks to be called; `hold_names` comes before.

    Raises:
        Refusal: STAFF_NAME_ALIKE.
    """
    table, looks = schema.players, names.looks_of(nickname)
    # What an older process wrote is not looked at yet.
    query = select(table.c.nickname, table.c.looks).where(
        table.c.looks.in_((looks, "")), table.c.player_id != player_id, table.c.deleted_at_ms.is_(None)
    )
    others = sum(
        row.looks == looks or names.looks_of(row.nickname) == looks for row in connection.execute(query)
    )
    if others:
        raise Refusal("STAFF_NAME_ALIKE", others=others)


def stand_alone(connection: Connection, player: Row[Any]) -> None:
    """See that somebody who becomes staff is called as nobody else is; `hold_names` comes before.

    Raises:
        Refusal: STAFF_NAME_ALIKE, if he has chosen his name.
    """
    name, tries = player.nickname, 0
    while True:
        try:
            check_alone(connection, player.player_id, name)
            break
        except Refusal:
            if not names.is_of_the_house(name) or tries == RENAMES_MAX:
                raise
            name, tries = names.longer_nickname(player.player_id, tries), tries + 1
    if name != player.nickname:
        _write_profile(connection, player, {"nickname": name, "looks": names.looks_of(name)})


def hold_names(connection: Connection, *, alone: bool = False) -> None:
    """Keep others from appointing staff until the transaction ends; `alone`: and from taking names.

    It comes before a player is held. SQLite has one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        lock = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        connection.execute(text(f"SELECT {lock}(hashtext('staff names'))"))


def hold_network(connection: Connection, network: str) -> None:
    """Let one transaction at a time make players from a network (SQLite has one writer anyway)."""
    _hold_name(connection, f"network/{network}")


def hold_newcomer(connection: Connection, proof: str) -> None:
    """Let one transaction at a time make the player of a key or an identity, wherever it comes from."""
    _hold_name(connection, f"newcomer/{proof}")


def _hold_name(connection: Connection, name: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})


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
