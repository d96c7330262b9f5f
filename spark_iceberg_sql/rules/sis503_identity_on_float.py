"""Identity partitioning on a float or a double.

## Why
Iceberg does not compare these values as Spark does: `c = 0.0` misses the rows with -0.0, `c >= 0.0` misses NaN, and a
DELETE leaves them behind, without an error. The optimizer rule `floats` of an installed session corrects that; sessions
without it and other engines still miss rows. Two values that look the same can also be two partitions.

## Instead
A decimal or an integer column, or the string or category that the number represents.

## Examples
```sql bad
CREATE TABLE readings (sensor BIGINT, value DOUBLE) USING iceberg PARTITIONED BY (value);
```
```sql good
CREATE TABLE readings (sensor BIGINT, value DOUBLE, grade DECIMAL(5, 1)) USING iceberg
PARTITIONED BY (grade);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.rules.preconditions import has_identity_fields, identity_terms
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import quoted


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    when=has_identity_fields,
    category=Category.ADVICE,
)
def identity_on_float(context: Context) -> Findings:
    """Identity on a float or double column."""
    for facts, column in identity_terms(context):
        data_type = column.field.type
        if not isinstance(data_type, Primitive) or data_type.name not in ("float", "double"):
            continue
        yield Finding(
            facts.term.span,
            f"`{facts.source_text}` is {type_with_article(data_type)}: in a session without the rule `floats`, "
            "filters on it miss rows with -0.0 and NaN",
            f"declare it `{quoted(column.field.name)} DECIMAL(18, 6)`, or partition by another column",
        )
