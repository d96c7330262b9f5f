"""iceberg(), icebergLocal(), icebergHDFS(), icebergS3(), icebergAzure(): a table by its path.

A call's path: arguments.py binds its values -> stores.py determines the table's location -> model.metadata_files
chooses the metadata file -> bridge/relations.py builds Spark's own relation for it. None of this runs on
executors; the plan is the same as for a catalog table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.table_functions import FUNCTIONS, Argument, Function, Value
from spark_iceberg_sql.spark.bridge import configuration, lines, registries, relations
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.tables import allowed_locations, increments, views, virtual_columns
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.calls import answer
from spark_iceberg_sql.spark.tables.columns import readable
from spark_iceberg_sql.spark.tables.credentials import hide
from spark_iceberg_sql.spark.tables.locate import Found, find, refuse_unmatched, warn_of_copy
from spark_iceberg_sql.spark.tables.stores import STORES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LONG = 2**63 - 1
_LARGEST = {"snapshot_id": _LONG, "timestamp_ms": _LONG // 1000}  # Spark counts microseconds
TIME_TRAVEL = ("snapshot_id", "timestamp_ms", "timestamp", "ref", "version")


def register(spark: SparkSession) -> None:
    """Register the table functions in a session, and in every later one of this process."""
    hide()
    configuration.make_static(allowed_locations.SETTING)
    for function in FUNCTIONS:
        for name in (function.name, *function.aliases):
            registries.register_function(
                spark,
                registries.TABLE,
                name,
                partial(answer, function, _plan),
                usage=_usage(function),
                arguments=_arguments(function),
                examples=f"\n    Examples:\n      > SELECT * FROM {function.example};\n  ",
                group="table_funcs",
            )


def unregister(spark: SparkSession) -> None:
    """Unregister the table functions."""
    for function in FUNCTIONS:
        for name in (function.name, *function.aliases):
            registries.unregister_function(spark, registries.TABLE, name)


def _usage(function: Function) -> str:
    names = [a.name for a in function.positional]
    required = ", ".join(names[: function.required])
    optional = "".join(f"[, {name}]" for name in names[function.required :])
    return f"_FUNC_({required}{optional} [, setting => value ...]) - {function.description}"


def _arguments(function: Function) -> str:
    lines = [f"      * {_argument(argument)}\n" for argument in function.arguments]
    return "\n    Arguments:\n" + "".join(lines) + "  "


def _argument(argument: Argument) -> str:
    default = "" if argument.default is None else f" (default {str(argument.default).lower()})"
    return f"{argument.name} - {argument.description}{default}"


def _plan(function: Function, values: Mapping[str, Value]) -> Java:
    location = STORES[function.store](function.name, values)
    try:
        found = find(function.name, location, values)
    except views.IsViewError as view:
        return views.plan(view)
    warn_of_copy(found)
    return plan(function.name, found, values)


def plan(function: str, found: Found, values: Mapping[str, Value]) -> Java:
    """The plan that reads a table as the values specify. Raises Refusal."""
    name = found.location.path
    # Spark recognizes an equal table by this name, for its cache: it must not change from call to call.
    if found.moved is not None:  # EXPLAIN shows the name
        name += f" (moved from {found.moved.said})"
    table = relations.base_table(found.operations, name)
    if increments.wanted(values):
        leaf = increments.plan(function, table, values, TIME_TRAVEL)
        return relations.without_file(leaf)
    travelled_to = _travelled(function, table, values)
    spark_table, options = readable(function, travelled_to, values, rows=True)
    # After time travel: the deletes and files that must exist are those of the snapshot that is read.
    refuse_unmatched(function, found, values, lines.snapshot_id(spark_table))
    split = values.get("split_size")
    if split is not None and int(split) < 1:
        raise invalid(function, "split_size", f"`{split}` is not a positive number of bytes")
    if split is not None:
        options["split-size"] = str(split)
    leaf = relations.relation(spark_table, options)
    pruned = values.get("use_partition_pruning") is not False
    wanted = virtual_columns.mentioned(always=bool(values.get("virtual_columns")))
    if wanted:
        snapshot = lines.snapshot_id(spark_table)
        cached = values.get("use_metadata_files_cache") is not False
        return virtual_columns.with_virtual_columns(
            leaf, found, snapshot, wanted, pruned=pruned, cached=cached
        )
    return relations.without_file(leaf if pruned else relations.unpushed(leaf))


def travelled(function: str, table: Java, values: Mapping[str, Value]) -> Java:
    """Spark's table for Iceberg's, as of the time that the values specify, with the columns that Spark can
    represent, for metadata. Raises Refusal.
    """
    return readable(function, _travelled(function, table, values), values)[0]


def _travelled(function: str, table: Java, values: Mapping[str, Value]) -> Java:
    given = [name for name in TIME_TRAVEL if values.get(name) is not None]
    if len(given) > 1:
        words = f"`{given[0]}` and `{given[1]}` cannot be combined; leave one out"
        raise invalid(function, given[1], words)
    if not given:
        return relations.spark_table(table)
    value = values[given[0]]
    if given[0] in _LARGEST and abs(int(value or 0)) > _LARGEST[given[0]]:
        raise invalid(function, given[0], f"`{value}` is out of range")
    steps: Mapping[str, Callable[[], Java]] = {
        "snapshot_id": lambda: relations.spark_table(table, snapshot=int(value or 0)),
        "timestamp_ms": lambda: relations.spark_table(table, micros=int(value or 0) * 1000),
        "timestamp": lambda: relations.spark_table(table, micros=int(value or 0)),
        "ref": lambda: relations.spark_table_at_ref(table, str(value)),
        "version": lambda: relations.spark_table_at_version(table, str(value)),
    }
    try:
        return steps[given[0]]()
    except KeyError as missing:
        kinds = "snapshot, branch or tag" if given[0] == "version" else "branch or tag"
        known = ", ".join(map(str, missing.args))
        rest = f", only {known}" if known else "; the table has no branches and no tags"
        words = f"there is no {kinds} `{value}`{rest}"
        raise invalid(function, given[0], words) from None
    except JVM_ERRORS as error:
        words = message(error)
        if given[0] == "version" and (names := relations.ref_names(table)):
            words += f"; the branches and tags are {', '.join(names)}"
        raise invalid(function, given[0], words) from None
