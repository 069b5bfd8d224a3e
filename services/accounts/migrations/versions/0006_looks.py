"""What nicknames look like, so that nobody looks like a member of staff; cities within regions."""

import sqlalchemy as sa
from alembic import op

from services.accounts.core.names import looks_of

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

PAGE = 1_000
_PLAYERS = sa.table("players", sa.column("player_id"), sa.column("nickname"), sa.column("looks"))


def upgrade() -> None:
    """Add both, and look at the names there are."""
    for name in ("city", "looks"):
        op.add_column("players", sa.Column(name, sa.Text, nullable=False, server_default=""))
    _fill()
    op.create_index("players_looks", "players", ["looks"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("players_looks", "players")
    for name in ("looks", "city"):
        op.drop_column("players", name)


def _fill() -> None:
    c, connection, after = _PLAYERS.c, op.get_bind(), ""
    page = sa.select(c.player_id, c.nickname).order_by(c.player_id).limit(PAGE)
    one = sa.update(_PLAYERS).where(c.player_id == sa.bindparam("who")).values(looks=sa.bindparam("seen"))
    while rows := connection.execute(page.where(c.player_id > after)).all():
        connection.execute(one, [{"who": row.player_id, "seen": looks_of(row.nickname)} for row in rows])
        after = rows[-1].player_id
