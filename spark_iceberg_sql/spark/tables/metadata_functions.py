"""iceberg_snapshots(t), iceberg_files(t), iceberg_partition_specs(t), iceberg_metadata_log(t).

`t` is a table's name in a catalog, or its path. The rows are those of Iceberg's own metadata tables,
except for the partition specs, for which Iceberg has no table: all of them, with the fields' names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.metadata_json import table_from_metadata
from spark_iceberg_sql.model.table_functions import (
    FUNCTIONS,
    METADATA_FUNCTIONS,
    Argument,
    Function,
    MetadataFunction,
    Value,
)
from spark_iceberg_sql.spark.bridge import jvm, registries, relations
from spark_iceberg_sql.spark.bridge.jvm import Java
from spark_iceberg_sql.spark.tables.by_path import travelled
from spark_iceberg_sql.spark.tables.calls import answer
from spark_iceberg_sql.spark.tables.locate import find, warn_of_copy
from spark_iceberg_sql.spark.tables.stores import STORES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_PATH = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:/")
_BY_NAME = next(f for f in FUNCTIONS if f.name == "iceberg")
_TABLE = Argument("table", str, "a name in a catalog, or a path", also=("url", "path"))
_SPECS = (
    "array<struct<spec_id int, is_current boolean, position int, field_id int, field_name string, "
    "source_column string, transform string>>"
)


def register(spark: SparkSession) -> None:
    """Register the metadata functions in a session, and in every later one of this process."""
    for function in METADATA_FUNCTIONS:
        reader = _reader(function)
        registries.register_function(
            spark,
            registries.TABLE,
            function.name,
            partial(answer, reader, partial(_plan, function)),
            usage=f"_FUNC_(table[, setting => value ...]) - {function.words}",
            arguments="\n    Arguments:\n      * table - a name in a catalog, or a path; with a path "
            "the arguments of iceberg() may follow\n  ",
            examples=f"\n    Examples:\n      > SELECT * FROM {function.name}('db.t');\n  ",
            group="table_funcs",
        )


def unregister(spark: SparkSession) -> None:
    """Unregister the metadata functions."""
    for function in METADATA_FUNCTIONS:
        registries.unregister_function(spark, registries.TABLE, function.name)


def _reader(function: MetadataFunction) -> Function:
    """The record of iceberg(), without the settings that do not apply to metadata."""
    travels = () if function.kind == "FILES" else ("snapshot_id", "timestamp_ms", "timestamp")
    gone = {*travels, "ref", "virtual_columns", "use_partition_pruning", "split_size"}
    settings = tuple(setting for setting in _BY_NAME.settings if setting.name not in gone)
    positional = (_TABLE, *_BY_NAME.positional[1:])
    return replace(_BY_NAME, name=function.name, positional=positional, settings=settings)


def _plan(function: MetadataFunction, _: Function, values: Mapping[str, Value]) -> Java:
    name = str(values["table"])
    if _PATH.match(name):
        location = STORES["any"](function.name, {**values, "url": name})
        found = find(function.name, location, values)
        warn_of_copy(found)
        operations, name = found.operations, location.path
    else:
        operations = relations.catalog_table(name).operations()
    if function.kind is None:
        return _specs(operations.current())
    table = relations.metadata_table(operations, name, function.kind)
    return relations.relation(travelled(function.name, table, values))


def _specs(metadata: Java) -> Java:
    """The specs as rows, read as the checker reads them."""
    parser = jvm.java_class("org.apache.iceberg.TableMetadataParser")
    specs = table_from_metadata((), json.loads(parser.toJson(metadata))).specs
    assert specs is not None  # a metadata file always has them
    rows: list[dict[str, object]] = []
    for spec in specs.every:
        head = {"spec_id": spec.spec_id, "is_current": spec.spec_id == specs.current}
        fields = [
            {
                "position": position,
                "field_id": field.field_id,
                "field_name": field.name,
                "source_column": field.source,
                "transform": str(field.transform),
            }
            for position, field in enumerate(spec.fields)
        ]
        rows.extend({**head, **field} for field in fields or [{}])
    text = relations.texts([json.dumps(rows)])
    parsed = text.selectExpr(jvm.to_seq([f"inline(from_json(value, '{_SPECS}'))"]))
    return parsed.queryExecution().analyzed()
