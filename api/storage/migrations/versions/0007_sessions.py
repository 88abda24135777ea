"""Sessions that several phones share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0007_sessions"
down_revision = "0006_board"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("token", sa.String(43), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("log", sa.JSON, nullable=False),
        sa.Column("hands", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_author_created_at", "sessions", ["author", "created_at"])
    op.create_table(
        "session_changes",
        sa.Column("session_id", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("key", sa.String(255)),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_session_changes"),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            name="fk_session_changes_session_id_sessions",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("session_id", "key", name="uq_session_changes_session_id_key"),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("session_changes")
    op.drop_table("sessions")
