"""`python -m spark_iceberg_sql` is the command `iceberg-sql`."""

from spark_iceberg_sql.cli import entry

entry()
