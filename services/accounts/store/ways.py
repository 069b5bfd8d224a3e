"""The ways into an account: device keys, a password, identities of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from services.accounts.core.limits import CreationLimits
from services.accounts.store import people, protection, schema
from services.accounts.store.people import SignedIn
from services.chassis.errors import Refusal

KEYS_MAX = 20


@dataclass(frozen=True, slots=True)
class Way:
    """One way in."""

    kind: str
    id: str
    created_at_ms: int
    title: str = ""


def of(connection: Connection, player_id: str) -> list[Way]:
    """Return keys, password, identities, each kind by age."""
    keys, passwords, identities = schema.device_keys, schema.passwords, schema.identities
    found = [
        Way("key", bytes(row.public_key).hex(), row.created_at_ms)
        for row in connection.execute(
            select(keys)
            .where(keys.c.player_id == player_id)
            .order_by(keys.c.created_at_ms, keys.c.public_key)
        )
    ]
    found += [
        Way("password", row.login_name, row.created_at_ms)
        for row in connection.execute(select(passwords).where(passwords.c.player_id == player_id))
    ]
    found += [
        Way("oidc", row.provider_id, row.created_at_ms, row.title)
        for row in connection.execute(
            select(identities)
            .where(identities.c.player_id == player_id)
            .order_by(identities.c.created_at_ms, identities.c.provider_id)
        )
    ]
    return found


def add_key(connection: Connection, player_id: str, public_key: bytes, now_ms: int) -> list[Way]:
    """Make a proven key a way into an account; twice does nothing.

    Raises:
        Refusal: KEY_TAKEN: it is another's. TOO_MANY_KEYS.
    """
    _held(connection, player_id)
    owner = people.player_of_key(connection, public_key)
    if owner is None:
        keys = schema.device_keys
        count = connection.scalar(select(func.count()).where(keys.c.player_id == player_id)) or 0
        if count >= KEYS_MAX:
            raise Refusal("TOO_MANY_KEYS", most=KEYS_MAX)
        row = {"public_key": public_key, "player_id": player_id, "created_at_ms": now_ms}
        try:
            with connection.begin_nested():
                connection.execute(insert(keys), row)
        except IntegrityError:
            owner = ""
    if owner not in (None, player_id):
        raise Refusal("KEY_TAKEN")
    return of(connection, player_id)


def remove(connection: Connection, player_id: str, kind: str, way_id: str) -> list[Way]:
    """Take a way in away.

    Raises:
        Refusal: NOT_FOUND. LAST_WAY_IN.
    """
    _held(connection, player_id)
    ways = of(connection, player_id)
    if not any((way.kind, way.id) == (kind, way_id) for way in ways):
        raise Refusal("NOT_FOUND", what=kind[:20])
    if len(ways) == 1:
        raise Refusal("LAST_WAY_IN")
    protection.keep_for_ways(connection, player_id)
    keys, passwords, identities = schema.device_keys, schema.passwords, schema.identities
    if kind == "key":
        gone = delete(keys).where(keys.c.player_id == player_id, keys.c.public_key == bytes.fromhex(way_id))
    elif kind == "password":
        gone = delete(passwords).where(passwords.c.player_id == player_id)
    else:
        gone = delete(identities).where(
            identities.c.player_id == player_id, identities.c.provider_id == way_id
        )
    connection.execute(gone)
    return of(connection, player_id)


def password_of(connection: Connection, player_id: str) -> Row[Any] | None:
    """Return a player's password, if he has one."""
    table = schema.passwords
    return connection.execute(select(table).where(table.c.player_id == player_id)).one_or_none()


def password_by_name(connection: Connection, login_name: str) -> Row[Any] | None:
    """Return the password under a login name, if there is one."""
    table = schema.passwords
    return connection.execute(select(table).where(table.c.login_name == login_name)).one_or_none()


