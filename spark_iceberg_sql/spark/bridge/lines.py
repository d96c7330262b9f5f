"""What differs between the supported lines of Spark, in Python: one function, or one row, a difference.

In Java a class that differs has one text for each line from which on it holds: `java/3.5/Arithmetic.java` and
`java/4.1/Arithmetic.java`. Everything else of the package is written for the newest line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import pyspark
from pyspark.errors.exceptions.captured import CapturedException

Java = Any

LINE = tuple(int(part) for part in pyspark.__version__.split(".")[:2])

# Names of the newest line -> theirs before Spark 4.0, which had one SparkSession for both kinds of client.
_BEFORE_4_0 = {
    "org.apache.spark.sql.classic.SparkSession": "org.apache.spark.sql.SparkSession",
    "org.apache.spark.sql.classic.Dataset": "org.apache.spark.sql.Dataset",
}
# The same with Scala 2.12, whose Seq may be of either kind.
_SCALA_2_12 = {"scala.collection.immutable.Seq": "scala.collection.Seq"}


def renamed(name: str) -> str:
    """A class's name in this line, for its name in the newest one."""
    return name if LINE >= (4, 0) else _BEFORE_4_0.get(name, name)


def java_text(text: str, scala_2_12: bool) -> str:
    """A Java file's text with the names of this line, for those of the newest one."""
    if LINE >= (4, 0):
        return text
    for name, ours in (_BEFORE_4_0 | (_SCALA_2_12 if scala_2_12 else {})).items():
        text = text.replace(f"{name};", f"{ours};").replace(f"{name})", f"{ours})")
    return text


@cache
def scala_2_12(gateway: Any) -> bool:
    """Whether the JVM's Spark was built with Scala 2.12, as pip's 3.5 is; later ones never are."""
    if LINE >= (4, 0):
        return False
    return str(gateway.jvm.scala.util.Properties.versionNumberString()).startswith("2.12.")


def logger(name: str) -> logging.Logger:
    """One of pyspark's loggers of failed queries, which it has since 4.0."""
    if LINE < (4, 0):
        return logging.getLogger(name)
    from pyspark.logger import PySparkLogger

    return PySparkLogger.getLogger(name)


def description(error: CapturedException) -> str:
    """What the JVM's exception says."""
    return str(getattr(error, _DESCRIPTION) or "")


def described(error: CapturedException, text: str) -> CapturedException:
    """The very error, saying something else."""
    setattr(error, _DESCRIPTION, text)
    return error


_DESCRIPTION = "_desc" if LINE >= (4, 0) else "desc"


def message(error: CapturedException) -> str:
    """What pyspark logs of the JVM's exception; before 4.0 it logs nothing."""
    return error.getMessage() if LINE >= (4, 0) else ""


def updated(seq: Java, place: int, item: Java, gateway: Any) -> Java:
    """A Scala Seq with another item at one place."""
    if not scala_2_12(gateway):
        return seq.updated(place, item)
    items = [seq.apply(i) for i in range(seq.size())]
    items[place] = item
    return gateway.jvm.org.apache.spark.api.python.PythonUtils.toSeq(items)


def pretty_sql(package: Java, expression: Java) -> str:
    """Spark's `toPrettySQL`, which since 4.1 may leave casts of its own out."""
    return str(package.toPrettySQL(expression, *((True,) if LINE >= (4, 1) else ())))


def rearranged(support: Java, signature: Java, arguments: Java, name: str, resolver: Java) -> Java:
    """Spark's `defaultRearrange`; before 4.1 names of arguments are the same in any letter case."""
    more = (resolver,) if LINE >= (4, 1) else ()
    return support.defaultRearrange(signature, arguments, name, *more)


def relation(kind: Java, table: Java, catalog: Java, none: Java, options: Java) -> Java:
    """A DataSourceV2Relation without an identifier; since 4.1 it has a place for time travel."""
    more = (none,) if LINE >= (4, 1) else ()
    return kind.create(table, catalog, none, options, *more)


_SPARK_TABLE = "org.apache.iceberg.spark.source.SparkTable"


def spark_table(
    java_class: Callable[[str], Java], table: Java, snapshot: int | None, micros: int | None
) -> Java:
    """Spark's table over Iceberg's, as of a snapshot, a time or now; before 4.1 a time is a snapshot's."""
    kind = java_class(_SPARK_TABLE)
    if LINE >= (4, 1):
        travel = java_class("org.apache.iceberg.spark.TimeTravel")
        if snapshot is not None:
            return kind.create(table, travel.version(str(snapshot)))
        return kind(table) if micros is None else kind.create(table, travel.timestampMicros(micros))
    if micros is not None:
        as_of = java_class("org.apache.iceberg.util.SnapshotUtil").snapshotIdAsOfTime
        snapshot = int(as_of(table, micros // 1000))
    return kind(table, False) if snapshot is None else kind(table, snapshot, False)


def branch_table(java_class: Callable[[str], Java], table: Java, branch: str) -> Java:
    """Spark's table over a branch of Iceberg's."""
    kind = java_class(_SPARK_TABLE)
    return kind.create(table, branch) if LINE >= (4, 1) else kind(table, branch, False)


def snapshot_id(table: Java) -> int | None:
    """The snapshot that a Spark table over Iceberg's reads; before 4.1 it only knows one that it was given."""
    found = table.snapshotId()
    if found is None and LINE < (4, 1):
        branch, inner = table.branch(), table.table()
        snapshot = inner.currentSnapshot() if branch is None else inner.snapshot(branch)
        found = None if snapshot is None else snapshot.snapshotId()
    return None if found is None else int(found)


def read_options(table: Java) -> dict[str, str]:
    """What tells a table from itself after a commit; before 4.1 Spark's cache takes them for one."""
    if LINE >= (4, 1):
        return {}
    return {"read-state": f"{snapshot_id(table)} {table.table().schema().schemaId()}"}
