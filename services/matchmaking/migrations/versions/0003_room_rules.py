"""What a room has agreed on, who owns it now, what follows it; wishes to change places; who was sent away.

Rooms of before belong to who opened them, and have agreed on nothing.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add columns and tables."""
    for column in (
        sa.Column("host_id", sa.String(80), nullable=False, server_default=""),
        sa.Column("wish", sa.String(64), nullable=False, server_default=""),
        sa.Column("rules", sa.Text, nullable=False, server_default=""),
        sa.Column("rules_no", sa.Integer, nullable=False, server_default="1"),
        sa.Column("cards", sa.Integer, nullable=False, server_default="0"),
        sa.Column("reason", sa.String(64), nullable=False, server_default=""),
        sa.Column("next_id", sa.String(64), nullable=False, server_default=""),
        sa.Column("scores", sa.Text, nullable=False, server_default=""),
    ):
        op.add_column("rooms", column)
    op.create_index("places_player", "places", ["player_id"])
    op.create_table(
        "room_swaps",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("from_id", sa.String(80), primary_key=True),
        sa.Column("to_id", sa.String(80), nullable=False),
    )
    op.create_table(
        "room_kicks",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("player_id", sa.String(80), primary_key=True),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
    )
