"""Likes of plays."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "play_likes",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("event_no", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("play_likes_at", "play_likes", ["at_ms"])


def downgrade() -> None:
    """Take it away."""
    op.drop_table("play_likes")
