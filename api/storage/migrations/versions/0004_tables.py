"""Broadcast tables: their settings, seats and events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0004_tables"
down_revision = "0003_cases"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "overlay_tables",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("rules", sa.String(64), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("auto", sa.String(10), nullable=False),
        sa.Column("delay_ms", sa.Integer, nullable=False),
        sa.Column("theme", sa.String(40), nullable=False),
        sa.Column("language", sa.String(4), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.Column("lease_owner", sa.String(36)),
        sa.Column("lease_until", UtcDateTime),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_overlay_tables"),
    )
    op.create_table(
        "overlay_seats",
        sa.Column("table_id", sa.String(40), nullable=False),
        sa.Column("seat", sa.String(20), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("player", sa.String(80), nullable=False),
        sa.Column("region", sa.JSON, nullable=False),
        sa.Column("circumstances", sa.JSON, nullable=False),
        sa.Column("proposals", sa.Integer, nullable=False),
        sa.Column("proposal", sa.JSON),
        sa.Column("on_air", sa.JSON),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_overlay_seats"),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["overlay_tables.id"],
            name="fk_overlay_seats_table_id_overlay_tables",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "overlay_events",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("table_id", sa.String(40), nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("seat", sa.String(20)),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("due_at", UtcDateTime, nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_overlay_events"),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["overlay_tables.id"],
            name="fk_overlay_events_table_id_overlay_tables",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("table_id", "number", name="uq_overlay_events_table_id_number"),
    )
    op.create_index("ix_overlay_events_number_due_at", "overlay_events", ["number", "due_at"])


def downgrade() -> None:
    """Drop them."""
    for table in ("overlay_events", "overlay_seats", "overlay_tables"):
        op.drop_table(table)
