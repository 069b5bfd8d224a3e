"""Engagements, tickets, rooms with their places, and the tables made for them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _text(name: str, length: int, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=nullable)


def _ms(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "engagements",
        sa.Column("player_id", sa.String(80), primary_key=True),
        _text("kind", 8),
        _text("ref", 64),
    )
    op.create_index("engagements_ref", "engagements", ["ref"])
    op.create_table(
        "tickets",
        sa.Column("ticket_id", sa.String(64), primary_key=True),
        _text("player_id", 80),
        _text("request_id", 64),
        _text("hall_id", 96),
        sa.Column("bots_now", sa.Boolean, nullable=False),
        _text("state", 12),
        _ms("created_at_ms"),
        _ms("bots_at_ms"),
        _text("table_id", 64, nullable=True),
        sa.Column("reason", sa.String(64), nullable=False, server_default=""),
        sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
        sa.UniqueConstraint("player_id", "request_id", name="tickets_request"),
    )
    op.create_index("tickets_state", "tickets", ["state", "hall_id"])
    op.create_index("tickets_table", "tickets", ["table_id"])
    op.create_index("tickets_created", "tickets", ["created_at_ms"])
    op.create_table(
        "rooms",
        sa.Column("room_id", sa.String(64), primary_key=True),
        _text("room_code", 6),
        sa.Column("live_code", sa.String(6), unique=True),
        _text("owner_id", 80),
        _text("request_id", 64),
        _text("game", 32),
        _text("preset", 64),
        sa.Column("options_json", sa.Text, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        _text("state", 12),
        _text("table_id", 64, nullable=True),
        _ms("created_at_ms"),
        _ms("expires_at_ms"),
        sa.UniqueConstraint("owner_id", "request_id", name="rooms_request"),
    )
    op.create_index("rooms_state", "rooms", ["state", "expires_at_ms"])
    op.create_index("rooms_table", "rooms", ["table_id"])
    op.create_table(
        "places",
        sa.Column("room_id", sa.String(64), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        _text("player_id", 80),
        sa.Column("ready", sa.Boolean, nullable=False),
    )
    op.create_table(
        "placements",
        sa.Column("table_id", sa.String(64), primary_key=True),
        _text("kind", 8),
        _text("ref", 96),
        sa.Column("spec", sa.LargeBinary, nullable=False),
        _text("state", 12),
        _ms("created_at_ms"),
        _ms("looked_at_ms"),
        sa.Column("reason", sa.String(64), nullable=False, server_default=""),
    )
    op.create_index("placements_state", "placements", ["state", "looked_at_ms"])


def downgrade() -> None:
    """Drop them."""
    for table in ("placements", "places", "rooms", "tickets", "engagements"):
        op.drop_table(table)
