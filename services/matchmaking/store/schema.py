"""The tables.

`engagements` is what keeps a player out of two matches: one row per player, whatever he is engaged in, by
primary key.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

engagements = Table(
    "engagements",
    metadata,
    Column("player_id", String(80), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("ref", String(64), nullable=False),
    Index("engagements_ref", "ref"),
)
"""`kind`: `ticket` or `room`; `ref`: its id."""

tickets = Table(
    "tickets",
    metadata,
    Column("ticket_id", String(64), primary_key=True),
    Column("player_id", String(80), nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("hall_id", String(96), nullable=False),
    Column("bots_now", Boolean, nullable=False),
    Column("state", String(12), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("bots_at_ms", BigInteger, nullable=False),
    Column("table_id", String(64)),
    Column("reason", String(64), nullable=False, server_default=""),
    Column("refusals", Integer, nullable=False, server_default="0"),
    UniqueConstraint("player_id", "request_id", name="tickets_request"),
    Index("tickets_state", "state", "hall_id"),
    Index("tickets_table", "table_id"),
    Index("tickets_created", "created_at_ms"),
)
"""`state`: `waiting`, `placing` (its table is being made), `matched`, `cancelled`, `failed`."""

rooms = Table(
    "rooms",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("room_code", String(6), nullable=False),
    Column("live_code", String(6), unique=True),
    Column("owner_id", String(80), nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("game", String(32), nullable=False),
    Column("preset", String(64), nullable=False),
    Column("options_json", Text, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("table_id", String(64)),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Column("stakes", Text, nullable=False, server_default=""),
    Column("host_id", String(80), nullable=False, server_default=""),
    Column("wish", String(64), nullable=False, server_default=""),
    Column("rules", Text, nullable=False, server_default=""),
    Column("rules_no", Integer, nullable=False, server_default="1"),
    Column("cards", Integer, nullable=False, server_default="0"),
    Column("reason", String(64), nullable=False, server_default=""),
    Column("next_id", String(64), nullable=False, server_default=""),
    Column("scores", Text, nullable=False, server_default=""),
    UniqueConstraint("owner_id", "request_id", name="rooms_request"),
    Index("rooms_state", "state", "expires_at_ms"),
    Index("rooms_table", "table_id"),
)
"""`live_code` is the code while the room lives, then null: unique among the living. `state`: `open`,
`placing`, `playing`, `closed`. `stakes`: JSON of `core.halls.Stakes`; empty = plays for points. `owner_id`
opened it, under `request_id`; `host_id` owns it now, empty = who opened it. `wish`: a hash of what was asked
for then. `rules`: JSON of `core.room_rules.Rules`; `cards`: its price in room cards; `reason`: why its last
start failed; `next_id`: the room its people have opened after it; `scores`: JSON, by seat, at the end."""

places = Table(
    "places",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("player_id", String(80), nullable=False),
    Column("ready", Boolean, nullable=False),
    Index("places_player", "player_id"),
)
"""A taken place: the key decides who gets the last one."""

room_swaps = Table(
    "room_swaps",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("from_id", String(80), primary_key=True),
    Column("to_id", String(80), nullable=False),
)
"""Who asks whom to change places with him: one wish a person."""

room_kicks = Table(
    "room_kicks",
    metadata,
    Column("room_id", String(64), primary_key=True),
    Column("player_id", String(80), primary_key=True),
    Column("until_ms", BigInteger, nullable=False),
)
"""Who was sent away, and may not come back before then."""

placements = Table(
    "placements",
    metadata,
    Column("table_id", String(64), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("ref", String(96), nullable=False),
    Column("spec", LargeBinary, nullable=False),
    Column("state", String(12), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("looked_at_ms", BigInteger, nullable=False),
    Column("reason", String(64), nullable=False, server_default=""),
    Index("placements_state", "state", "looked_at_ms"),
)
"""A table to be made, with the exact bytes asked for: written with the match, before anybody is asked to
make it. `kind`: `hall` (`ref`: its id) or `room`. `state`: `creating`, `created`, `refused`, `ended`."""
