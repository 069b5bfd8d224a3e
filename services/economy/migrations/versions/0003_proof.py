"""What the reconciler remembers between its runs, and the way from an account to its entries."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "proof_runs",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.Column("started_at_ms", sa.BigInteger, nullable=False),
        sa.Column("done_at_ms", sa.BigInteger, nullable=False),
        sa.Column("whole_at_ms", sa.BigInteger, nullable=False),
        sa.Column("mark", sa.BigInteger, nullable=False),
        sa.Column("next_mark", sa.BigInteger, nullable=False),
        sa.Column("next_mark_at_ms", sa.BigInteger, nullable=False),
        sa.Column("report", sa.Text, nullable=False),
    )
    op.create_table(
        "proof_records",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("sha256", sa.LargeBinary, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("proven", sa.Boolean, nullable=False),
    )
    unproven = sa.column("proven").is_(False)
    op.create_index(
        "proof_records_unproven",
        "proof_records",
        ["round_id"],
        sqlite_where=unproven,
        postgresql_where=unproven,
    )
    op.create_table(
        "proof_words",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("entries_account", "entries", ["account", "currency", "id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("entries_account", "entries")
    for table in ("proof_words", "proof_records", "proof_runs"):
        op.drop_table(table)
