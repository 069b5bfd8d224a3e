"""Who does not show that he is here; invitations to rooms that wait."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "presence_hidden",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "room_invitations",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("inviter_id", sa.Text, primary_key=True),
        sa.Column("room_code", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("room_invitations_inviter", "room_invitations", ["inviter_id"])


def downgrade() -> None:
    """Drop them."""
    for table in ("room_invitations", "presence_hidden"):
        op.drop_table(table)
