"""Ratings, and what is needed to reckon them anew when a round comes late."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "ratings",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("player_id", "game")),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("mean", "deviation")),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("last_at_ms", sa.BigInteger, nullable=False),
        sa.Column("last_round_id", sa.Text, nullable=False),
    )
    op.create_table("rated_rounds", sa.Column("round_id", sa.Text, primary_key=True))
    op.create_table(
        "rating_steps",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("player_id", "game")),
        sa.Column("at_ms", sa.BigInteger, primary_key=True),
        sa.Column("round_id", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("mean", "deviation")),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("points", sa.Text, nullable=False),
    )
    op.create_index("rating_steps_at", "rating_steps", ["at_ms"])


def downgrade() -> None:
    """Drop them."""
    for table in ("rating_steps", "rated_rounds", "ratings"):
        op.drop_table(table)
