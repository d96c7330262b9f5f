"""The public functions that dispatch on their argument: tables, a classic session, a Spark Connect session."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, overload

from spark_iceberg_sql.checker import engine
from spark_iceberg_sql.errors import ArgumentsError, IcebergSqlError, MissingExtraError
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.optional_dependencies import load, only_in_server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    from spark_iceberg_sql.checker.plan import Plan, PlannedRows
    from spark_iceberg_sql.diagnostics import Report
    from spark_iceberg_sql.insight.diagnosis.model import Diagnosis
    from spark_iceberg_sql.insight.from_hive.model import FromHive


def check(text: str, known: Tables | SparkSession | None = None, *, filename: str | None = None) -> Report:
    """Check every statement of a text, each against the tables as the earlier statements leave them.

    text: any text. known: the tables that exist before it, which are not changed, or a session, whose tables are read;
    with a Spark Connect session, the server checks. filename: for the report. A statement with an error is assumed not
    to have run, but the table of a CREATE with an error is recorded as intended. If neither `known` nor the text
    indicates Spark or Iceberg, it may be another engine's SQL: then a single note replaces all findings. Never raises
    without a session: an internal error is SIS000 in the report.
    With a Spark Connect session, raises IcebergSqlError if its server does not check.
    """
    if known is None or isinstance(known, Tables):
        return engine.check(text, known, filename=filename)
    if _is_remote(known):
        report: Report = load("spark.remote").check(known, text, filename)
        return report
    return engine.check(text, load("spark.gate.live_plan").tables(known), filename=filename)


@overload
def plan(source: RemoteSession, text: str) -> PlannedRows: ...


@overload
def plan(source: Tables | SparkSession, text: str) -> Plan: ...


def plan(source: Tables | SparkSession | RemoteSession, text: str) -> Plan | PlannedRows:
    """The effect of one statement on the partitioning of its table; planning never changes the table.

    source: Tables, or a session, and then the data files are also counted. text: one CREATE or REPLACE TABLE or ALTER
    TABLE statement. Returns a Plan; for a Spark Connect session, the rows of the plan that its server makes. Raises
    IcebergSqlError for text that is not exactly one statement that could change a partitioning.
    """
    if isinstance(source, Tables):
        from spark_iceberg_sql.checker import planner

        return planner.plan(source, text)
    if _is_remote(source):
        rows: PlannedRows = load("spark.remote").plan(source, text)
        return rows
    change_plan: Plan = load("spark.gate.live_plan").plan(source, text)
    return change_plan


def from_hive(
    spark: SparkSession | None,
    source: str,
    queries: Iterable[str | tuple[str, float]] | str = (),
    *,
    column: str | None = None,
    zone: str = "UTC",
    catalog: str = "local",
) -> FromHive:
    """How a Hive-partitioned table becomes an Iceberg table with hidden partitioning; nothing is changed.

    With a table, its rows are read once, to check what its partition columns are derived from; with DDL alone, that is
    unknown unless `column` states it.

    spark: the session; None for DDL. source: the name of a table in `spark_catalog`, or its CREATE TABLE statement,
    with or without queries after it. queries: as for `advise`; they name the table. column: the date or timestamp
    column from which the partition columns are derived. zone: the time zone of their days and hours, as an IANA name or
    an offset; the session's is tried too. catalog: the Iceberg catalog of the new table.
    Raises IcebergSqlError for a table without partition columns, for a column from which they cannot be derived, for an
    unknown time zone, or for a table and a Spark Connect session.
    """
    if len(source.split()) > 1:
        from spark_iceberg_sql.insight.from_hive.hive_move import from_ddl

        return from_ddl(source, queries, column=column, zone=zone, catalog=catalog)
    if spark is None:
        raise IcebergSqlError(
            f"pass the CREATE TABLE statement: the table name `{source}` needs a session", argument="source"
        )
    if _is_remote(spark):
        raise only_in_server("from_hive")
    migration: FromHive = load("insight.from_hive.spark").from_hive(
        spark, source, queries, column=column, zone=zone, catalog=catalog
    )
    return migration


def doctor(spark: SparkSession | None = None) -> Diagnosis:
    """What this package works with, in one screen that can be pasted into a bug report; nothing is changed.

    Python, Java, Spark, Scala, the jars with Iceberg, the catalogs of the settings, what is installed, the optimizer
    rules, Iceberg's known faults with what is done about each, and what is wrong. No credential is in it.

    spark: the session; None for what can be said without one, which needs no pyspark. With a Spark Connect session, the
    server's rules and this client's Python.
    """
    if spark is None:
        diagnosis: Diagnosis = load("insight.diagnosis.spark_process").diagnosis()
    else:
        diagnosis = load(f"insight.diagnosis.{'spark_remote' if _is_remote(spark) else 'spark'}").diagnosis(spark)
    return diagnosis


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Install everything in this package in any session; returns the session.

    Calling it again is harmless. spark: a classic session, or a Spark Connect session, whose server must already have
    everything (`connect_server`); it then checks partition DDL before the session sends it. ddl:
    what happens on an error in partition DDL: "error", "warn", "off".

    Raises IcebergSqlError if Iceberg's runtime is not on the session's class path, or if a Spark Connect server does
    not have this package's functions.
    """
    _implementation(spark).install(spark, ddl)
    return spark


def uninstall(spark: SparkSession) -> None:
    """Remove what `install` added to a session."""
    _implementation(spark).uninstall(spark)


def of_any_session(name: str, home: str) -> Callable[..., Any]:
    """A public function whose first argument may be a session of Spark Connect: then the server computes its rows.

    name, home: of the function for a classic session, and its module. Raises MissingExtraError without pyspark. The
    function raises IcebergSqlError where it only works in the process of the Spark server.
    """
    try:
        classic: Callable[..., Any] = getattr(load(home), name)
    except MissingExtraError:
        raise
    except IcebergSqlError:  # only a client is installed

        def classic(*args: Any, **kwargs: Any) -> Any:
            raise only_in_server(name)

        classic.__name__ = classic.__qualname__ = name

    @wraps(classic)
    def function(*args: Any, **kwargs: Any) -> Any:
        spark = args[0] if args else kwargs.get("spark")
        if not _is_remote(spark):
            _refuse_arguments(name, classic, args, kwargs)
            return classic(*args, **kwargs)
        functions = load("spark.remote_functions")
        if name not in functions.SERVER_FUNCTIONS:
            raise only_in_server(name)
        kwargs.pop("spark", None)
        return functions.call(name, spark, args[1:], kwargs)

    return function


def _refuse_arguments(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise ArgumentsError for a call without the session, or with too few or unknown arguments."""
    signature = inspect.signature(function)
    try:
        values = signature.bind(*args, **kwargs).arguments
        if isinstance(values.get("spark"), str):
            raise TypeError("the first argument is the Spark session")
    except TypeError as error:
        required = [p.name for p in signature.parameters.values() if p.default is p.empty and p.kind != p.VAR_KEYWORD]
        raise ArgumentsError(
            f"sis.{name}: {error}", help=f"write sis.{name}({', '.join(required)})" if required else None
        ) from None


def _implementation(spark: SparkSession) -> Any:
    return load("spark.remote" if _is_remote(spark) else "sessions.session")


def _is_remote(spark: object) -> bool:
    return any(cls.__module__.startswith("pyspark.sql.connect.") for cls in type(spark).__mro__)
