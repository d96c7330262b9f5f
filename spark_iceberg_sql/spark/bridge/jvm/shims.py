"""API differences between the supported minor versions of Spark: one function or one row each.

Everything else in the package is written for the newest version. A Java class that differs between versions
has several files, in folders named after the first version that they are for: `rules/3.5/Arithmetic.java`,
`rules/4.1/Arithmetic.java`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

Java = Any
_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"

SPARK_VERSION = tuple(int(part) for part in pyspark.__version__.split(".")[:2])

# Class names of the newest version -> names before Spark 4.0, which separated classic sessions from Spark Connect.
_BEFORE_4_0 = {
    "org.apache.spark.sql.classic.SparkSession": "org.apache.spark.sql.SparkSession",
    "org.apache.spark.sql.classic.Dataset": "org.apache.spark.sql.Dataset",
}
# The same for Scala 2.12, whose Seq may be mutable.
_SCALA_2_12 = {"scala.collection.immutable.Seq": "scala.collection.Seq"}


def versioned_class_name(name: str) -> str:
    """A class's name in this version of Spark, given its name in the newest one."""
    return name if SPARK_VERSION >= (4, 0) else _BEFORE_4_0.get(name, name)


def java_text(text: str, scala_2_12: bool) -> str:
    """The source of a Java file with the class names of this version of Spark, given those of the newest
    one.
    """
    if SPARK_VERSION >= (4, 0):
        return text
    for name, old_name in (_BEFORE_4_0 | (_SCALA_2_12 if scala_2_12 else {})).items():
        for delimiter in (";", ")", " "):
            text = text.replace(f"{name}{delimiter}", f"{old_name}{delimiter}")
    return text


@cache
def scala_2_12(gateway: Any) -> bool:
    """True if the JVM's Spark was built with Scala 2.12, as pip's Spark 3.5 is; Spark 4 never is."""
    if SPARK_VERSION >= (4, 0):
        return False
    return str(gateway.jvm.scala.util.Properties.versionNumberString()).startswith("2.12.")


def sequence(gateway: Any, scala_object: Callable[[str], Java], array: Java) -> Java:
    """A Java array of objects as a Scala Seq."""
    if scala_2_12(gateway):
        return scala_object("scala.collection.mutable.WrappedArray").make(array)
    return scala_object("scala.collection.immutable.ArraySeq").unsafeWrapArray(array)


def logger(name: str) -> logging.Logger:
    """A pyspark logger; since 4.0 these have their own class."""
    if SPARK_VERSION < (4, 0):
        return logging.getLogger(name)
    from pyspark.logger import PySparkLogger

    return PySparkLogger.getLogger(name)


def description(error: CapturedException) -> str:
    """The message of a JVM exception."""
    return str(getattr(error, _DESCRIPTION) or "")


def with_description(error: CapturedException, text: str) -> CapturedException:
    """The same exception with another description."""
    setattr(error, _DESCRIPTION, text)
    return error


_DESCRIPTION = "_desc" if SPARK_VERSION >= (4, 0) else "desc"


def condition(error: Java) -> str | None:
    """The error condition of a Spark exception in Java."""
    error_condition: str | None = error.getCondition() if SPARK_VERSION >= (4, 0) else error.getErrorClass()
    return error_condition


def condition_of(error: CapturedException) -> str | None:
    """The error condition of a Spark exception in Python."""
    error_condition: str | None = error.getCondition() if SPARK_VERSION >= (4, 0) else error.getErrorClass()
    return error_condition


def message(error: CapturedException) -> str:
    """The message that pyspark logs for a JVM exception; before 4.0 it logs none."""
    return error.getMessage() if SPARK_VERSION >= (4, 0) else ""


