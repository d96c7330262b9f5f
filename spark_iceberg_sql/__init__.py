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
    from spark_iceberg_sql.api import check, from_hive, install, plan, uninstall
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
        ReadError,
        ScriptFailedError,
        SourceError,
    )
    from spark_iceberg_sql.insight.advise import Advice, Proposal
    from spark_iceberg_sql.insight.from_hive import FromHive
    from spark_iceberg_sql.insight.preview import Preview
    from spark_iceberg_sql.model.offline import known_from
    from spark_iceberg_sql.model.tables import Tables
    from spark_iceberg_sql.spark.catalogs import attach
    from spark_iceberg_sql.spark.gate.intercept import sql
    from spark_iceberg_sql.spark.gate.scripts import run
    from spark_iceberg_sql.spark.insight.advise import advise
    from spark_iceberg_sql.spark.insight.explain import explain
    from spark_iceberg_sql.spark.insight.health import health
    from spark_iceberg_sql.spark.insight.joins import spj
    from spark_iceberg_sql.spark.insight.preview import preview
    from spark_iceberg_sql.spark.servers import Server, connect_server, thrift_server
    from spark_iceberg_sql.spark.session import register, session
    from spark_iceberg_sql.spark.tables.catalog_settings import catalog
    from spark_iceberg_sql.spark.tables.compaction import optimize
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
    "Tables": "model.tables",
    "MissingExtraError": "errors",
    "Plan": "checker.plan",
    "PluginError": "errors",
    "Report": "diagnostics",
    "ScriptFailedError": "errors",
    "Server": "spark.servers",
    "Severity": "diagnostics",
    "ReadError": "errors",
    "SourceError": "errors",
    "Advice": "insight.advise",
    "Proposal": "insight.advise",
    "advise": "spark.insight.advise",
    "attach": "spark.catalogs",
    "catalog": "spark.tables.catalog_settings",
    "check": "api",
    "collection": "spark.tables.credentials",
    "connect_server": "spark.servers",
    "install": "api",
    "Preview": "insight.preview",
    "explain": "spark.insight.explain",
    "FromHive": "insight.from_hive",
    "from_hive": "api",
    "health": "spark.insight.health",
    "known_from": "model.offline",
    "optimize": "spark.tables.compaction",
    "plan": "api",
    "preview": "spark.insight.preview",
    "register": "spark.session",
    "run": "spark.gate.scripts",
    "session": "spark.session",
    "spj": "spark.insight.joins",
    "sql": "spark.gate.intercept",
    "thrift_server": "spark.servers",
    "uninstall": "api",
}

__all__ = [
    "Advice",
    "ConfigError",
    "Diagnostic",
    "FileError",
    "FromHive",
    "IcebergSqlError",
    "IcebergSqlWarning",
    "JarError",
    "JavaError",
    "MissingExtraError",
    "Plan",
    "PluginError",
    "Preview",
    "Proposal",
    "ReadError",
    "Report",
    "ScriptFailedError",
    "Server",
    "Severity",
    "SourceError",
    "Tables",
    "__version__",
    "advise",
    "attach",
    "catalog",
    "check",
    "collection",
    "connect_server",
    "explain",
    "from_hive",
    "health",
    "install",
    "known_from",
    "optimize",
    "plan",
    "preview",
    "register",
    "run",
    "session",
    "spj",
    "sql",
    "thrift_server",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a fifth of the start-up time

        value: Any = version("spark-iceberg-sql")
    elif name in _HOME:
        from spark_iceberg_sql.extras import load

        home = _HOME[name]
        if home.startswith("spark.") and name.islower():  # a function
            value = load("api").of_any_session(name, home)
        else:
            value = getattr(load(home), name)
        if home.startswith("spark."):
            _welcome_ipython()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _welcome_ipython() -> None:
    """Where IPython runs this program, it gets the magics as soon as the program uses Spark."""
    import sys

    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        from contextlib import suppress

        with suppress(ImportError):  # an IPython without what the magics need; %load_ext says so
            shell.extension_manager.load_extension(__name__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext spark_iceberg_sql`: the magics `%%iceberg_sql` and `%iceberg_sql`. shell: IPython's."""
    from spark_iceberg_sql.extras import load

    load("notebook.extension").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext spark_iceberg_sql`. shell: IPython's."""
    from spark_iceberg_sql.extras import load

    load("notebook.extension").unload(shell)


def __dir__() -> list[str]:
    return sorted(__all__)
