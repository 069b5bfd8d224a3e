"""What people decide about disputed rounds, and say about alerts: written once, never changed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

IMMUTABLE = ("decisions", "acknowledgements")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "decisions",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("staff_id", sa.Text, nullable=False),
        sa.Column("request_key", sa.Text, nullable=False, unique=True),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("settled", sa.LargeBinary, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("outcome IN ('ENGINE', 'SCORING', 'VOID')", name="decisions_outcome"),
    )
    op.create_table(
        "acknowledgements",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("staff_id", sa.Text, nullable=False),
        sa.Column("request_key", sa.Text, nullable=False, unique=True),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("disputes_at", "disputes", ["at_ms", "round_id"])
    op.create_index("disputes_match", "disputes", ["match_id"])
    op.create_index("alerts_at", "alerts", ["at_ms"])
    _make_immutable()


def downgrade() -> None:
    """Drop them."""
    for index, table in (
        ("alerts_at", "alerts"),
        ("disputes_match", "disputes"),
        ("disputes_at", "disputes"),
    ):
        op.drop_index(index, table)
    for table in IMMUTABLE:
        op.drop_table(table)


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
