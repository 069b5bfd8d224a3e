"""Statistics folded anew from all settled rounds, with days; who may see them.

The tables of the first fold (`counted`, `statistics`) stay for a process of the release before; nothing of
this one reads them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NUMBERS = (
    "rounds", "wins", "draws", "self_draws", "deal_ins", "discard_rounds",
    "points", "won_points", "best_huxi", "first_at_ms", "last_at_ms",
)  # fmt: skip
OF_A_DAY = ("rounds", "wins", "self_draws", "deal_ins", "points")


def upgrade() -> None:
    """Make the tables."""
    op.create_table("played_rounds", sa.Column("round_id", sa.Text, primary_key=True))
    op.create_table(
        "plays",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("player_id", "game", "preset")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in NUMBERS),
        sa.Column("best", sa.Text, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
    )
    op.create_table(
        "play_days",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("player_id", "game", "preset")),
        sa.Column("day", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in OF_A_DAY),
    )
    op.create_table(
        "shown_to",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("who IN ('all', 'self', 'gone')", name="shown_to_who"),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("shown_to", "play_days", "plays", "played_rounds"):
        op.drop_table(table)
