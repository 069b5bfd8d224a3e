"""Messages and the outbox."""

import sqlalchemy as sa
from alembic import op

from services.chassis.outbox import create_outbox

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "messages",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("message_id", sa.String(64), nullable=False, unique=True),
        sa.Column("channel", sa.String(96), nullable=False),
        sa.Column("player_id", sa.String(80), nullable=False),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("text", sa.String(200), nullable=False),
        sa.Column("phrase", sa.String(32), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("player_id", "channel", "request_id", name="messages_request"),
    )
    op.create_index("messages_channel", "messages", ["channel", "seq"])
    op.create_index("messages_at", "messages", ["at_ms"])
    create_outbox(op)


def downgrade() -> None:
    """Drop them."""
    for table in ("outbox", "messages"):
        op.drop_table(table)
