"""Passwords, identities, API keys, roles, the log of staff; more of profiles and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

WORDS = ("homepage", "region", "dialect", "theme", "suspended_because")


def upgrade() -> None:
    """Add columns and tables."""
    for name in WORDS:
        op.add_column("players", sa.Column(name, sa.Text, nullable=False, server_default=""))
    for name in ("suspended_until_ms", "deletes_at_ms", "deleted_at_ms"):
        op.add_column("players", sa.Column(name, sa.BigInteger))
    op.create_index("players_deletes", "players", ["deletes_at_ms"])
    op.add_column("sessions", sa.Column("used_at_ms", sa.BigInteger))
    op.add_column("sessions", sa.Column("network", sa.Text, nullable=False, server_default="unknown"))
    op.add_column("sessions", sa.Column("way", sa.Text, nullable=False, server_default="guest"))
    op.add_column("sessions", sa.Column("key_id", sa.Text))
    op.create_index("sessions_key", "sessions", ["key_id"])
    _ways_in()
    _api_keys()
    _staff()


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER staff_log_immutable ON staff_log")
        op.execute("DROP TRIGGER staff_log_kept ON staff_log")
        op.execute("DROP FUNCTION refuse_change_of_staff_log()")
    for table in (
        "staff_log", "roles", "api_key_secrets", "api_keys", "oidc_flows", "identities", "passwords",
    ):  # fmt: skip
        op.drop_table(table)
    op.drop_index("sessions_key", "sessions")
    for name in ("used_at_ms", "network", "way", "key_id"):
        op.drop_column("sessions", name)
    op.drop_index("players_deletes", "players")
    for name in (*WORDS, "suspended_until_ms", "deletes_at_ms", "deleted_at_ms"):
        op.drop_column("players", name)


def _ways_in() -> None:
    op.create_table(
        "passwords",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("login_name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("changed_at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("login_name", name="passwords_login_name"),
    )
    op.create_table(
        "identities",
        sa.Column("provider_id", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("player_id", "provider_id", name="identities_one_each"),
    )
    op.create_table(
        "oidc_flows",
        sa.Column("flow_hash", sa.LargeBinary, primary_key=True),
        sa.Column("provider_id", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("nonce", sa.Text, nullable=False),
        sa.Column("verifier", sa.Text, nullable=False),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("oidc_flows_expiry", "oidc_flows", ["expires_at_ms"])


def _api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("per_minute", sa.Integer, nullable=False),
        sa.Column("per_day", sa.Integer, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("used_at_ms", sa.BigInteger),
        sa.Column("revoked_at_ms", sa.BigInteger),
    )
    op.create_index("api_keys_player", "api_keys", ["player_id"])
    op.create_table(
        "api_key_secrets",
        sa.Column("secret_hash", sa.LargeBinary, primary_key=True),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("prefix", sa.Text, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger),
    )
    op.create_index("api_key_secrets_key", "api_key_secrets", ["key_id"])


def _staff() -> None:
    op.create_table(
        "roles",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, primary_key=True),
        sa.Column("granted_by", sa.Text, nullable=False),
        sa.Column("granted_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "staff_log",
        sa.Column(
            "entry_id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("staff_id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail_json", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("event_id", name="staff_log_once"),
    )
    op.create_index("staff_log_staff", "staff_log", ["staff_id"])
    op.create_index("staff_log_subject", "staff_log", ["subject"])
    _refuse_changes_of_the_log()


def _refuse_changes_of_the_log() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_change_of_staff_log() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION 'staff_log is immutable'; END $$"
        )
        op.execute(
            "CREATE TRIGGER staff_log_immutable BEFORE UPDATE OR DELETE ON staff_log "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change_of_staff_log()"
        )
        op.execute(
            "CREATE TRIGGER staff_log_kept BEFORE TRUNCATE ON staff_log "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_staff_log()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER staff_log_no_{verb.lower()} BEFORE {verb} ON staff_log "
            "BEGIN SELECT RAISE(ABORT, 'staff_log is immutable'); END"
        )
