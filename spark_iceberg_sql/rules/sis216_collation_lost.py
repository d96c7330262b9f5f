"""A column with a collation, which Iceberg does not keep.

## Why
Iceberg (1.12) has no collations: the column silently becomes a plain string, and `name = 'ab'` is no longer true
for `AB`.

## Instead
A plain string, and the collation where values are compared: `WHERE name COLLATE UTF8_LCASE = 'ab'`.

## Examples
```sql bad
CREATE TABLE people (id BIGINT, name STRING COLLATE UTF8_LCASE) USING iceberg;
```
```sql bad
CREATE TABLE people (id BIGINT) USING iceberg;
ALTER TABLE people ADD COLUMN name STRING COLLATE UNICODE_CI;
```
```sql good
CREATE TABLE people (id BIGINT, name STRING) USING iceberg;
```
"""

from __future__ import annotations

import re

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes

_COLLATION = re.compile(r"\s+COLLATE\s+([\w.]+|`[^`]*`)", re.IGNORECASE)
_BINARY = "UTF8_BINARY"  # that of a plain string


def _has_collation(context: Context) -> bool:
    return any(_collation(column.type_text) is not None for column in context.new_columns)


def _collation(type_text: str) -> str | None:
    """The first collation in a type that changes how strings compare."""
    names = (match[1] for match in _COLLATION.finditer(type_text))
    return next((name for name in names if name.strip("`").upper() != _BINARY), None)


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddColumns, nodes.ReplaceColumns),
    spec="Schemas and Data Types",
    when=_has_collation,
    category=Category.COLUMNS,
)
def collation_lost(context: Context) -> Findings:
    """Every new column with a collation other than that of a plain string."""
    for column in context.new_columns:
        if (collation := _collation(column.type_text)) is not None:
            plain = " ".join(_COLLATION.sub("", column.type_text).split())
            yield Finding(
                column.type_span,
                f"Iceberg keeps no collation: `{column.name}` becomes a plain string",
                f"write `{plain}`, and `COLLATE {collation}` where its values are compared",
            )
