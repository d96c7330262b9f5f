"""iceberg(), icebergLocal(), icebergHDFS(), icebergS3(), icebergAzure(): a table by its path.

A call's path: arguments.py binds its values -> stores.py determines the table's location -> model.metadata_files
chooses the metadata file -> bridge/plans/relations.py builds Spark's own relation for it. None of this runs on
executors; the plan is the same as for a catalog table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.functions.table_functions import ALL_FUNCTIONS, CLUSTER, Argument, Function, Value
from spark_iceberg_sql.spark.bridge.functions import registries
from spark_iceberg_sql.spark.bridge.jvm import configuration
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations
from spark_iceberg_sql.spark.bridge.tables import metadata_faults
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.spark.tables.credentials import hide_secrets
from spark_iceberg_sql.spark.tables.functions import increments, virtual_columns
from spark_iceberg_sql.spark.tables.functions.calls import plan_call
from spark_iceberg_sql.spark.tables.functions.unsupported_columns import readable_table
from spark_iceberg_sql.spark.tables.locations import allowed_locations, views
from spark_iceberg_sql.spark.tables.locations.locate import (
    LocatedTable,
    find,
    location_argument,
    refuse_unmatched,
    warn_of_copy,
)
from spark_iceberg_sql.spark.tables.locations.stores import STORES
from spark_iceberg_sql.spark.tables.warn_once import warn_once

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LONG = 2**63 - 1
_LARGEST = {"snapshot_id": _LONG, "timestamp_ms": _LONG // 1000}  # Spark counts microseconds
TIME_TRAVEL = ("snapshot_id", "timestamp_ms", "timestamp", "ref", "version")


def register(spark: SparkSession) -> None:
    """Register the table functions in a session, and in every later one of this process."""
    hide_secrets()
    configuration.make_static(allowed_locations.SETTING)
    for function in ALL_FUNCTIONS:
        for name in function.names:
            registries.register_table_function(
                spark,
                name,
                partial(plan_call, function, _call_plan),
                usage=_usage(function),
                arguments=map(_argument, function.arguments),
                example=f"SELECT * FROM {function.example}",
            )


def unregister(spark: SparkSession) -> None:
    """Unregister the table functions."""
    for function in ALL_FUNCTIONS:
        for name in function.names:
            registries.unregister_function(spark, registries.TABLE, name)


def _usage(function: Function) -> str:
    names = [a.name for a in function.positional]
    required = ", ".join(names[: function.required])
    optional = "".join(f"[, {name}]" for name in names[function.required :])
    return f"_FUNC_({required}{optional} [, setting => value ...]) - {function.description}"


def _argument(argument: Argument) -> str:
    default = "" if argument.default is None else f" (default {str(argument.default).lower()})"
    return f"{argument.name} - {argument.description}{default}"


def _call_plan(function: Function, values: Mapping[str, Value]) -> Java:
    if (cluster := values.get(CLUSTER.name)) is not None:
        if set("/:") & set(str(cluster)):
            message = f"`{cluster}` is a location, and the name of a cluster comes before it; leave out `Cluster`"
            raise invalid(function.name, CLUSTER.name, message)
        warn_once(f"{function.name} ignores the cluster `{cluster}`: Spark reads with its own executors")
    location = STORES[function.store](function.name, values)
    try:
        located_table = find(function.name, location, values)
    except views.IsViewError as view:
        return views.plan(view)
    warn_of_copy(located_table)
    return plan(function.name, located_table, values)


def plan(function: str, located_table: LocatedTable, values: Mapping[str, Value]) -> Java:
    """The plan that reads a table as the values specify. Raises Refusal."""
    name = located_table.location.path
    # Spark recognizes an equal table by this name, for its cache: it must not change from call to call.
    if located_table.mapping is not None:  # EXPLAIN shows the name
        name += f" (moved from {located_table.mapping.declared_location})"
    refuse_unusable(function, values, located_table.metadata)
    table = relations.base_table(located_table.operations, name)
    if increments.is_requested(values):
        return relations.without_file(increments.plan(function, table, values, TIME_TRAVEL))
    spark_table, options = readable_table(function, _table_at_time(function, table, values), values, rows=True)
    # After time travel: the deletes and files that must exist are those of the snapshot that is read.
    refuse_unmatched(function, located_table, values, read_branches.snapshot_id(spark_table))
    split_size = values.get("split_size")
    if split_size is not None and int(split_size) < 1:
        raise invalid(function, "split_size", f"`{split_size}` is not a positive number of bytes")
    if split_size is not None:
        options["split-size"] = str(split_size)
    leaf = relations.relation(spark_table, options)
    is_pruned = values.get("use_partition_pruning") is not False
    virtual_names = virtual_columns.mentioned_columns(always=bool(values.get("virtual_columns")))
    if virtual_names:
        snapshot = read_branches.snapshot_id(spark_table)
        cached = values.get("use_metadata_files_cache") is not False
        return virtual_columns.with_virtual_columns(
            leaf, located_table, snapshot, virtual_names, pruned=is_pruned, cached=cached
        )
    return relations.without_file(leaf if is_pruned else relations.without_push_down(leaf))


def refuse_unusable(function: str, values: Mapping[str, Value], metadata: Java) -> None:
    """Raise Refusal if a table's rows and files cannot be read although its metadata file can be parsed."""
    reason = metadata_faults.unusable(metadata)
    if reason is not None:
        raise invalid(function, location_argument(values), reason)


def time_travel_table(function: str, table: Java, values: Mapping[str, Value]) -> Java:
    """Spark's table for Iceberg's, as of the time that the values specify, with the columns that Spark can
    represent, for metadata. Raises Refusal.
    """
    return readable_table(function, _table_at_time(function, table, values), values)[0]


def _table_at_time(function: str, table: Java, values: Mapping[str, Value]) -> Java:
    travel_arguments = [name for name in TIME_TRAVEL if values.get(name) is not None]
    if len(travel_arguments) > 1:
        text = f"`{travel_arguments[0]}` and `{travel_arguments[1]}` cannot be combined; leave one out"
        raise invalid(function, travel_arguments[1], text)
    if not travel_arguments:
        return relations.spark_table(table)
    value = values[travel_arguments[0]]
    if travel_arguments[0] in _LARGEST and abs(int(value or 0)) > _LARGEST[travel_arguments[0]]:
        raise invalid(function, travel_arguments[0], f"`{value}` is out of range")
    readers: Mapping[str, Callable[[], Java]] = {
        "snapshot_id": lambda: relations.spark_table(table, snapshot=int(value or 0)),
        "timestamp_ms": lambda: relations.spark_table(table, micros=int(value or 0) * 1000),
        "timestamp": lambda: relations.spark_table(table, micros=int(value or 0)),
        "ref": lambda: relations.spark_table_at_ref(table, str(value)),
        "version": lambda: relations.spark_table_at_version(table, str(value)),
    }
    try:
        return readers[travel_arguments[0]]()
    except KeyError as missing:
        ref_kinds = "snapshot, branch or tag" if travel_arguments[0] == "version" else "branch or tag"
        ref_list = ", ".join(map(str, missing.args))
        suffix = f", only {ref_list}" if ref_list else "; the table has no branches and no tags"
        text = f"there is no {ref_kinds} `{value}`{suffix}"
        raise invalid(function, travel_arguments[0], text) from None
    except JVM_ERRORS as error:
        text = message(error)
        if travel_arguments[0] == "version" and (names := relations.ref_names(table)):
            text += f"; the branches and tags are {', '.join(names)}"
        raise invalid(function, travel_arguments[0], text) from None
