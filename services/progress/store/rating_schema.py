"""The tables of ratings, in the database of progress."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Index, Table, Text

from services.progress.store.schema import metadata

ratings = Table(
    "ratings",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("mean", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("last_at_ms", BigInteger, nullable=False),
    Column("last_round_id", Text, nullable=False),
)
"""What is thought of a player now, and the round that it rests on last."""

rated_rounds = Table("rated_rounds", metadata, Column("round_id", Text, primary_key=True))
"""Rounds that were heard of."""

rating_steps = Table(
    "rating_steps",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("at_ms", BigInteger, primary_key=True),
    Column("round_id", Text, primary_key=True),
    Column("mean", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("points", Text, nullable=False),
    Index("rating_steps_at", "at_ms"),
)
"""What was thought of a player before a round of his, and the round (`points`: by player, JSON): kept for as
long as another may come late and have it reckoned anew."""
