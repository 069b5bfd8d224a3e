"""How far each shard's log is known to reach."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "shard_marks",
        sa.Column("shard", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("incarnation", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("base", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("shard_marks")
