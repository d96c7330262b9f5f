"""Partitioning for Apache Iceberg, from Spark SQL.

Entry points:

    import spark_iceberg_sql as sis

    spark = sis.session()         a Spark session with an embedded Iceberg catalog and everything installed
    sis.install(spark)            the functions, table functions and the check, on your own session
    sis.check("ALTER TABLE ...")  check partition DDL; needs no Spark
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

# For type checkers and editors, to which an alias says that a name is public; isort would split the lines.
# isort: off
if TYPE_CHECKING:
    from spark_iceberg_sql.api import (
        check as check,
        doctor as doctor,
        from_hive as from_hive,
        install as install,
        plan as plan,
        uninstall as uninstall,
    )
    from spark_iceberg_sql.checker.plan import Plan as Plan
    from spark_iceberg_sql.diagnostics import Diagnostic as Diagnostic, Report as Report, Severity as Severity
    from spark_iceberg_sql.errors import (
        ArgumentsError as ArgumentsError,
        ConfigError as ConfigError,
        ConflictError as ConflictError,
        FileError as FileError,
        IcebergSqlError as IcebergSqlError,
        IcebergSqlWarning as IcebergSqlWarning,
        JarError as JarError,
        JavaError as JavaError,
        MissingExtraError as MissingExtraError,
        PluginError as PluginError,
        ReadError as ReadError,
        ScriptFailedError as ScriptFailedError,
        SourceError as SourceError,
    )
    from spark_iceberg_sql.insight.advise.model import Advice as Advice, Proposal as Proposal
    from spark_iceberg_sql.insight.diagnosis.model import Diagnosis as Diagnosis
    from spark_iceberg_sql.insight.from_hive.model import FromHive as FromHive
    from spark_iceberg_sql.insight.preview.model import Preview as Preview
    from spark_iceberg_sql.model.metadata.offline import known_from as known_from
    from spark_iceberg_sql.model.tables import Tables as Tables
    from spark_iceberg_sql.spark.attach import attach as attach
    from spark_iceberg_sql.spark.gate.intercept import sql as sql
    from spark_iceberg_sql.spark.gate.scripts import run as run
    from spark_iceberg_sql.insight.advise.spark import advise as advise
    from spark_iceberg_sql.insight.explain.spark import explain as explain
    from spark_iceberg_sql.insight.health.spark import health as health
    from spark_iceberg_sql.insight.listing.spark import describe as describe, tables as tables
    from spark_iceberg_sql.insight.spj.spark import spj as spj
    from spark_iceberg_sql.insight.preview.spark import preview as preview
    from spark_iceberg_sql.sessions.servers import (
        Server as Server,
        connect_server as connect_server,
        thrift_server as thrift_server,
    )
    from spark_iceberg_sql.sessions.session import register as register, session as session
    from spark_iceberg_sql.spark.tables.catalog_settings import catalog as catalog
    from spark_iceberg_sql.spark.tables.compaction import optimize as optimize
    from spark_iceberg_sql.spark.tables.repartitioning import repartition as repartition
    from spark_iceberg_sql.spark.tables.credentials import collection as collection
    from spark_iceberg_sql.translation.script import translate as translate
# isort: on


def _homes() -> dict[str, str]:
    """The module of each public name: the imports above, which are the one list of them, are read, not run.

    The names are loaded on first use, since the checker must not import pyspark. (The package's Java files are read as
    text, too, so it never comes without its sources.)
    """
    loader: Any = sys.modules[__name__].__loader__  # also of a zip file
    block = loader.get_source(__name__).partition("if TYPE_CHECKING:")[2].partition("# isort: on")[0]
    homes = {}
    for statement in block.split(f"from {__name__}.")[1:]:
        module, _, names = statement.partition(" import ")
        homes.update({alias.split()[-1]: module for alias in names.strip("()\n ,").split(",")})
    return dict(sorted(homes.items()))


_HOME = _homes()

if not TYPE_CHECKING:  # they would take the only literal in it for the only public name
    __all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version  # a fifth of the start-up time

        try:
            value: Any = version("spark-iceberg-sql")
        except PackageNotFoundError:  # a zip of the package's folder alone
            value = "unknown"
    elif name in _HOME:
        from spark_iceberg_sql.optional_dependencies import load

        home = _HOME[name]
        needs_spark = home.startswith(("spark.", "sessions.")) or home.endswith(".spark")
        if needs_spark and name.islower():  # a function
            value = load("api").of_any_session(name, home)
        else:
            value = getattr(load(home), name)
        if needs_spark:
            _welcome_ipython()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _welcome_ipython() -> None:
    """Load the magics if IPython runs this program, as soon as the program uses Spark."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        from contextlib import suppress

        with suppress(ImportError):  # an IPython without what the magics need; %load_ext says so
            shell.extension_manager.load_extension(__name__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext spark_iceberg_sql`: the magics `%%iceberg_sql` and `%iceberg_sql`. shell: IPython's."""
    from spark_iceberg_sql.optional_dependencies import load

    load("notebook.extension").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext spark_iceberg_sql`. shell: IPython's."""
    from spark_iceberg_sql.optional_dependencies import load

    load("notebook.extension").unload(shell)


def __dir__() -> list[str]:
    return sorted(["__version__", *_HOME])
