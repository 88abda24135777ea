"""The scoreboard of broadcast tables, and seats that are frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006_board"
down_revision = "0005_consents"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("overlay_tables", sa.Column("board", sa.JSON))
    op.add_column(
        "overlay_seats",
        sa.Column("frozen", sa.Boolean, nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    """Drop the columns."""
    op.drop_column("overlay_seats", "frozen")
    op.drop_column("overlay_tables", "board")
