"""The tables of accounts."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from services.chassis.outbox import outbox_table

metadata = MetaData()

players = Table(
    "players",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("nickname", Text, nullable=False),
    Column("avatar", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("network", Text, nullable=False),
    Column("welcome", Boolean, nullable=False),
    Column("homepage", Text, nullable=False, server_default=""),
    Column("region", Text, nullable=False, server_default=""),
    Column("dialect", Text, nullable=False, server_default=""),
    Column("theme", Text, nullable=False, server_default=""),
    Column("city", Text, nullable=False, server_default=""),
    Column("looks", Text, nullable=False, server_default=""),
    Column("suspended_until_ms", BigInteger),
    Column("suspended_because", Text, nullable=False, server_default=""),
    Column("deletes_at_ms", BigInteger),
    Column("deleted_at_ms", BigInteger),
    Index("players_network", "network", "created_at_ms"),
    Index("players_deletes", "deletes_at_ms"),
    Index("players_nickname", "nickname", postgresql_ops={"nickname": "text_pattern_ops"}),
    Index("players_looks", "looks"),
)
"""`network`: where he was made from, for the limits only. `suspended_until_ms`: -1 = for ever. `looks`: what
the nickname looks like (`core/names.py`)."""

device_keys = Table(
    "device_keys",
    metadata,
    Column("public_key", LargeBinary, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
)

challenges = Table(
    "challenges",
    metadata,
    Column("challenge", LargeBinary, primary_key=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Index("challenges_expiry", "expires_at_ms"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("session_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("refresh_hash", LargeBinary, nullable=False),
    Column("refresh_expires_at_ms", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("revoked_at_ms", BigInteger),
    Column("used_at_ms", BigInteger),
    Column("network", Text, nullable=False, server_default="unknown"),
    Column("way", Text, nullable=False, server_default="guest"),
    Column("key_id", Text),
    Index("sessions_player", "player_id"),
    Index("sessions_expiry", "refresh_expires_at_ms"),
    Index("sessions_key", "key_id"),
)
"""`key_id`: of an integrator's token, which can't be refreshed."""

passwords = Table(
    "passwords",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("login_name", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("changed_at_ms", BigInteger, nullable=False),
    UniqueConstraint("login_name", name="passwords_login_name"),
)
"""`hash`: argon2id in PHC form, parameters and salt within."""

identities = Table(
    "identities",
    metadata,
    Column("provider_id", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    UniqueConstraint("player_id", "provider_id", name="identities_one_each"),
)
"""Who somebody is at an OpenID Connect provider (`iss` by its name in the settings, `sub`)."""

oidc_flows = Table(
    "oidc_flows",
    metadata,
    Column("flow_hash", LargeBinary, primary_key=True),
    Column("provider_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("verifier", Text, nullable=False),
    Column("player_id", Text, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False),
    Index("oidc_flows_expiry", "expires_at_ms"),
)
"""Sign-ins under way. `player_id`: whose account the identity is to be linked to; empty = sign in."""

api_keys = Table(
    "api_keys",
    metadata,
    Column("key_id", Text, primary_key=True),
    Column("player_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("per_minute", Integer, nullable=False),
    Column("per_day", Integer, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("used_at_ms", BigInteger),
    Column("revoked_at_ms", BigInteger),
    Index("api_keys_player", "player_id"),
)
"""`scopes`: sorted, separated by commas."""

api_key_secrets = Table(
    "api_key_secrets",
    metadata,
    Column("secret_hash", LargeBinary, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger),
    Index("api_key_secrets_key", "key_id"),
)

roles = Table(
    "roles",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("role", Text, primary_key=True),
    Column("granted_by", Text, nullable=False),
    Column("granted_at_ms", BigInteger, nullable=False),
)

staff_log = Table(
    "staff_log",
    metadata,
    Column("entry_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("event_id", Text, nullable=False),
    Column("service", Text, nullable=False),
    Column("staff_id", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail_json", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    UniqueConstraint("event_id", name="staff_log_once"),
    Index("staff_log_staff", "staff_id"),
    Index("staff_log_subject", "subject"),
)
"""What staff did, in all services; triggers refuse every change."""

outbox = outbox_table(metadata)