def refusal(condition: str, parameters: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """An error condition with its parameters, as this Spark names them."""
    if SPARK_VERSION >= (4, 0):
        return condition, parameters
    if condition == "NON_FOLDABLE_ARGUMENT":  # not there before 4.0
        message = (
            f"the function {parameters['funcName']} requires the parameter {parameters['paramName']} to be a "
            f"foldable expression of the type {parameters['paramType']}, but the actual argument is non-foldable"
        )
        return "INTERNAL_ERROR", {"message": message}
    name = parameters.get("routineName")
    return condition, parameters if name is None else {**parameters, "functionName": name}


def time_travel_settings(conf: Java) -> Java:
    """The settings that TimeTravelSpec.create takes: all of a session's before Spark 4.0, then the time zone
    only.
    """
    return conf.sessionLocalTimeZone() if SPARK_VERSION >= (4, 0) else conf


def thrift_server(server_class: Java, session: Java) -> Java:
    """Spark's Thrift server, started for a session."""
    if SPARK_VERSION >= (4, 0):
        return server_class.startWithSparkSession(session, False)
    return server_class.startWithContext(session.sqlContext())


def connect_runs(service: Java) -> bool:
    """Whether Spark Connect's server runs in this process."""
    if SPARK_VERSION >= (4, 0):
        return bool(service.started())
    server = service.server()
    return server is not None and not server.isShutdown()


def literal(column: Java, java_class: Callable[[str], Java]) -> Java | None:
    """The value of a constant column of Java's as a literal; None if it has no single type."""
    try:
        value_expression = column.expr()
        value = java_class(_LITERAL)(value_expression.eval(None), value_expression.dataType())
    except (Py4JJavaError, CapturedException):
        return None
    return java_class("org.apache.spark.sql.Column")(value)


def data_frame_class() -> type:
    """pyspark's class of the DataFrames of classic sessions."""
    if SPARK_VERSION >= (4, 0):
        from pyspark.sql.classic.dataframe import DataFrame

        return DataFrame
    import pyspark.sql

    return pyspark.sql.DataFrame


def column(java_class: Callable[[str], Java], scala_object: Callable[[str], Java], expression: Java) -> Java:
    """Java's Column of an expression."""
    if SPARK_VERSION >= (4, 0):
        return scala_object("org.apache.spark.sql.classic.ExpressionUtils").column(expression)
    return java_class("org.apache.spark.sql.Column")(expression)


def expression(java_class: Callable[[str], Java], scala_object: Callable[[str], Java], text: str) -> Java:
    """The expression of a text, not resolved yet."""
    parsed = java_class("org.apache.spark.sql.functions").expr(text)
    if SPARK_VERSION >= (4, 0):
        return scala_object("org.apache.spark.sql.classic.ExpressionUtils").expression(parsed)
    return parsed.expr()


# The parameter of UNRECOGNIZED_PARAMETER_NAME that names the function.
ROUTINE = "routineName" if SPARK_VERSION >= (4, 0) else "functionName"


def plan_text(plan: Java) -> str:
    """A logical plan as text, with all its fields; before Spark 4.1."""
    return str(plan.treeString(False, False, 2**31 - 1, False))


def pretty_sql(package: Java, expression: Java) -> str:
    """Spark's `toPrettySQL`; since 4.1 it takes a flag."""
    return str(package.toPrettySQL(expression, *((True,) if SPARK_VERSION >= (4, 1) else ())))


def relation(relation_class: Java, table: Java, catalog: Java, none: Java, options: Java) -> Java:
    """A DataSourceV2Relation without an identifier; since 4.1 it has a time travel argument."""
    extra_args = (none,) if SPARK_VERSION >= (4, 1) else ()
    return relation_class.create(table, catalog, none, options, *extra_args)


_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"
_CHANGELOG = "org.apache.iceberg.spark.source.SparkChangelogTable"


def spark_table(java_class: Callable[[str], Java], table: Java, snapshot: int | None, micros: int | None) -> Java:
    """Spark's table for an Iceberg table, as of a snapshot, a time or now; before 4.1 only a snapshot can be given."""
    table_class = java_class(_SPARK_TABLE)
    if SPARK_VERSION >= (4, 1):
        travel = java_class("org.apache.iceberg.spark.TimeTravel")
        if snapshot is not None:
            return table_class.create(table, travel.version(str(snapshot)))
        return table_class(table) if micros is None else table_class.create(table, travel.timestampMicros(micros))
    if micros is not None:
        util = java_class("org.apache.iceberg.util.SnapshotUtil")
        snapshot = int(util.snapshotIdAsOfTime(table, micros // 1000))
    if snapshot is not None and table.snapshot(snapshot) is None:
        table.newScan().useSnapshot(snapshot)  # fails; Iceberg's metadata tables would have no rows
    return table_class(table, False) if snapshot is None else table_class(table, snapshot, False)


def branch_table(java_class: Callable[[str], Java], table: Java, branch: str) -> Java:
    """Spark's table for a branch of an Iceberg table."""
    table_class = java_class(_SPARK_TABLE)
    return table_class.create(table, branch) if SPARK_VERSION >= (4, 1) else table_class(table, branch, False)


def version_table(java_class: Callable[[str], Java], table: Java, version: str) -> Java:
    """Spark's table as VERSION AS OF reads it: as of a snapshot, a branch or a tag that exists."""
    if SPARK_VERSION >= (4, 1):
        travel = java_class("org.apache.iceberg.spark.TimeTravel")
        return java_class(_SPARK_TABLE).create(table, travel.version(version))
    ref = table.refs().get(version)
    return spark_table(java_class, table, int(version) if ref is None else int(ref.snapshotId()), None)


# The method of Iceberg's SparkScan that returns the filters that were pushed to it.
SCAN_FILTERS = "filters" if SPARK_VERSION >= (4, 1) else "filterExpressions"


def write_conf(conf_class: Java, session: Java, table: Java) -> Java:
    """Iceberg's SparkWriteConf; before 4.1 it takes a write's options."""
    return conf_class(session, table) if SPARK_VERSION >= (4, 1) else conf_class(session, table, {})


# Whether Iceberg computes changes from a table's first snapshot to one that is given.
CHANGES_UP_TO = SPARK_VERSION >= (4, 1)


def changelog_table(java_class: Callable[[str], Java], table: Java) -> Java:
    """Spark's table over the changes of an Iceberg table."""
    table_class = java_class(_CHANGELOG)
    return table_class(table) if SPARK_VERSION >= (4, 1) else table_class(table, False)


def local_relation(relation_class: Java, output: Java, rows: Java, none: Java) -> Java:
    """A LocalRelation of rows; since 4.0 it has an argument for streams."""
    return relation_class(output, rows, False, *((none,) if SPARK_VERSION >= (4, 0) else ()))


# Whether Spark's table of a relation has the snapshot and the branch that a scan of it reads.
TABLES_KNOW_SNAPSHOTS = SPARK_VERSION >= (4, 1)


def is_changelog(table: Java) -> bool:
    """True for Spark's table over the changes of a table, which reads no single snapshot."""
    return bool(table.getClass().getName() == _CHANGELOG)
