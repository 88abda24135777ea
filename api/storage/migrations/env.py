"""Run by Alembic: applies the revisions to the connection that `Database.migrate` hands over.

Revisions are numbered by hand and form one chain; each is kept as it was when it was released.
"""

from __future__ import annotations

from alembic import context

from hupai.api.storage.migrations.metadata import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
    transactional_ddl=True,
    transaction_per_migration=False,
)
context.run_migrations()
