"""Partitioning for Apache Iceberg, from Spark SQL.

The ways in:

    import spark_iceberg_sql as sis

    spark = sis.session()         a Spark session with an embedded Iceberg catalog, installed
    sis.install(spark)            the functions, table functions and the check, on your own session
    sis.check("ALTER TABLE ...")  what is wrong with partition DDL; needs no Spark
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark_iceberg_sql.checker import check
    from spark_iceberg_sql.diagnostics import IcebergSqlError, Report
    from spark_iceberg_sql.offline import known_from
    from spark_iceberg_sql.planner import plan
    from spark_iceberg_sql.spark.attach import attach, catalog, optimize
    from spark_iceberg_sql.spark.gate import sql
    from spark_iceberg_sql.spark.script import run
    from spark_iceberg_sql.spark.secrets import collection
    from spark_iceberg_sql.spark.session import install, register, session, uninstall

# Public name -> the module that has it. Loaded on first use: the checker must not cost a Spark.
_HOME = {
    "IcebergSqlError": "diagnostics",
    "Report": "diagnostics",
    "attach": "spark.attach",
    "catalog": "spark.attach",
    "check": "checker",
    "collection": "spark.secrets",
    "install": "spark.session",
    "known_from": "offline",
    "optimize": "spark.attach",
    "plan": "planner",
    "register": "spark.session",
    "run": "spark.script",
    "session": "spark.session",
    "sql": "spark.gate",
    "uninstall": "spark.session",
}

__all__ = [
    "IcebergSqlError",
    "Report",
    "__version__",
    "attach",
    "catalog",
    "check",
    "collection",
    "install",
    "known_from",
    "optimize",
    "plan",
    "register",
    "run",
    "session",
    "sql",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a fifth of the checker's start, for one string

        value: Any = version("spark-iceberg-sql")
    elif name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
