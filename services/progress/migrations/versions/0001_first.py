"""Rounds counted, statistics, sign-ins, rewards that are owed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table("counted", sa.Column("round_id", sa.Text, primary_key=True))
    op.create_table(
        "statistics",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("preset", sa.Text, primary_key=True),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("wins", sa.BigInteger, nullable=False),
        sa.Column("draws", sa.BigInteger, nullable=False),
        sa.Column("self_draws", sa.BigInteger, nullable=False),
        sa.Column("points", sa.BigInteger, nullable=False),
        sa.Column("best_points", sa.BigInteger, nullable=False),
        sa.Column("best_huxi", sa.Integer, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
    )
    op.create_table(
        "sign_ins",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("streak", sa.Integer, nullable=False),
        sa.Column("reward", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "rewards",
        sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("request_id", sa.Text, nullable=False, unique=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("refused_for", sa.Text, nullable=False),
        sa.CheckConstraint("state IN ('owed', 'paid', 'refused')", name="rewards_state"),
    )
    op.create_index("rewards_state_id", "rewards", ["state", "id"])


def downgrade() -> None:
    """Drop them."""
    for table in ("rewards", "sign_ins", "statistics", "counted"):
        op.drop_table(table)