def set_password(
    connection: Connection, player_id: str, login_name: str, hashed: str, replaced: str | None, now_ms: int
) -> None:
    """Set or change login name and password.

    Args:
        replaced: The hash that the current password was checked against; None: there was none.

    Raises:
        Refusal: LOGIN_NAME_TAKEN. PASSWORD_WRONG: it was changed meanwhile.
    """
    _held(connection, player_id)
    table = schema.passwords
    found = password_of(connection, player_id)
    if (None if found is None else found.hash) != replaced:
        raise Refusal("PASSWORD_WRONG")
    values = {"login_name": login_name, "hash": hashed, "changed_at_ms": now_ms}
    try:
        with connection.begin_nested():
            if found is None:
                made = values | {"player_id": player_id, "created_at_ms": now_ms}
                connection.execute(insert(table), made)
            else:
                connection.execute(update(table).where(table.c.player_id == player_id).values(**values))
    except IntegrityError:
        raise Refusal("LOGIN_NAME_TAKEN") from None


def rehash(connection: Connection, player_id: str, before: str, after: str) -> None:
    """Keep the same password under newer parameters, unless it was changed meanwhile."""
    table = schema.passwords
    connection.execute(
        update(table).where(table.c.player_id == player_id, table.c.hash == before).values(hash=after)
    )


def sign_in_identity(
    connection: Connection,
    provider_id: str,
    subject: str,
    title: str,
    network: str,
    new_player_id: str,
    limits: CreationLimits,
    now_ms: int,
) -> SignedIn:
    """Return the player of an identity, made now if the identity is new.

    Raises:
        Refusal: TOO_MANY_NEW_PLAYERS, ACCOUNT_SUSPENDED.
    """
    owner = _player_of_identity(connection, provider_id, subject)
    if owner is None:
        # The same new identity from two networks at once is one player, too.
        people.hold_newcomer(connection, f"{provider_id}/{subject}")
        people.hold_network(connection, network)
        owner = _player_of_identity(connection, provider_id, subject)
    if owner is not None:
        return people.enter(connection, owner, now_ms)
    player = people.make_player(connection, new_player_id, network, limits, now_ms)
    connection.execute(
        insert(schema.identities), _identity(provider_id, subject, title, new_player_id, now_ms)
    )
    return SignedIn(player, created=True)


def link_identity(
    connection: Connection, player_id: str, provider_id: str, subject: str, title: str, now_ms: int
) -> Row[Any]:
    """Make an identity a way into an account, and return its player; twice does nothing.

    Raises:
        Refusal: IDENTITY_TAKEN: it is another's. IDENTITY_ALREADY_LINKED: the account has another of this
            provider.
    """
    player = _held(connection, player_id)
    owner = _player_of_identity(connection, provider_id, subject)
    if owner is None:
        linked = [way.id for way in of(connection, player_id) if way.kind == "oidc"]
        if provider_id in linked:
            raise Refusal("IDENTITY_ALREADY_LINKED")
        try:
            with connection.begin_nested():
                made = _identity(provider_id, subject, title, player_id, now_ms)
                connection.execute(insert(schema.identities), made)
        except IntegrityError:
            raise Refusal("IDENTITY_TAKEN") from None
    elif owner != player_id:
        raise Refusal("IDENTITY_TAKEN")
    return player


def _identity(provider_id: str, subject: str, title: str, player_id: str, now_ms: int) -> dict[str, Any]:
    return {
        "provider_id": provider_id,
        "subject": subject,
        "player_id": player_id,
        "title": title,
        "created_at_ms": now_ms,
    }


def _player_of_identity(connection: Connection, provider_id: str, subject: str) -> str | None:
    table = schema.identities
    return connection.scalar(
        select(table.c.player_id).where(table.c.provider_id == provider_id, table.c.subject == subject)
    )


def _held(connection: Connection, player_id: str) -> Row[Any]:
    player = people.hold(connection, player_id)
    if player is None or player.deleted_at_ms is not None:
        raise Refusal("NOT_FOUND", what=player_id)
    return player
