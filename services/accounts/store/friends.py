"""Friends, requests and blocks in SQL: `fn(connection)` functions for `db.run`.

Whoever changes what two people are to each other holds both of them, in the order of their ids: of two who
accept, remove or block at once, one comes after the other and finds what the first has left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, and_, delete, insert, or_, select, update

from services.accounts.core.friends import (
    FriendLimits,
    Friendship,
    Held,
    Pair,
    Step,
    friendship,
    on_accept,
    on_ask,
)
from services.accounts.store import people, presence
from services.accounts.store.friend_lists import count
from services.accounts.store.friends_schema import asks, blocks, friends, requests
from services.chassis.days import day_of
from services.chassis.errors import Refusal


@dataclass(frozen=True, slots=True)
class Done:
    """What a change came to."""

    step: Step
    friendship: Friendship
    own: Row[Any]
    """The caller's row of `players`."""
    other: Row[Any]
    at_ms: int
    expires_at_ms: int = 0
    is_told: bool = False
    """Whether the other is to hear of it."""


def ask(
    connection: Connection, own_id: str, other_id: str, limits: FriendLimits, now_ms: int, expires_at_ms: int
) -> Done:
    """Ask somebody to be friends; twice does it once.

    Raises:
        Refusal: FRIEND_SELF. NOT_FOUND: there is no such person. What `on_ask` refuses.
    """
    own, other = _hold(connection, own_id, other_id)
    _drop_expired(connection, own_id, other_id, now_ms)
    pair = _pair(connection, own_id, other_id, now_ms)
    step = on_ask(pair, _held(connection, own_id, other_id, now_ms), limits)
    if step is Step.BEFRIEND:
        _befriend(connection, own_id, other_id, now_ms)
        return Done(step, Friendship.FRIENDS, own, other, now_ms, is_told=True)
    if step is Step.ASK:
        row = {"asker_id": own_id, "asked_id": other_id, "is_declined": False}
        times = {"asked_at_ms": now_ms, "expires_at_ms": expires_at_ms}
        connection.execute(insert(requests), row | times)
        _count_ask(connection, own_id, now_ms)
        is_told = not pair.is_blocked
        return Done(step, Friendship.ASKED, own, other, now_ms, expires_at_ms, is_told)
    return Done(step, friendship(pair), own, other, now_ms)


def accept(connection: Connection, own_id: str, other_id: str, limits: FriendLimits, now_ms: int) -> Done:
    """Accept a request; twice does it once.

    Raises:
        Refusal: FRIEND_SELF. NOT_FOUND. What `on_accept` refuses.
    """
    own, other = _hold(connection, own_id, other_id)
    pair = _pair(connection, own_id, other_id, now_ms)
    step = on_accept(pair, _held(connection, own_id, other_id, now_ms), limits)
    since_ms = now_ms
    if step is Step.BEFRIEND:
        _befriend(connection, own_id, other_id, now_ms)
    else:
        since_ms = connection.scalar(_same(select(friends.c.since_ms), friends, own_id, other_id)) or now_ms
    return Done(step, Friendship.FRIENDS, own, other, since_ms, is_told=step is Step.BEFRIEND)


