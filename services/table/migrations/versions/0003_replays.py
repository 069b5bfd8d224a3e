"""Where a round was played and what its players made of it; favourites, and links to rounds."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ROUNDS_AT_ONCE = 500


def upgrade() -> None:
    """Add columns and tables, and say of the rounds that are there what each player made."""
    op.add_column("records", sa.Column("room_code", sa.Text))
    op.create_index("records_ended", "records", ["ended_at_ms"])
    op.add_column("record_players", sa.Column("points", sa.BigInteger))
    op.create_table(
        "favourites",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("favourites_round", "favourites", ["round_id"])
    op.create_table(
        "shares",
        sa.Column("token", sa.Text, primary_key=True),
        sa.Column("round_id", sa.Text, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("seat", sa.BigInteger, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("player_id", "round_id", "seat", name="shares_of_a_round"),
    )
    op.create_index("shares_round", "shares", ["round_id"])
    _fill_points()


def _fill_points() -> None:
    connection = op.get_bind()
    last = ""
    while True:
        found = connection.execute(
            sa.text(
                "SELECT round_id, players, points, ended_at_ms FROM records WHERE round_id > :last"
                " ORDER BY round_id LIMIT :most"
            ),
            {"last": last, "most": ROUNDS_AT_ONCE},
        ).all()
        if not found:
            return
        last = found[-1].round_id
        made = [
            {"player": player, "round": row.round_id, "points": points, "ended": row.ended_at_ms}
            for row in found
            for player, points in zip(json.loads(row.players), json.loads(row.points), strict=True)
            if not player.startswith("bot:")
        ]
        if made:
            connection.execute(
                sa.text(
                    "UPDATE record_players SET points = :points"
                    " WHERE player_id = :player AND ended_at_ms = :ended AND round_id = :round"
                ),
                made,
            )


def downgrade() -> None:
    """Take them away."""
    op.drop_table("shares")
    op.drop_table("favourites")
    op.drop_column("record_players", "points")
    op.drop_index("records_ended", "records")
    op.drop_column("records", "room_code")
