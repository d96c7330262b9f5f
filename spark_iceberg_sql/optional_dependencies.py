"""Optional dependencies: a missing one is reported with the command that installs it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError, MissingExtraError

_SPARK = ("pyspark", "py4j")

_ONLY_A_CLIENT = (
    "works in the process of the Spark server, not in a client of Spark Connect\n"
    "help: with a client's session, sis.install, sis.check, sis.plan, sis.explain, sis.health, sis.preview, sis.advise "
    "and sis.spj work; the server has them in SQL as well, such as `SELECT * FROM iceberg_health('db.t')`"
)


def only_in_server(function: str) -> IcebergSqlError:
    """The error for a public function that a client of Spark Connect calls without a JVM. function: its name."""
    return IcebergSqlError(f"sis.{function} {_ONLY_A_CLIENT}")


def package(name: str) -> Any:
    """Import a package that this one requires. Raises IcebergSqlError where it is missing, as in a session that has
    only this package's own files (`--py-files`).
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise IcebergSqlError(f"{name} is not installed", help=f"pip install {name}") from None


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
            raise IcebergSqlError(f"this {_ONLY_A_CLIENT}") from None
        raise MissingExtraError(missing.name, "spark") from None
