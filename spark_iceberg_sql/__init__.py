"""Partitioning for Apache Iceberg, from Spark SQL.

Entry points:

    import spark_iceberg_sql as sis

    spark = sis.session()         a Spark session with an embedded Iceberg catalog and everything installed
    sis.install(spark)            the functions, table functions and the check, on your own session
    sis.check("ALTER TABLE ...")  check partition DDL; needs no Spark
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark_iceberg_sql.api import check, plan
    from spark_iceberg_sql.checker.plan import Plan
    from spark_iceberg_sql.diagnostics import (
        Diagnostic,
        Report,
        Severity,
    )
    from spark_iceberg_sql.errors import (
        ConfigError,
        FileError,
        IcebergSqlError,
        IcebergSqlWarning,
        JarError,
        JavaError,
        MissingExtraError,
        PluginError,
        ScriptFailedError,
        SourceError,
    )
    from spark_iceberg_sql.model.offline import known_from
    from spark_iceberg_sql.model.table import Tables
    from spark_iceberg_sql.spark.catalogs import (
        attach,
        catalog,
        optimize,
    )
    from spark_iceberg_sql.spark.gate.intercept import sql
    from spark_iceberg_sql.spark.gate.scripts import run
    from spark_iceberg_sql.spark.insight.explain import explain
    from spark_iceberg_sql.spark.insight.health import health
    from spark_iceberg_sql.spark.insight.joins import spj
    from spark_iceberg_sql.spark.session import (
        install,
        register,
        session,
        uninstall,
    )
    from spark_iceberg_sql.spark.tables.credentials import collection

# Public name -> its module. Loaded on first use: the checker must not import pyspark.
_HOME = {
    "ConfigError": "errors",
    "Diagnostic": "diagnostics",
    "FileError": "errors",
    "IcebergSqlError": "errors",
    "IcebergSqlWarning": "errors",
    "JarError": "errors",
    "JavaError": "errors",
    "Tables": "model.table",
    "MissingExtraError": "errors",
    "Plan": "checker.plan",
    "PluginError": "errors",
    "Report": "diagnostics",
    "ScriptFailedError": "errors",
    "Severity": "diagnostics",
    "SourceError": "errors",
    "attach": "spark.catalogs",
    "catalog": "spark.catalogs",
    "check": "api",
    "collection": "spark.tables.credentials",
    "explain": "spark.insight.explain",
    "health": "spark.insight.health",
    "install": "spark.session",
    "known_from": "model.offline",
    "optimize": "spark.catalogs",
    "plan": "api",
    "register": "spark.session",
    "run": "spark.gate.scripts",
    "session": "spark.session",
    "spj": "spark.insight.joins",
    "sql": "spark.gate.intercept",
    "uninstall": "spark.session",
}

__all__ = [
    "ConfigError",
    "Diagnostic",
    "FileError",
    "IcebergSqlError",
    "IcebergSqlWarning",
    "JarError",
    "JavaError",
    "MissingExtraError",
    "Plan",
    "PluginError",
    "Report",
    "ScriptFailedError",
    "Severity",
    "SourceError",
    "Tables",
    "__version__",
    "attach",
    "catalog",
    "check",
    "collection",
    "explain",
    "health",
    "install",
    "known_from",
    "optimize",
    "plan",
    "register",
    "run",
    "session",
    "spj",
    "sql",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a fifth of the start-up time

        value: Any = version("spark-iceberg-sql")
    elif name in _HOME:
        from spark_iceberg_sql.extras import load

        value = getattr(load(_HOME[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
