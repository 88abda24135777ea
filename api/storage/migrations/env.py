"""Run by Alembic: applies the revisions to the connection that `Database.migrate` hands over.

Revisions are written and numbered by hand and form one chain; each is kept as it was when it was
released. A test compares what they make with the tables that the features describe.
"""

from __future__ import annotations

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    transactional_ddl=True,
    transaction_per_migration=False,
)
context.run_migrations()
