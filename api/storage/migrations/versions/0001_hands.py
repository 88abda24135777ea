"""Stored hands: photos, hands, their corrections, and the keys that make storing idempotent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0001_hands"
down_revision = None

_SQLITE_GUARD = """
CREATE TRIGGER corrections_are_appended BEFORE UPDATE ON corrections
BEGIN SELECT RAISE(ABORT, 'corrections are appended, never changed'); END
"""
_POSTGRESQL_GUARD = (
    """
CREATE FUNCTION corrections_are_appended() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'corrections are appended, never changed'
USING ERRCODE = 'integrity_constraint_violation'; END $$
""",
    """
CREATE TRIGGER corrections_are_appended BEFORE UPDATE ON corrections
FOR EACH ROW EXECUTE FUNCTION corrections_are_appended()
""",
)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "photos",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("media_type", sa.String(64), nullable=False),
        sa.Column("stored_at", UtcDateTime, nullable=False),
        sa.Column("unused_since", UtcDateTime),
        sa.PrimaryKeyConstraint("sha256", name="pk_photos"),
    )
    op.create_index("ix_photos_unused_since", "photos", ["unused_since"])
    op.create_table(
        "hands",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rules", sa.String(64), nullable=False),
        sa.Column("circumstances", sa.JSON, nullable=False),
        sa.Column("reading", sa.JSON, nullable=False),
        sa.Column("certain", sa.Boolean, nullable=False),
        sa.Column("notation", sa.Text),
        sa.Column("result", sa.JSON),
        sa.Column("total", sa.Integer),
        sa.Column("unit", sa.String(16)),
        sa.Column("complete", sa.Boolean),
        sa.Column("legal", sa.Boolean),
        sa.Column("share_token", sa.String(43)),
        sa.PrimaryKeyConstraint("id", name="pk_hands"),
        sa.UniqueConstraint("share_token", name="uq_hands_share_token"),
    )
    op.create_index("ix_hands_author_id", "hands", ["author", "id"])
    op.create_index("ix_hands_rules_id", "hands", ["rules", "id"])
    op.create_table(
        "hand_photos",
        sa.Column("hand_id", sa.String(36), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("hand_id", "position", name="pk_hand_photos"),
        sa.ForeignKeyConstraint(
            ["hand_id"], ["hands.id"], name="fk_hand_photos_hand_id_hands", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["sha256"], ["photos.sha256"], name="fk_hand_photos_sha256_photos"),
    )
    op.create_index("ix_hand_photos_sha256", "hand_photos", ["sha256"])
    op.create_table(
        "corrections",
        sa.Column("hand_id", sa.String(36), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("change", sa.JSON, nullable=False),
        sa.Column("rules", sa.String(64), nullable=False),
        sa.Column("circumstances", sa.JSON, nullable=False),
        sa.Column("notation", sa.Text),
        sa.Column("result", sa.JSON),
        sa.PrimaryKeyConstraint("hand_id", "position", name="pk_corrections"),
        sa.ForeignKeyConstraint(
            ["hand_id"], ["hands.id"], name="fk_corrections_hand_id_hands", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("key", sa.String(261), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("hand_id", sa.String(36), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.PrimaryKeyConstraint("author", "key", name="pk_idempotency_keys"),
        sa.ForeignKeyConstraint(
            ["hand_id"], ["hands.id"], name="fk_idempotency_keys_hand_id_hands", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_idempotency_keys_hand_id", "idempotency_keys", ["hand_id"])
    guards = (_SQLITE_GUARD,) if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL_GUARD
    for guard in guards:
        op.execute(guard)


def downgrade() -> None:
    """Drop them, and with them every stored hand."""
    for table in ("idempotency_keys", "corrections", "hand_photos", "hands", "photos"):
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION corrections_are_appended()")
