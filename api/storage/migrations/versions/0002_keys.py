"""API keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0002_keys"
down_revision = "0001_hands"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(8), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("scopes", sa.String(60), nullable=False),
        sa.Column("salt", sa.LargeBinary(16), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("expires_at", UtcDateTime),
        sa.Column("revoked_at", UtcDateTime),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
    )
    op.create_index("ix_api_keys_name", "api_keys", ["name"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("api_keys")