def withdraw(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Friendship:
    """Take one's request back; without one nothing happens."""
    _hold(connection, own_id, other_id)
    connection.execute(_same(delete(requests), requests, own_id, other_id))
    return friendship(_pair(connection, own_id, other_id, now_ms))


def decline(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Friendship:
    """Show the request of somebody no more; without one nothing happens."""
    _hold(connection, own_id, other_id)
    connection.execute(_same(update(requests), requests, other_id, own_id).values(is_declined=True))
    return friendship(_pair(connection, own_id, other_id, now_ms))


def remove(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Friendship:
    """Be friends no more; of no friend nothing changes."""
    _hold(connection, own_id, other_id)
    _part(connection, own_id, other_id)
    return friendship(_pair(connection, own_id, other_id, now_ms))


def block(connection: Connection, own_id: str, other_id: str, blocked_max: int, now_ms: int) -> Friendship:
    """Hear nothing of somebody any more; his request waits on, unseen.

    Raises:
        Refusal: FRIEND_SELF. NOT_FOUND. FRIEND_BLOCKS_FULL.
    """
    _hold(connection, own_id, other_id)
    if not _pair(connection, own_id, other_id, now_ms).has_blocked:
        if count(connection, blocks.c.player_id == own_id) >= blocked_max:
            raise Refusal("FRIEND_BLOCKS_FULL", most=blocked_max)
        connection.execute(insert(blocks), {"player_id": own_id, "blocked_id": other_id, "at_ms": now_ms})
    _part(connection, own_id, other_id)
    connection.execute(_same(delete(requests), requests, own_id, other_id))
    return Friendship.BLOCKED


def unblock(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Friendship:
    """Let somebody ask again; of one who is not blocked nothing changes."""
    _hold(connection, own_id, other_id)
    connection.execute(_same(delete(blocks), blocks, own_id, other_id))
    return friendship(_pair(connection, own_id, other_id, now_ms))


def what_is(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Friendship:
    """Return what somebody is to a player."""
    return friendship(_pair(connection, own_id, other_id, now_ms))


def forget(connection: Connection, player_id: str) -> None:
    """Forget what a player was to others, and they to him."""
    for table in (friends, requests, blocks):
        one, other = table.primary_key.columns
        connection.execute(delete(table).where(or_(one == player_id, other == player_id)))
    connection.execute(delete(asks).where(asks.c.player_id == player_id))
    presence.forget(connection, player_id)


def _hold(connection: Connection, own_id: str, other_id: str) -> tuple[Row[Any], Row[Any]]:
    if own_id == other_id:
        raise Refusal("FRIEND_SELF")
    held: dict[str, Row[Any]] = {}
    for player_id in sorted((own_id, other_id)):
        row = people.hold(connection, player_id)
        if row is None or row.deleted_at_ms is not None:
            raise Refusal("NOT_FOUND", what=player_id)
        held[player_id] = row
    return held[own_id], held[other_id]


def _pair(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Pair:
    def asked(asker_id: str, asked_id: str) -> Row[Any] | None:
        query = _same(select(requests.c.is_declined), requests, asker_id, asked_id)
        return connection.execute(query.where(requests.c.expires_at_ms > now_ms)).one_or_none()

    def is_there(table: Table, one_id: str, two_id: str) -> bool:
        return connection.execute(_same(select(table), table, one_id, two_id)).first() is not None

    received = asked(other_id, own_id)
    return Pair(
        are_friends=is_there(friends, own_id, other_id),
        has_asked=asked(own_id, other_id) is not None,
        is_asked=received is not None,
        has_declined=received is not None and received.is_declined,
        has_blocked=is_there(blocks, own_id, other_id),
        is_blocked=is_there(blocks, other_id, own_id),
    )


def _held(connection: Connection, own_id: str, other_id: str, now_ms: int) -> Held:
    waits, c = requests.c.expires_at_ms > now_ms, requests.c
    today = connection.execute(select(asks).where(asks.c.player_id == own_id)).one_or_none()
    return Held(
        friends=count(connection, friends.c.player_id == own_id),
        his_friends=count(connection, friends.c.player_id == other_id),
        sent=count(connection, and_(c.asker_id == own_id, waits)),
        his_received=count(connection, and_(c.asked_id == other_id, waits, c.is_declined.is_(False))),
        asks_today=today.asks if today is not None and today.day == day_of(now_ms) else 0,
    )


def _befriend(connection: Connection, own_id: str, other_id: str, now_ms: int) -> None:
    for one, two in ((own_id, other_id), (other_id, own_id)):
        connection.execute(_same(delete(requests), requests, one, two))
        connection.execute(insert(friends), {"player_id": one, "friend_id": two, "since_ms": now_ms})


def _part(connection: Connection, own_id: str, other_id: str) -> None:
    for one, two in ((own_id, other_id), (other_id, own_id)):
        connection.execute(_same(delete(friends), friends, one, two))
        presence.dismiss(connection, one, two)


def _count_ask(connection: Connection, player_id: str, now_ms: int) -> None:
    day, c = day_of(now_ms), asks.c
    found = connection.execute(select(asks).where(c.player_id == player_id)).one_or_none()
    if found is None:
        connection.execute(insert(asks), {"player_id": player_id, "day": day, "asks": 1})
        return
    so_far = found.asks if found.day == day else 0
    connection.execute(update(asks).where(c.player_id == player_id).values(day=day, asks=so_far + 1))


def _drop_expired(connection: Connection, own_id: str, other_id: str, now_ms: int) -> None:
    """Take away requests whose time is over: those that could be in the way, and others of the two."""
    either = or_(requests.c.asker_id.in_((own_id, other_id)), requests.c.asked_id.in_((own_id, other_id)))
    connection.execute(delete(requests).where(requests.c.expires_at_ms <= now_ms, either))


def _same(statement: Any, table: Table, one_id: str, two_id: str) -> Any:
    """Return a statement of the one row of two people."""
    one, two = table.primary_key.columns
    return statement.where(one == one_id, two == two_id)
