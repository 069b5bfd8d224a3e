"""What players set for their protection, and what they have played."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    "protection",
    "protection_keys",
    "protection_rounds",
    "protection_days",
    "protection_warnings",
)


def upgrade() -> None:
    """Make the tables, and let the database itself refuse to shorten an exclusion."""
    op.create_table(
        "protection",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("band", sa.Integer, nullable=False),
        sa.Column("day_minutes", sa.BigInteger, nullable=False),
        sa.Column("day_loss", sa.BigInteger, nullable=False),
        sa.Column("next_minutes", sa.BigInteger, nullable=False),
        sa.Column("next_minutes_at_ms", sa.BigInteger, nullable=False),
        sa.Column("next_loss", sa.BigInteger, nullable=False),
        sa.Column("next_loss_at_ms", sa.BigInteger, nullable=False),
        sa.Column("excluded_until_ms", sa.BigInteger, nullable=False),
        sa.Column("touched_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "protection_keys",
        sa.Column("key_hash", sa.LargeBinary, primary_key=True),
        sa.Column("player_id", sa.Text, nullable=False),
    )
    op.create_table(
        "protection_rounds",
        sa.Column("round_id", sa.Text, primary_key=True),
        sa.Column("opened_at_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("is_timed", sa.Boolean, nullable=False),
        sa.Column("is_settled", sa.Boolean, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("protection_rounds_at", "protection_rounds", ["at_ms"])
    op.create_table(
        "protection_days",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("played_ms", sa.BigInteger, nullable=False),
        sa.Column("net", sa.BigInteger, nullable=False),
    )
    op.create_index("protection_days_day", "protection_days", ["day"])
    op.create_table(
        "protection_warnings",
        sa.Column("player_id", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("reason", sa.Text, primary_key=True),
    )
    op.create_index("protection_warnings_day", "protection_warnings", ["day"])
    _guard()


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER protection_stands ON protection")
        op.execute("DROP TRIGGER protection_kept ON protection")
        op.execute("DROP TRIGGER protection_not_emptied ON protection")
        op.execute("DROP FUNCTION refuse_early_end()")
    for table in reversed(TABLES):
        op.drop_table(table)


def _guard() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_early_end() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION 'an exclusion only gets longer'; END $$"
        )
        op.execute(
            "CREATE TRIGGER protection_stands BEFORE UPDATE ON protection FOR EACH ROW "
            "WHEN (NEW.excluded_until_ms < OLD.excluded_until_ms OR NEW.player_id <> OLD.player_id) "
            "EXECUTE FUNCTION refuse_early_end()"
        )
        op.execute(
            "CREATE TRIGGER protection_kept BEFORE DELETE ON protection FOR EACH ROW "
            "EXECUTE FUNCTION refuse_early_end()"
        )
        op.execute(
            "CREATE TRIGGER protection_not_emptied BEFORE TRUNCATE ON protection FOR EACH STATEMENT "
            "EXECUTE FUNCTION refuse_early_end()"
        )
        return
    op.execute(
        "CREATE TRIGGER protection_stands BEFORE UPDATE ON protection "
        "WHEN NEW.excluded_until_ms < OLD.excluded_until_ms OR NEW.player_id <> OLD.player_id "
        "BEGIN SELECT RAISE(ABORT, 'an exclusion only gets longer'); END"
    )
    op.execute(
        "CREATE TRIGGER protection_kept BEFORE DELETE ON protection "
        "BEGIN SELECT RAISE(ABORT, 'an exclusion only gets longer'); END"
    )
