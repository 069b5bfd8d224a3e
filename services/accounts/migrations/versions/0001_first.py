"""Players, their keys, challenges, sessions."""

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
        "players",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("nickname", sa.Text, nullable=False),
        sa.Column("avatar", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("network", sa.Text, nullable=False),
        sa.Column("welcome", sa.Boolean, nullable=False),
    )
    op.create_index("players_network", "players", ["network", "created_at_ms"])
    op.create_table(
        "device_keys",
        sa.Column("public_key", sa.LargeBinary, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "challenges",
        sa.Column("challenge", sa.LargeBinary, primary_key=True),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("challenges_expiry", "challenges", ["expires_at_ms"])
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("refresh_hash", sa.LargeBinary, nullable=False),
        sa.Column("refresh_expires_at_ms", sa.BigInteger, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("revoked_at_ms", sa.BigInteger),
    )
    op.create_index("sessions_player", "sessions", ["player_id"])
    op.create_index("sessions_expiry", "sessions", ["refresh_expires_at_ms"])
    create_outbox(op)


def downgrade() -> None:
    """Drop them."""
    for table in ("outbox", "sessions", "challenges", "device_keys", "players"):
        op.drop_table(table)
