"""A hash of what was ordered, by whom, for how much: an order that waits can't be changed alone."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; of orders made before it is not known."""
    op.add_column("topup_orders", sa.Column("content_hash", sa.LargeBinary))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("topup_orders", "content_hash")
