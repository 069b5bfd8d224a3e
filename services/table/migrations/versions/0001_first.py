"""Finished rounds, and who played them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "records",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("points", sa.Text, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "record_players",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("ended_at_ms", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("round_id", sa.Text, primary_key=True),
    )


def downgrade() -> None:
    """Remove the tables."""
    op.drop_table("record_players")
    op.drop_table("records")
