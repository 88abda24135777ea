"""Cases: their logs, to which the database itself only lets events be appended, and their
photos.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from hupai.api.storage.base import UtcDateTime

revision = "0003_cases"
down_revision = "0002_keys"

_GUARDED = {
    "case_events": "events are appended, never changed",
    "case_photos": "the photos of a case stay",
}
_WAYS = ("UPDATE", "DELETE")
_SQLITE_NEXT = """
CREATE TRIGGER case_events_are_next BEFORE INSERT ON case_events
WHEN NEW.seq <> (SELECT COALESCE(MAX(seq) + 1, 0) FROM case_events WHERE case_id = NEW.case_id)
  OR EXISTS (SELECT 1 FROM case_events WHERE hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'events are appended, never changed'); END
"""
"""INSERT OR REPLACE deletes rows without asking the triggers of DELETE."""


def upgrade() -> None:
    """Make the tables and the triggers that guard the log."""
    op.create_table(
        "cases",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("opened_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("rules", sa.String(200), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("open_proposals", sa.Integer, nullable=False),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cases"),
    )
    op.create_index("ix_cases_state_id", "cases", ["state", "id"])
    op.create_table(
        "case_events",
        sa.Column("case_id", sa.String(36), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("case_id", "seq", name="pk_case_events"),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_case_events_case_id_cases"),
        sa.UniqueConstraint("hash", name="uq_case_events_hash"),
    )
    op.create_table(
        "case_photos",
        sa.Column("case_id", sa.String(36), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("case_id", "sha256", name="pk_case_photos"),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_case_photos_case_id_cases"),
        sa.ForeignKeyConstraint(["sha256"], ["photos.sha256"], name="fk_case_photos_sha256_photos"),
    )
    op.create_index("ix_case_photos_sha256", "case_photos", ["sha256"])
    sqlite = op.get_bind().dialect.name == "sqlite"
    if sqlite:
        op.execute(_SQLITE_NEXT)
    for table, why in _GUARDED.items():
        if not sqlite:
            op.execute(
                f"CREATE FUNCTION {table}_are_appended() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{why}' "
                "USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            op.execute(
                f"CREATE TRIGGER {table}_are_appended "
                f"BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_are_appended()"
            )
            continue
        for way in _WAYS:
            op.execute(
                f"CREATE TRIGGER {table}_{way.lower()}_refused BEFORE {way} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
            )


def downgrade() -> None:
    """Drop them, and with them every case."""
    for table in ("case_photos", "case_events", "cases"):
        op.drop_table(table)
    if op.get_bind().dialect.name != "sqlite":
        for table in _GUARDED:
            op.execute(f"DROP FUNCTION {table}_are_appended()")
