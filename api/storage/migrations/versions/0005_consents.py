"""Consent to use hands and cases as labels."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0005_consents"
down_revision = "0004_tables"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "consents",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("subject", sa.String(50), nullable=False),
        sa.Column("given", sa.Boolean, nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_consents"),
    )
    op.create_index("ix_consents_subject_id", "consents", ["subject", "id"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("consents")
