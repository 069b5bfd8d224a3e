"""The tables of top-ups, and those of the sandbox provider; migrations make them."""

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
    false,
)

from services.economy.core.topup import STATES

metadata = MetaData()

SERIAL = BigInteger().with_variant(Integer, "sqlite")

_STATES = ", ".join(f"'{state}'" for state in STATES)

orders = Table(
    "topup_orders",
    metadata,
    Column("order_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("product_id", Text, nullable=False),
    Column("title_zh", Text, nullable=False),
    Column("title_en", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("price_fen", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("gems", BigInteger, nullable=False),
    Column("bonus_gems", BigInteger, nullable=False),
    Column("promotion_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("pay_url", Text, nullable=False),
    Column("payment_id", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("look_at_ms", BigInteger, nullable=False),
    Column("paid_at_ms", BigInteger, nullable=False),
    Column("returned_fen", BigInteger, nullable=False),
    Column("returned_gems", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("content_hash", LargeBinary),
    CheckConstraint(f"state IN ({_STATES})", name="topup_orders_state"),
    CheckConstraint("price_fen > 0 AND gems > 0 AND bonus_gems >= 0", name="topup_orders_amounts"),
    CheckConstraint("returned_fen BETWEEN 0 AND price_fen", name="topup_orders_returned_fen"),
    CheckConstraint("returned_gems BETWEEN 0 AND gems + bonus_gems", name="topup_orders_returned_gems"),
    UniqueConstraint("player_id", "request_id", name="topup_orders_once"),
    Index("topup_orders_player", "player_id", "created_at_ms", "order_id"),
    Index("topup_orders_created", "created_at_ms", "order_id"),
    Index("topup_orders_look", "state", "look_at_ms"),
)
"""`look_at_ms`: when the provider is to be asked about it, while it is open; `paid_at_ms` 0: not paid;
`content_hash`: names what was ordered (`topup_orders.ordered_hash`), NULL of orders older than it."""

history = Table(
    "topup_history",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("order_id", Text, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("topup_history_order", "order_id", "id"),
)
"""Immutable. Each step of each order; `before` is empty for the first."""

events = Table(
    "topup_events",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("order_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("amount_fen", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("topup_events_order", "order_id"),
)
"""Immutable. Every genuine webhook, once, and what became of it."""

problems = Table(
    "topup_problems",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("provider", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("order_id", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("detail", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("resolved_at_ms", BigInteger, nullable=False),
    Column("resolved_by", Text, nullable=False, server_default=""),
    Column("resolution", Text, nullable=False, server_default=""),
    UniqueConstraint("provider", "order_id", "reason", "digest", name="topup_problems_once"),
    Index("topup_problems_open", "resolved_at_ms", "id"),
)
"""What providers said that was not acted upon; `resolved_at_ms` 0: it waits for a person."""

returns = Table(
    "topup_returns",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("return_id", Text, primary_key=True),
    Column("order_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("amount_fen", BigInteger, nullable=False),
    Column("staff_id", Text, nullable=False),
    Column("request_key", Text, unique=True),
    Column("reason", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("look_at_ms", BigInteger, nullable=False),
    Column("even_if_spent", Boolean, nullable=False, server_default=false()),
    CheckConstraint("kind IN ('refund', 'provider_refund', 'chargeback')", name="topup_returns_kind"),
    CheckConstraint("state IN ('asked', 'done', 'refused', 'reversed')", name="topup_returns_state"),
    CheckConstraint("amount_fen > 0", name="topup_returns_amount"),
    Index("topup_returns_order", "order_id"),
    Index("topup_returns_look", "state", "look_at_ms"),
)
"""Money that went back or is on its way; `look_at_ms`: when an asked one is asked for again."""

debts = Table(
    "topup_debts",
    metadata,
    Column("order_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("short_gems", BigInteger, nullable=False),
    Column("paid_gems", BigInteger, nullable=False),
    Column("forgiven_gems", BigInteger, nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    Column("waived_gems", BigInteger, nullable=False, server_default="0"),
    CheckConstraint("paid_gems >= 0 AND forgiven_gems >= 0", name="topup_debts_amounts"),
    CheckConstraint("paid_gems + forgiven_gems <= short_gems", name="topup_debts_not_overpaid"),
    Index("topup_debts_player", "player_id"),
    Index("topup_debts_since", "since_ms", "order_id"),
)
"""Gems that had to go back and were spent already: what is short, less what later top-ups paid of it, less
what is forgiven: what a bank's change of mind made void, and what staff waived (`waived_gems` of it)."""

waivers = Table(
    "topup_waivers",
    metadata,
    Column("request_key", Text, primary_key=True),
    Column("order_id", Text, nullable=False),
    Column("gems", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    CheckConstraint("gems > 0", name="topup_waivers_gems"),
)
"""Immutable. What staff waived of debts, once per request; who and why stands in the log of staff too."""

sandbox_payments = Table(
    "sandbox_payments",
    metadata,
    Column("payment_id", Text, primary_key=True),
    Column("order_id", Text, nullable=False, unique=True),
    Column("amount_fen", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("title_zh", Text, nullable=False),
    Column("title_en", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("paid_at_ms", BigInteger, nullable=False),
    CheckConstraint("state IN ('waiting', 'paid', 'closed')", name="sandbox_payments_state"),
)

sandbox_returns = Table(
    "sandbox_returns",
    metadata,
    Column("return_id", Text, primary_key=True),
    Column("order_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("amount_fen", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Index("sandbox_returns_order", "order_id"),
)

sandbox_deliveries = Table(
    "sandbox_deliveries",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("body", LargeBinary, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at_ms", BigInteger, nullable=False),
    Column("done_at_ms", BigInteger, nullable=False),
    Index("sandbox_deliveries_due", "done_at_ms", "due_at_ms"),
)
"""Webhooks that the sandbox owes; `done_at_ms` 0: not delivered yet."""
