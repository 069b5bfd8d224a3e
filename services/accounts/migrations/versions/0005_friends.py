"""Friends, requests to be friends, blocks."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "friends",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("friend_id", sa.Text, primary_key=True),
        sa.Column("since_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("friends_since", "friends", ["player_id", "since_ms"])
    op.create_index("friends_friend", "friends", ["friend_id"])
    op.create_table(
        "friend_requests",
        sa.Column("asker_id", sa.Text, primary_key=True),
        sa.Column("asked_id", sa.Text, primary_key=True),
        sa.Column("asked_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
        sa.Column("is_declined", sa.Boolean, nullable=False),
    )
    op.create_index("friend_requests_asked", "friend_requests", ["asked_id", "asked_at_ms"])
    op.create_table(
        "friend_blocks",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("blocked_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("friend_blocks_blocked", "friend_blocks", ["blocked_id"])
    op.create_table(
        "friend_asks",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("asks", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("friend_asks", "friend_blocks", "friend_requests", "friends"):
        op.drop_table(table)
