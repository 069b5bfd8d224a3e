"""Lists of friends, requests and blocks, in pages: `fn(connection)` functions for `db.read`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, Connection, Row, Select, and_, func, or_, select

from services.accounts.store import schema
from services.accounts.store.friends_schema import asks, blocks, friends, requests

FOUND_MAX: Final = 20
"""People of one nickname that are shown."""

After = tuple[int, str]
"""The place behind an entry: its time, and whose it is."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Somebody in a list."""

    player: Row[Any]
    since_ms: int
    expires_at_ms: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list."""

    entries: list[Listed]
    after: After | None
    """None = that was all."""
    total: int


def called(connection: Connection, nickname: str, but: str, most: int = FOUND_MAX) -> Sequence[Row[Any]]:
    """Return people of exactly this nickname, the oldest accounts first."""
    c = schema.players.c
    return connection.execute(
        select(schema.players)
        .where(c.nickname == nickname, c.deleted_at_ms.is_(None), c.player_id != but)
        .order_by(c.created_at_ms, c.player_id)
        .limit(most)
    ).all()


def list_friends(connection: Connection, player_id: str, size: int, after: After | None) -> Page:
    """Return a page of a player's friends, the newest first."""
    c = friends.c
    return _page(connection, c.friend_id, c.since_ms, [c.player_id == player_id], size, after)


def list_received(
    connection: Connection, player_id: str, now_ms: int, size: int, after: After | None
) -> Page:
    """Return a page of the requests to a player that he is shown, the newest first."""
    c = requests.c
    hidden = select(blocks.c.blocked_id).where(blocks.c.player_id == player_id)
    which = [
        c.asked_id == player_id,
        c.expires_at_ms > now_ms,
        c.is_declined.is_(False),
        c.asker_id.not_in(hidden),
    ]
    return _page(connection, c.asker_id, c.asked_at_ms, which, size, after, c.expires_at_ms)


def list_sent(connection: Connection, player_id: str, now_ms: int, size: int, after: After | None) -> Page:
    """Return a page of the requests of a player that wait, the newest first."""
    c = requests.c
    which = [c.asker_id == player_id, c.expires_at_ms > now_ms]
    return _page(connection, c.asked_id, c.asked_at_ms, which, size, after, c.expires_at_ms)


def list_blocked(connection: Connection, player_id: str, size: int, after: After | None) -> Page:
    """Return a page of those whom a player has blocked, the newest first."""
    c = blocks.c
    return _page(connection, c.blocked_id, c.at_ms, [c.player_id == player_id], size, after)


def everything(connection: Connection, player_id: str) -> dict[str, Any]:
    """Return all that is held of a player here; of his requests, not what others made of them."""
    f, r, b, a = friends.c, requests.c, blocks.c, asks.c
    queries = {
        "friends": select(f.friend_id, f.since_ms).where(f.player_id == player_id),
        "requests_sent": select(r.asked_id, r.asked_at_ms, r.expires_at_ms).where(r.asker_id == player_id),
        "requests_received": select(r.asker_id, r.asked_at_ms, r.expires_at_ms, r.is_declined).where(
            r.asked_id == player_id
        ),
        "blocked": select(b.blocked_id, b.at_ms).where(b.player_id == player_id),
        "asks": select(a.day, a.asks).where(a.player_id == player_id),
    }
    return {
        name: [dict(row) for row in connection.execute(query).mappings()] for name, query in queries.items()
    }


def count(connection: Connection, which: Any) -> int:
    """Return how many rows a condition fits."""
    return connection.scalar(select(func.count()).where(which)) or 0


def _page(
    connection: Connection,
    who: Column[str],
    at: Column[int],
    which: Sequence[Any],
    size: int,
    after: After | None,
    expires: Column[int] | None = None,
) -> Page:
    total = count(connection, and_(*which))
    players = schema.players
    columns = (players, at.label("listed_since"), *(() if expires is None else (expires.label("listed_to"),)))
    query: Select[Any] = select(*columns).join(players, players.c.player_id == who).where(*which)
    if after is not None:
        query = query.where(or_(at < after[0], and_(at == after[0], who > after[1])))
    rows = connection.execute(query.order_by(at.desc(), who).limit(size + 1)).all()
    entries = [Listed(row, row.listed_since, 0 if expires is None else row.listed_to) for row in rows[:size]]
    last = entries[-1] if len(rows) > size else None
    return Page(entries, None if last is None else (last.since_ms, last.player.player_id), total)
