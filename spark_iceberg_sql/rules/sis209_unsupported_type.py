"""A column type that Spark or Iceberg does not have.

## Why
Spark 4.1 has no `text`, `uuid`, `datetime` or `timestamptz`; its `time` is disabled; and Iceberg has no intervals.
`char` and `varchar` need a length, `geometry` and `geography` the number of one reference system; Spark has had these
two since 4.1, with `spark.sql.geospatial.enabled`.

## Instead
Spark's own name for the type: `timestamp` is Iceberg's timestamptz, `timestamp_ntz` is Iceberg's timestamp.

## Examples
```sql bad
CREATE TABLE events (id UUID, ts TIMESTAMP) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, took INTERVAL DAY TO SECOND) USING iceberg;
```
```sql good
CREATE TABLE events (id STRING, ts TIMESTAMP, local_ts TIMESTAMP_NTZ, code VARCHAR(5)) USING iceberg;
```
"""

from __future__ import annotations

import re

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_nonstandard_types
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted

# Other engines' type names, with Spark's name if that is not STRING.
_SPARK_TYPES = {
    **dict.fromkeys(("int8", "bigserial", "int64", "serial", "uint32"), "BIGINT"),
    **dict.fromkeys(("int4", "int32", "mediumint", "int", "integer", "int2"), "INT"),
    **dict.fromkeys(("float8", "float64"), "DOUBLE"),
    **dict.fromkeys(("float4", "float32", "float"), "FLOAT"),
    **dict.fromkeys(("bool", "bit"), "BOOLEAN"),
    **dict.fromkeys(("number", "money", "bignumeric"), "DECIMAL(38, 9)"),
    **dict.fromkeys(("blob", "bytea", "varbinary", "bytes", "fixed", "raw"), "BINARY"),
    "geometry": "GEOMETRY(4326)",
    "geography": "GEOGRAPHY(4326)",
    **dict.fromkeys(("datetime", "timestamptz", "datetime2", "timestamp_tz", "timestamp"), "TIMESTAMP"),
    **dict.fromkeys(("timestamp_ns", "timestamptz_ns"), "TIMESTAMP"),
    **dict.fromkeys(("object", "super"), "VARIANT"),
    "interval": "BIGINT",
}


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.ReplaceColumns),
    spec="Schemas and Data Types",
    when=has_nonstandard_types,
    category=Category.COLUMNS,
    iceberg_only=True,
    spark_only=True,
)
def unsupported_type(context: Context) -> Findings:
    """Every new column of a type that Spark or Iceberg does not support."""
    for column in context.new_columns:
        if column.type is not None or _repeats_column(context.node, column):
            continue
        type_names = re.findall(r"[a-z_]\w*", column.type_text.lower())
        spark = next((_SPARK_TYPES[word] for word in type_names if word in _SPARK_TYPES), "STRING")
        intended_clause = _intended_clause(context.node, column)
        if intended_clause is not None:
            help_ = f"write `` {intended_clause} ``" if "`" in intended_clause else f"write `{intended_clause}`"
        elif type_names and type_names[0] in ("array", "map", "struct"):
            help_ = f"use Spark's own types inside it, such as `{spark}`"
        else:
            help_ = f"write `{quoted(column.name)} {spark}`"
        message = f"Iceberg tables in Spark have no type `{column.type_text}`"
        # Spark has intervals with a unit: Iceberg refuses them when it creates the table.
        is_refused_late = len(type_names) > 1 and type_names[0] == "interval"
        yield Finding(column.type_span, message, help_, early=not is_refused_late)


def _intended_clause(node: nodes.Node, column: terms.ColumnDef) -> str | None:
    """The field that `PARTITIONED BY (days ts)` intends: a transform, or a name with a blank; else None."""
    if not isinstance(node, nodes.Create) or column not in node.typed_partitions:
        return None
    name, type_text = column.name, column.type_text
    for other in node.columns or ():
        transform = BY_SPELLING.get(name.lower())
        if other.name.lower() == type_text.lower() and transform is not None and transform.in_ddl:
            takes = other.type is not None and transform.takes(other.type)
            return transform.clause(type_text) if takes else type_text
        if other.name.lower() == f"{name} {type_text}".lower():
            return quoted(other.name)
    return None


def _repeats_column(node: nodes.Node, column: terms.ColumnDef) -> bool:
    """True if PARTITIONED BY repeats a column of the list with a type (SIS207)."""
    return (
        isinstance(node, nodes.Create)
        and column in node.typed_partitions
        and any(other.name.lower() == column.name.lower() for other in node.columns or ())
    )
