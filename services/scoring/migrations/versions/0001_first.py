"""Openings heard, first audits, second records."""

import sqlalchemy as sa
from alembic import op

from services.chassis.outbox import create_outbox

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "openings",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("commitment", sa.LargeBinary, nullable=False),
        sa.Column("nonce_heads", sa.Text, nullable=False),
        sa.Column("stored_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "audits",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("record_sha256", sa.LargeBinary, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("dealer_next", sa.Integer),
        sa.Column("draws_in_row_next", sa.Integer),
        sa.Column("links", sa.Text, nullable=False),
        sa.Column("audited_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table("voids", sa.Column("round_id", sa.Text, primary_key=True))
    op.create_table(
        "alerts",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("sha256", sa.LargeBinary, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    create_outbox(op)


def downgrade() -> None:
    """Drop them."""
    for table in ("outbox", "alerts", "voids", "audits", "openings"):
        op.drop_table(table)
