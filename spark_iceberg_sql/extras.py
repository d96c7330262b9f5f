"""Optional dependencies: a missing one is reported with the command that installs it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError, MissingExtraError

_SPARK = ("pyspark", "py4j", "filelock")

_ONLY_A_CLIENT = (
    "this works in the process of the Spark server, and here is only a client of Spark Connect\n"
    "help: in SQL, the server has iceberg_explain, iceberg_health, iceberg_preview, iceberg_advise and iceberg_spj, "
    "such as `SELECT * FROM iceberg_health('db.t')`; sis.check and sis.plan take the client's session"
)


def load(module: str) -> Any:
    """Import a module of this package.

    Raises MissingExtraError if it needs Spark and pyspark is not installed, and IcebergSqlError if only a client of
    Spark Connect is, which has no JVM to work with.
    """
    try:
        return import_module(f"spark_iceberg_sql.{module}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in _SPARK:
            raise
        if missing.name.startswith("py4j") and find_spec("pyspark") is not None:  # pyspark-client
            raise IcebergSqlError(_ONLY_A_CLIENT) from None
        raise MissingExtraError(missing.name, "spark") from None
