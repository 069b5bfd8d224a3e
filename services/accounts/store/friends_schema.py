"""The tables of friends, in the database of accounts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from services.accounts.store.schema import metadata

friends = Table(
    "friends",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("friend_id", Text, primary_key=True),
    Column("since_ms", BigInteger, nullable=False),
    Index("friends_since", "player_id", "since_ms"),
    Index("friends_friend", "friend_id"),
)
"""Two rows for two friends, made and taken away together."""

requests = Table(
    "friend_requests",
    metadata,
    Column("asker_id", Text, primary_key=True),
    Column("asked_id", Text, primary_key=True),
    Column("asked_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("is_declined", Boolean, nullable=False),
    Index("friend_requests_asked", "asked_id", "asked_at_ms"),
)
"""Requests that wait. A declined one waits on for its asker, and is not shown to the other any more."""

blocks = Table(
    "friend_blocks",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("blocked_id", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Index("friend_blocks_blocked", "blocked_id"),
)

asks = Table(
    "friend_asks",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("day", Integer, nullable=False),
    Column("asks", Integer, nullable=False),
)
"""Requests sent on the last day on which any was; `day` is the platform's."""
