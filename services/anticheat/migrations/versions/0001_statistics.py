"""Statistics per player and per pair, answer times, and what was counted."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="0")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "counted",
        sa.Column("round_id", sa.String(96), primary_key=True),
        sa.Column("what", sa.String(16), primary_key=True),
    )
    op.create_table(
        "players",
        sa.Column("player_id", sa.String(64), primary_key=True),
        *(_count(n) for n in ("rounds", "wins", "disputed", "actions", "timeouts", "hu_declined", "points")),
    )
    op.create_table(
        "pairs",
        sa.Column("player_id", sa.String(64), primary_key=True),
        sa.Column("other_id", sa.String(64), primary_key=True),
        *(_count(n) for n in ("rounds", "wins", "other_wins", "points_from_other", "wins_on_other")),
    )
    op.create_table(
        "answer_times",
        sa.Column("player_id", sa.String(64), primary_key=True),
        sa.Column("slot", sa.Integer, primary_key=True),
        sa.Column("ms", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("answer_times", "pairs", "players", "counted"):
        op.drop_table(table)
