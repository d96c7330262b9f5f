"""Migrations: the order in which tools run them, and the SQL in Alembic revisions."""
