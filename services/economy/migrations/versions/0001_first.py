"""The book: accounts, transfers, entries that nobody changes, stakes, rounds."""

import sqlalchemy as sa
from alembic import op

from services.chassis.outbox import create_outbox

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
IMMUTABLE = ("entries", "transfers")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("currency", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("balance", sa.BigInteger, nullable=False),
        sa.CheckConstraint("balance >= 0 OR kind = 'issuer'", name="accounts_never_negative"),
        sa.CheckConstraint("kind IN ('wallet', 'stake', 'house', 'issuer')", name="accounts_kind"),
    )
    op.create_table(
        "transfers",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.BigInteger, nullable=False),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("id", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("transfer_id", sa.Text, nullable=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("balance_after", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount <> 0", name="entries_not_zero"),
    )
    op.create_index("entries_owner", "entries", ["owner", "id"])
    op.create_table(
        "matches",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("next_round_no", sa.Integer, nullable=False),
        sa.Column("suspended", sa.Boolean, nullable=False),
        sa.Column("last_round_no", sa.Integer),
        sa.Column("ended_at_ms", sa.BigInteger),
    )
    op.create_table(
        "stakes",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("buy_in", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("last_round_no", sa.Integer),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("returned", sa.BigInteger),
        sa.CheckConstraint("state IN ('open', 'closing', 'closed', 'tombstone')", name="stakes_state"),
    )
    op.create_index("stakes_player", "stakes", ["player_id", "state"])
    op.create_table(
        "rounds",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("round_no", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("stakes_before", sa.Text, nullable=False),
        sa.Column("coins", sa.Text, nullable=False),
        sa.Column("transfer_id", sa.Text, nullable=False),
        sa.Column("settled_at_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'settled', 'disputed', 'waiting_void', 'voided')", name="rounds_state"
        ),
        sa.UniqueConstraint("match_id", "round_no", name="rounds_once_per_match"),
    )
    op.create_table(
        "disputes",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("cause", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "alerts",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    create_outbox(op)
    _make_immutable()


def downgrade() -> None:
    """Drop them, money and all."""
    if op.get_bind().dialect.name == "postgresql":
        for table in IMMUTABLE:
            op.execute(f"DROP TRIGGER {table}_immutable ON {table}")
            op.execute(f"DROP TRIGGER {table}_kept ON {table}")
        op.execute("DROP FUNCTION refuse_change()")
    for table in (
        "outbox", "alerts", "disputes", "rounds", "stakes", "matches", "entries", "transfers", "accounts",
    ):  # fmt: skip
        op.drop_table(table)


def _make_immutable() -> None:
    """Refuse every change of what was written, whoever asks."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION '% is immutable', TG_TABLE_NAME; END $$"
        )
        for table in IMMUTABLE:
            op.execute(
                f"CREATE TRIGGER {table}_immutable BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            )
            op.execute(
                f"CREATE TRIGGER {table}_kept BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
        return
    for table in IMMUTABLE:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is immutable'); END"
            )
