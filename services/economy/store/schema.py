"""The tables of the book. Migrations make them; this is how code names them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from services.chassis.outbox import outbox_table

metadata = MetaData()

SERIAL = BigInteger().with_variant(Integer, "sqlite")
"""A number the database counts up by itself; SQLite does that for INTEGER only."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("currency", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("balance", BigInteger, nullable=False),
    CheckConstraint("balance >= 0 OR kind = 'issuer'", name="accounts_never_negative"),
    CheckConstraint("kind IN ('wallet', 'stake', 'house', 'issuer')", name="accounts_kind"),
)

transfers = Table(
    "transfers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    Column("answer", BigInteger, nullable=False),
    Column("reference", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)
"""`answer`: the balance of the last posting's account after the transfer, as the first caller was told."""

entries = Table(
    "entries",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("transfer_id", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("balance_after", BigInteger, nullable=False),
    CheckConstraint("amount <> 0", name="entries_not_zero"),
    Index("entries_owner", "owner", "id"),
    Index("entries_account", "account", "currency", "id"),
)
"""Immutable: triggers refuse UPDATE and DELETE, as they do for `transfers`."""

matches = Table(
    "matches",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("next_round_no", Integer, nullable=False),
    Column("suspended", Boolean, nullable=False),
    Column("last_round_no", Integer),
    Column("ended_at_ms", BigInteger),
)
"""`next_round_no`: all rounds before it are settled or voided; `last_round_no`, `ended_at_ms`: once over."""

stakes = Table(
    "stakes",
    metadata,
    Column("match_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("buy_in", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("last_round_no", Integer),
    Column("content_hash", LargeBinary, nullable=False),
    Column("returned", BigInteger),
    CheckConstraint("state IN ('open', 'closing', 'closed', 'tombstone')", name="stakes_state"),
    Index("stakes_player", "player_id", "state"),
)

rounds = Table(
    "rounds",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("match_id", Text, nullable=False),
    Column("round_no", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("stakes_before", Text, nullable=False),
    Column("coins", Text, nullable=False),
    Column("transfer_id", Text, nullable=False),
    Column("settled_at_ms", BigInteger, nullable=False),
    CheckConstraint(
        "state IN ('waiting', 'settled', 'disputed', 'waiting_void', 'voided')", name="rounds_state"
    ),
    UniqueConstraint("match_id", "round_no", name="rounds_once_per_match"),
)
"""`payload`: the RoundAudited or RoundVoided; `stakes_before` and `coins`: JSON lists by seat."""

disputes = Table(
    "disputes",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("match_id", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("disputes_at", "at_ms", "round_id"),
    Index("disputes_match", "match_id"),
)

decisions = Table(
    "decisions",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("staff_id", Text, nullable=False),
    Column("request_key", Text, nullable=False, unique=True),
    Column("content_hash", LargeBinary, nullable=False),
    Column("settled", LargeBinary, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    CheckConstraint("outcome IN ('ENGINE', 'SCORING', 'VOID')", name="decisions_outcome"),
)
"""A person's word about a disputed round, immutable. `settled`: the RoundAudited that coins moved by (empty:
a void); `record`: the record that was judged, if it could be had."""

alerts = Table(
    "alerts",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("payload", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("alerts_at", "at_ms"),
)
"""A second word about a round that contradicts the first; nothing moved because of it."""

acknowledgements = Table(
    "acknowledgements",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("staff_id", Text, nullable=False),
    Column("request_key", Text, nullable=False, unique=True),
    Column("content_hash", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)
"""Who looked at an alert, and what he says of it; immutable."""

outbox = outbox_table(metadata)
