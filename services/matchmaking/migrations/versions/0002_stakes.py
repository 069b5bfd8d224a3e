"""What a room plays for: rooms of before play for points."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column."""
    op.add_column("rooms", sa.Column("stakes", sa.Text, nullable=False, server_default=""))
