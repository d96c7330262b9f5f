"""The functions over a table's metadata: iceberg_snapshots(t), iceberg_files(t), iceberg_ddl(t), ...

`t` is a table's name in a catalog, or its path. The records in model/functions/metadata_functions.py name Iceberg's own
metadata tables, whose rows these functions return; all other rows are built in metadata_rows.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS, MetadataFunction
from spark_iceberg_sql.model.functions.table_functions import BY_NAME, Argument, Function, Value
from spark_iceberg_sql.model.metadata.metadata_files import is_metadata_file
from spark_iceberg_sql.spark.bridge.functions import call_arguments, registries
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.plans import read_branches, relations
from spark_iceberg_sql.spark.bridge.tables import metadata_faults
from spark_iceberg_sql.spark.tables.arguments import function_named, invalid
from spark_iceberg_sql.spark.tables.functions import increments
from spark_iceberg_sql.spark.tables.functions.by_path import TIME_TRAVEL, refuse_unusable
from spark_iceberg_sql.spark.tables.functions.calls import plan_call
from spark_iceberg_sql.spark.tables.functions.metadata_rows import ROW_BUILDERS
from spark_iceberg_sql.spark.tables.functions.subject import Subject
from spark_iceberg_sql.spark.tables.locations.locate import find, warn_of_copy
from spark_iceberg_sql.spark.tables.locations.stores import STORES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_TABLE = Argument("table", str, "a name in a catalog, or a path", aliases=("url", "path"))
_STORE = Argument("store", str, "the function whose positional arguments are given", "iceberg")
_READ_SETTINGS =(
    "virtual_columns", "use_partition_pruning", "split_size", "structure", *increments.ARGUMENTS,
)  # fmt: skip


def register(spark: SparkSession) -> None:
    """Register the metadata functions in a session, and in every later one of this process."""
    for function, name in _function_names():
        registries.register_table_function(
            spark,
            name,
            partial(_callback, function),
            usage=f"_FUNC_(table[, setting => value ...]) - {function.description}",
            arguments=_arguments(function),
            example=f"SELECT * FROM {name}('db.t')",
        )


def unregister(spark: SparkSession) -> None:
    """Unregister the metadata functions."""
    for _, name in _function_names():
        registries.unregister_function(spark, registries.TABLE, name)


def _function_names() -> Iterator[tuple[MetadataFunction, str]]:
    return ((function, name) for function in METADATA_FUNCTIONS for name in function.names)


def _arguments(function: MetadataFunction) -> list[str]:
    return [
        "table - a name in a catalog, or a path; after a path, the arguments of iceberg() may follow",
        *(f"{a.name} - {a.description}" for a in function.settings),
        *([f"{', '.join(TIME_TRAVEL)} - the snapshot"] if function.has_time_travel else ()),
        "store - another table function, such as icebergAzure, whose arguments replace those of iceberg()",
    ]


def _callback(function: MetadataFunction, arguments: Java) -> Java:
    """The callback of one function: its arguments are those of a function over a location."""
    store_function, other_arguments = without_store(function.name, arguments)
    return plan_call(_reader(function, store_function), partial(_plan, function), other_arguments)


def without_store(function: str, arguments: Java) -> tuple[Function, Java]:
    """The function over a location that `store` names, and the other arguments. Raises Refusal."""
    expressions = gateway.from_seq(arguments)
    store = BY_NAME["iceberg"]
    # `store` must be known before the other arguments are bound: it decides what their positions mean.
    for expression in expressions:
        name, value = call_arguments.named_argument(expression)
        if name is not None and name.lower() == _STORE.name:
            store = function_named(function, str(call_arguments.constant(function, _STORE.name, value)))
            expressions = [argument for argument in expressions if argument is not expression]
    return store, gateway.to_seq(expressions)


def _reader(function: MetadataFunction, store: Function) -> Function:
    """The record of a function over a location, with the settings that apply to metadata."""
    excluded_names = {*_READ_SETTINGS, *(() if function.has_time_travel else TIME_TRAVEL)}
    settings = tuple(setting for setting in store.settings if setting.name not in excluded_names)
    positional = store.positional
    if positional[0].name in ("url", "path"):
        positional = (_TABLE, *positional[1:])
    return replace(store, name=function.name, positional=positional, settings=settings + function.settings)


def _plan(function: MetadataFunction, reader: Function, values: Mapping[str, Value]) -> Java:
    subject = _subject(function, reader, values)
    if function.has_time_travel:
        refuse_unusable(function.name, values, subject.metadata)
        subject.spark_table()  # refuses a snapshot that does not exist, which the metadata tables do not
    if function.metadata_table is None:
        return ROW_BUILDERS[function.name](subject)
    return subject.metadata_table_plan(function.metadata_table)


def _table_named(function: str, name: str) -> tuple[Java, dict[str, Value]]:
    """Iceberg's table of a name in a catalog, and the argument of time travel that the name stands for, if any.

    Raises Refusal if its metadata cannot be parsed.
    """
    try:
        table = relations.catalog_table(name)
        last_part = relations.full_name(name)[-1]
        if not read_branches.is_selection(table, last_part):
            return table, {}
        # Iceberg's own loading of a table drops what the name chooses.
        spark_table = relations.named_table(name)
        branch = spark_table.branch()
        return table, {"snapshot_id": int(spark_table.snapshotId())} if branch is None else {"ref": str(branch)}
    except JVM_ERRORS as error:
        reason = metadata_faults.named_parse_error(error, gateway.active_session(), name)
        if reason is None:
            raise
        raise invalid(function, _TABLE.name, reason) from None


def _subject(function: MetadataFunction, reader: Function, values: Mapping[str, Value]) -> Subject:
    name = values.get("table")
    if name is not None and reader.store == "any" and not _is_path(str(name)):
        _refuse_settings(function, values)
        table, chosen = _table_named(function.name, str(name))
        values = _with_snapshot(function, values, chosen, read_branches.read_branch(table))
        return Subject(function.name, str(name), table.operations(), values)
    location_values = values if name is None else {**values, "url": str(name), "path": str(name)}
    location = STORES[reader.store](function.name, location_values)
    located_table = find(function.name, location, values)
    warn_of_copy(located_table)
    table = relations.base_table(located_table.operations, location.path)
    values = _with_snapshot(function, values, {}, read_branches.read_branch(table, is_named=False))
    folder = located_table.folder if is_metadata_file(location.path) else location.path
    return Subject(function.name, location.path, located_table.operations, values, folder)


def _with_snapshot(
    function: MetadataFunction, values: Mapping[str, Value], chosen: Mapping[str, Value], branch: str
) -> Mapping[str, Value]:
    """The values of a call with the snapshot that its rows are of. Raises Refusal if they choose two.

    chosen: the argument that the table's name stands for. branch: that the session reads if nothing else is chosen.
    """
    if not function.has_time_travel:
        return values
    argument = next((name for name in TIME_TRAVEL if values.get(name) is not None), None)
    if argument is None:
        return {**values, **(chosen or ({"ref": branch} if branch else {}))}
    if chosen:
        message = f"`{values['table']}` is of a branch, a tag or a snapshot already; leave `{argument}` out"
        raise invalid(function.name, argument, message)
    return values


def _is_path(name: str) -> bool:
    """True if the table argument is a path; a table name with a slash has backticks."""
    return "/" in name and "`" not in name


def _refuse_settings(function: MetadataFunction, values: Mapping[str, Value]) -> None:
    """Refuse, instead of ignoring, arguments that only apply to a path if a table's name is given."""
    allowed_names = {"table", *TIME_TRAVEL, *(setting.name for setting in function.settings)}
    for name, value in values.items():
        if name not in allowed_names and value is not None:
            raise invalid(
                function.name,
                name,
                f"it only applies to a path, and `{values['table']}` is a table's name; leave it out",
            )
