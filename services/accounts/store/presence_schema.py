"""The tables of who hides, and of invitations that wait, in the database of accounts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text

from services.accounts.store.schema import metadata

hidden = Table(
    "presence_hidden",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)
"""Who does not show friends whether he is here. Without a row one does."""

invitations = Table(
    "room_invitations",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("inviter_id", Text, primary_key=True),
    Column("room_code", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("preset", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Index("room_invitations_inviter", "inviter_id"),
)
"""The last invitation of each friend, until its room has stopped waiting."""
