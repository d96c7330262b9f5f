"""`--show-tables`: prints the tables at the end of the scripts, as DDL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.report.sql_text import painted
from spark_iceberg_sql.report.table_ddl import table_ddl
from spark_iceberg_sql.safe_output import visible


def tables_text(linter: Linter, paths: Sequence[str], settings: Configuration, *, color: bool = False) -> str:
    """The tables at the end of each series of migrations, and of each other file. Raises IcebergSqlError.

    paths: the files that were checked.
    """
    text_by_name: dict[str, str] = {}
    for path in paths:
        if path == "-":
            raise FileError("--show-tables needs files, not standard input")
        for name, tables in linter.tables_after(path, settings.of(Path(path))):
            if name not in text_by_name and tables:
                path_shown = Path(name)
                if path_shown.is_relative_to(Path.cwd()):
                    path_shown = path_shown.relative_to(Path.cwd())
                text_by_name[name] = f"\n-- after {visible(path_shown.as_posix())}\n" + "\n".join(
                    map(table_ddl, tables)
                )
    text = "".join(text_by_name.values())
    return painted(text) if color else text
