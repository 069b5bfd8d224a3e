"""The tables of progress; migrations make them."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, MetaData, Table, Text

from services.progress.core.counts import NUMBERS

metadata = MetaData()
SERIAL = BigInteger().with_variant(Integer, "sqlite")

played_rounds = Table("played_rounds", metadata, Column("round_id", Text, primary_key=True))
"""Rounds that are in the statistics."""

plays = Table(
    "plays",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("preset", Text, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in NUMBERS),
    Column("best", Text, nullable=False),
    Column("names", Text, nullable=False),
)
"""Statistics of a player by game and preset; `core/counts.py` says what each column counts."""

play_days = Table(
    "play_days",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("preset", Text, primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("rounds", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),
    Column("self_draws", BigInteger, nullable=False),
    Column("deal_ins", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
)
"""The same by the platform's day on which a round ended."""

shown_to = Table(
    "shown_to",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("who", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    CheckConstraint("who IN ('all', 'self', 'gone')", name="shown_to_who"),
)
"""Who may see a player's statistics; no row: all. `gone`: the account was deleted, and nothing is counted."""

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("streak", Integer, nullable=False),
    Column("reward", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

rewards = Table(
    "rewards",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("request_id", Text, nullable=False, unique=True),
    Column("player_id", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("refused_for", Text, nullable=False),
    CheckConstraint("state IN ('owed', 'paid', 'refused')", name="rewards_state"),
    Index("rewards_state_id", "state", "id"),
)
"""Written with what earned them; paid by economy under `request_id`, as often as it takes, once."""
