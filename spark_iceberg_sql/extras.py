"""Optional dependencies: a missing one is reported with the command that installs it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spark_iceberg_sql.errors import MissingExtraError

_SPARK = ("pyspark", "py4j", "filelock")


def load(module: str) -> Any:
    """Import a module of this package.

    Raises MissingExtraError if it needs Spark and pyspark is not installed.
    """
    try:
        return import_module(f"spark_iceberg_sql.{module}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in _SPARK:
            raise
        raise MissingExtraError(missing.name, "spark") from None
