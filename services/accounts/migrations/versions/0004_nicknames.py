"""An index of nicknames: staff finds people by how they are called."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; in PostgreSQL one that beginnings are looked up in."""
    op.create_index(
        "players_nickname", "players", ["nickname"], postgresql_ops={"nickname": "text_pattern_ops"}
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_index("players_nickname", "players")
