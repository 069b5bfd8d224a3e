"""The tables of the first fold, which `0002_plays` has replaced, go."""

import sqlalchemy as sa
from alembic import op

revision = "c0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop them; all they counted stands in `plays`, counted anew from the facts."""
    for table in ("statistics", "counted"):
        op.drop_table(table)


def downgrade() -> None:
    """Make them again, empty: what they held can be counted from the facts."""
    op.create_table("counted", sa.Column("round_id", sa.Text, primary_key=True))
    op.create_table(
        "statistics",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("player_id", "game", "preset")),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("rounds", "wins", "draws", "self_draws", "points", "best_points")
        ),
        sa.Column("best_huxi", sa.Integer, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
    )
