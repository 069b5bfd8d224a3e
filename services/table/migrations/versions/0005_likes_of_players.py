"""An index of likes by who likes: each may have a copy of his."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    op.create_index("play_likes_player", "play_likes", ["player_id", "at_ms"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("play_likes_player", "play_likes")
