"""Room cards that are held for the matches of friends' rooms."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "room_holds",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("payer", sa.Text, nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("held", sa.Text, nullable=False),
        sa.Column("kept", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("state IN ('held', 'kept', 'returned')", name="room_holds_state"),
    )
