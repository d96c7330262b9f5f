"""`--show-tables`: prints the tables at the end of the scripts, as DDL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.config.settings import Configuration
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.outgoing import visible
from spark_iceberg_sql.report.sql_text import painted
from spark_iceberg_sql.report.table_ddl import table_ddl


def tables_shown(
    linter: Linter, paths: Sequence[str], settings: Configuration, *, color: bool = False
) -> str:
    """The tables at the end of each series of migrations, and of each other file. Raises IcebergSqlError.

    paths: the files that were checked.
    """
    shown: dict[str, str] = {}
    for path in paths:
        if path == "-":
            raise FileError("--show-tables needs files, not standard input")
        for name, tables in linter.after(path, settings.of(Path(path))):
            if name not in shown and tables:
                where = Path(name)
                if where.is_relative_to(Path.cwd()):
                    where = where.relative_to(Path.cwd())
                shown[name] = f"\n-- after {visible(where.as_posix())}\n" + "\n".join(
                    map(table_ddl, tables)
                )
    text = "".join(shown.values())
    return painted(text) if color else text
