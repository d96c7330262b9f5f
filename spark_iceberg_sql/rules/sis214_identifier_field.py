"""A column that cannot identify a row.

## Why
SET IDENTIFIER FIELDS takes required columns of a simple type alone: not one that may be null, nor one in a
struct that may be, no float or double (two NaNs are not equal), nothing in a list or a map. Letter case
counts. DROP IDENTIFIER FIELDS takes columns that are among them.

## Instead
Columns that are NOT NULL since CREATE TABLE: a column cannot become so later.

## Examples
```sql bad
CREATE TABLE users (id BIGINT, name STRING) USING iceberg;
ALTER TABLE users SET IDENTIFIER FIELDS id;
```
```sql bad
CREATE TABLE users (id BIGINT NOT NULL, weight DOUBLE NOT NULL) USING iceberg;
ALTER TABLE users SET IDENTIFIER FIELDS id, weight;
```
```sql bad
CREATE TABLE users (id BIGINT NOT NULL) USING iceberg;
ALTER TABLE users DROP IDENTIFIER FIELDS id;
```
```sql good
CREATE TABLE users (id BIGINT NOT NULL, name STRING NOT NULL) USING iceberg;
ALTER TABLE users SET IDENTIFIER FIELDS id, name;
ALTER TABLE users DROP IDENTIFIER FIELDS name;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Primitive, Struct
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.words import a_type, listed, written
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.IdentifierFields,), spec="Identifier Field IDs")
def identifier_field(context: Context) -> Iterator[Finding]:
    """Every column that is not there, or that identifies nothing."""
    node = context.node
    assert isinstance(node, nodes.IdentifierFields)
    schema = context.schema
    identifiers = context.iceberg.identifiers
    fit = [written(column) for column in schema.columns if _why(context, column) is None]
    for ref in node.columns:
        column = schema.find(ref.parts)
        if column is None:
            folded = [written(other) for other in schema.find_all(ref.parts)]
            names = folded or list(schema.near(".".join(ref.parts))) or fit
            why = ": column names are case-sensitive here" if folded else ""
            yield Finding(
                ref.span,
                f"`{context.target.text}` has no column `{ref.text}`{why}",
                f"write {listed(names)}" if names else "add the column to a new table, as NOT NULL",
            )
        elif not node.dropping:
            wrong = _why(context, column)
            if wrong is not None:
                help_ = f"write {listed(fit)}" if fit else "leave the statement out"
                yield Finding(ref.span, f"`{ref.text}` {wrong}", help_)
        elif identifiers is not None and column.field.field_id not in identifiers:
            ids = [other for other in schema.columns if other.field.field_id in identifiers]
            yield Finding(
                ref.span,
                f"`{ref.text}` is not an identifier field of `{context.target.text}`",
                f"write {listed(written(other) for other in ids)}" if ids else "leave it out",
            )


def _why(context: Context, column: Column) -> str | None:
    """Why a column cannot identify a row; None where it can."""
    kind = column.field.type
    if not isinstance(kind, Primitive):
        return f"is {a_type(kind)}, and only columns of a simple type identify a row"
    if column.in_collection:
        return "lies in a list or a map, of which a row has many"
    if kind.name in ("float", "double"):
        return f"is {a_type(kind)}, which identifies no row"
    if not column.field.required:
        return "may be null, so it identifies no row"
    path = column.name
    for parent in reversed(column.parents):
        path = path.rpartition(".")[0]
        whole = context.schema.find((path,))
        if isinstance(parent, Struct) and whole is not None and not whole.field.required:
            return f"lies in `{path}`, which may be null, so it identifies no row"
    return None
