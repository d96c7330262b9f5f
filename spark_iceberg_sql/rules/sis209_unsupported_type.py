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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_nonstandard_types
from spark_iceberg_sql.rules.sis205_type_needs_v3 import version_clause
from spark_iceberg_sql.rules.spark_types import TYPES_OF_V3, precision_note, spark_type, type_words
from spark_iceberg_sql.safe_output import code
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted

_V3 = 3


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
        spark = spark_type(column.type_text)
        type_names = type_words(column.type_text)
        intended_clause = _intended_clause(context.node, column)
        if intended_clause is not None:
            help_ = f"write {code(intended_clause)}"
        else:
            help_ = f"write {code(f'{quoted(column.name)} {spark}')}{precision_note(column.type_text)}"
            if any(name in spark for name in TYPES_OF_V3) and (context.format_version or _V3) < _V3:
                help_ += f" and {version_clause(context)}"
            if "GEO" in spark:
                help_ += ", with `spark.sql.geospatial.enabled`"
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
