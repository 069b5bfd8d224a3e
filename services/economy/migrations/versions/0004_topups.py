"""Top-ups: orders, what providers say of them, what went back, what is owed; the sandbox provider's books."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
IMMUTABLE = ("topup_history", "topup_events")
STATES = "'created', 'waiting', 'paid', 'expired', 'closed', 'part_refunded', 'refunded', 'charged_back'"


def upgrade() -> None:
    """Make the tables."""
    _orders()
    _facts()
    _returns()
    _sandbox()
    _make_immutable()


def downgrade() -> None:
    """Drop them."""
    for table in (
        "sandbox_deliveries", "sandbox_returns", "sandbox_payments", "topup_debts", "topup_returns",
        "topup_problems", "topup_events", "topup_history", "topup_orders",
    ):  # fmt: skip
        op.drop_table(table)


def _orders() -> None:
    op.create_table(
        "topup_orders",
        sa.Column("order_id", sa.Text, primary_key=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("player_id", "request_id", "product_id", "title_zh", "title_en", "provider")
        ),
        sa.Column("price_fen", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("gems", sa.BigInteger, nullable=False),
        sa.Column("bonus_gems", sa.BigInteger, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("promotion_id", "state", "pay_url", "payment_id")
        ),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in (
                "created_at_ms",
                "expires_at_ms",
                "look_at_ms",
                "paid_at_ms",
                "returned_fen",
                "returned_gems",
            )
        ),
        sa.Column("version", sa.Integer, nullable=False),
        sa.CheckConstraint(f"state IN ({STATES})", name="topup_orders_state"),
        sa.CheckConstraint("price_fen > 0 AND gems > 0 AND bonus_gems >= 0", name="topup_orders_amounts"),
        sa.CheckConstraint("returned_fen BETWEEN 0 AND price_fen", name="topup_orders_returned_fen"),
        sa.CheckConstraint(
            "returned_gems BETWEEN 0 AND gems + bonus_gems", name="topup_orders_returned_gems"
        ),
        sa.UniqueConstraint("player_id", "request_id", name="topup_orders_once"),
    )
    op.create_index("topup_orders_player", "topup_orders", ["player_id", "created_at_ms", "order_id"])
    op.create_index("topup_orders_look", "topup_orders", ["state", "look_at_ms"])
    op.create_table(
        "topup_history",
        sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("order_id", "before", "after", "cause", "detail")
        ),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("topup_history_order", "topup_history", ["order_id", "id"])


def _facts() -> None:
    op.create_table(
        "topup_events",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("order_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount_fen", sa.BigInteger, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("topup_events_order", "topup_events", ["order_id"])
    op.create_table(
        "topup_problems",
        sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("provider", "event_id", "order_id", "reason")
        ),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("resolved_at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("provider", "order_id", "reason", "digest", name="topup_problems_once"),
    )
    op.create_index("topup_problems_open", "topup_problems", ["resolved_at_ms", "id"])


def _returns() -> None:
    op.create_table(
        "topup_returns",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("return_id", sa.Text, primary_key=True),
        sa.Column("order_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("amount_fen", sa.BigInteger, nullable=False),
        sa.Column("staff_id", sa.Text, nullable=False),
        sa.Column("request_key", sa.Text, unique=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("look_at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("kind IN ('refund', 'provider_refund', 'chargeback')", name="topup_returns_kind"),
        sa.CheckConstraint("state IN ('asked', 'done', 'refused', 'reversed')", name="topup_returns_state"),
        sa.CheckConstraint("amount_fen > 0", name="topup_returns_amount"),
    )
    op.create_index("topup_returns_order", "topup_returns", ["order_id"])
    op.create_index("topup_returns_look", "topup_returns", ["state", "look_at_ms"])
    op.create_table(
        "topup_debts",
        sa.Column("order_id", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("short_gems", sa.BigInteger, nullable=False),
        sa.Column("paid_gems", sa.BigInteger, nullable=False),
        sa.Column("forgiven_gems", sa.BigInteger, nullable=False),
        sa.Column("since_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("paid_gems >= 0 AND forgiven_gems >= 0", name="topup_debts_amounts"),
        sa.CheckConstraint("paid_gems + forgiven_gems <= short_gems", name="topup_debts_not_overpaid"),
    )
    op.create_index("topup_debts_player", "topup_debts", ["player_id"])
    op.create_index("topup_debts_since", "topup_debts", ["since_ms", "order_id"])


def _sandbox() -> None:
    op.create_table(
        "sandbox_payments",
        sa.Column("payment_id", sa.Text, primary_key=True),
        sa.Column("order_id", sa.Text, nullable=False, unique=True),
        sa.Column("amount_fen", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("title_zh", sa.Text, nullable=False),
        sa.Column("title_en", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
        sa.Column("paid_at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'paid', 'closed')", name="sandbox_payments_state"),
    )
    op.create_table(
        "sandbox_returns",
        sa.Column("return_id", sa.Text, primary_key=True),
        sa.Column("order_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("amount_fen", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("sandbox_returns_order", "sandbox_returns", ["order_id"])
    op.create_table(
        "sandbox_deliveries",
        sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("due_at_ms", sa.BigInteger, nullable=False),
        sa.Column("done_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("sandbox_deliveries_due", "sandbox_deliveries", ["done_at_ms", "due_at_ms"])


def _make_immutable() -> None:
    """Refuse every change of what was written, whoever asks; the function is that of the first migration."""
    if op.get_bind().dialect.name == "postgresql":
        for table in IMMUTABLE:
            op.execute(
                f"CREATE TRIGGER {table}_immutable BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            )
            op.execute(
                f"CREATE TRIGGER {table}_kept BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
        return
    for table in IMMUTABLE:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is immutable'); END"
            )
