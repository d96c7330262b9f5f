"""The values of `ddl`: what happens on an error in partition DDL."""

from __future__ import annotations

from spark_iceberg_sql.errors import IcebergSqlError

MODES = ("error", "warn", "off")


def validated_mode(ddl: str) -> str:
    """The mode itself, after validation. Raises IcebergSqlError for any other value."""
    if ddl not in MODES:
        raise IcebergSqlError(f'ddl must be "error", "warn" or "off", not {ddl!r}')
    return ddl
