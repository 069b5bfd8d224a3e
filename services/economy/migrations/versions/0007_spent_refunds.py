"""Refunds that staff makes though the gems are spent."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: all refunds so far took unspent gems only."""
    op.add_column(
        "topup_returns", sa.Column("even_if_spent", sa.Boolean, nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_column("topup_returns", "even_if_spent")
