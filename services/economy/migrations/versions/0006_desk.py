"""What staff did about payment problems and debts, and the way to the newest orders."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.add_column("topup_problems", sa.Column("resolved_by", sa.Text, nullable=False, server_default=""))
    op.add_column("topup_problems", sa.Column("resolution", sa.Text, nullable=False, server_default=""))
    op.add_column("topup_debts", sa.Column("waived_gems", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "topup_waivers",
        sa.Column("request_key", sa.Text, primary_key=True),
        sa.Column("order_id", sa.Text, nullable=False),
        sa.Column("gems", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("gems > 0", name="topup_waivers_gems"),
    )
    _make_immutable()
    op.create_index("topup_orders_created", "topup_orders", ["created_at_ms", "order_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("topup_orders_created", "topup_orders")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER topup_waivers_immutable ON topup_waivers")
        op.execute("DROP TRIGGER topup_waivers_kept ON topup_waivers")
    op.drop_table("topup_waivers")
    op.drop_column("topup_debts", "waived_gems")
    op.drop_column("topup_problems", "resolution")
    op.drop_column("topup_problems", "resolved_by")


def _make_immutable() -> None:
    """Refuse every change of a waiver, whoever asks; the function is that of the first migration."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER topup_waivers_immutable BEFORE UPDATE OR DELETE ON topup_waivers "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            "CREATE TRIGGER topup_waivers_kept BEFORE TRUNCATE ON topup_waivers "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER topup_waivers_no_{verb.lower()} BEFORE {verb} ON topup_waivers "
            "BEGIN SELECT RAISE(ABORT, 'topup_waivers is immutable'); END"
        )
