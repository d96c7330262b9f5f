"""A column that cannot identify a row.

## Why
SET IDENTIFIER FIELDS accepts only required columns of primitive types: no nullable column, no column in a nullable
struct, no float or double (two NaNs are not equal), nothing inside a list or a map. Names are case-sensitive.
DROP IDENTIFIER FIELDS accepts only columns that are identifier fields.

## Instead
Columns that were declared NOT NULL in CREATE TABLE: a column cannot become NOT NULL later.

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

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.types import Primitive, Struct
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import column_text, join_names, type_with_article
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.IdentifierFields,), spec="Identifier Field IDs", category=Category.COLUMNS)
def identifier_field(context: Context) -> Findings:
    """Every column that does not exist, or that cannot identify a row."""
    node = context.node
    assert isinstance(node, nodes.IdentifierFields)
    schema = context.schema
    identifiers = context.iceberg_table.identifiers
    candidates = [column_text(column) for column in schema.columns if _why_not_identifier(context, column) is None]
    for ref in node.columns:
        column = schema.find(ref.parts)
        if column is None:
            case_matches = [column_text(other) for other in schema.find_all(ref.parts)]
            names = case_matches or list(context.similar_names(schema, ".".join(ref.parts))) or candidates
            case_note = ": column names are case-sensitive here" if case_matches else ""
            yield Finding(
                ref.span,
                f"`{context.target.text}` has no column `{ref.text}`{case_note}",
                f"write {join_names(names)}" if names else "declare the column NOT NULL in a new table",
            )
        elif not node.dropping:
            reason = _why_not_identifier(context, column)
            if reason is not None:
                help_ = f"write {join_names(candidates)}" if candidates else "leave out the statement"
                yield Finding(ref.span, f"`{ref.text}` {reason}", help_)
        elif identifiers is not None and column.field.field_id not in identifiers:
            ids = [other for other in schema.columns if other.field.field_id in identifiers]
            yield Finding(
                ref.span,
                f"`{ref.text}` is not an identifier field of `{context.target.text}`",
                f"write {join_names(column_text(other) for other in ids)}" if ids else "leave it out",
            )


def _why_not_identifier(context: Context, column: Column) -> str | None:
    """The reason why a column cannot identify a row; None if it can."""
    data_type = column.field.type
    if not isinstance(data_type, Primitive):
        return f"is {type_with_article(data_type)}, and only a primitive column can identify a row"
    if column.in_collection:
        return "is inside a list or a map, which holds many values per row"
    if data_type.name in ("float", "double"):
        return f"is {type_with_article(data_type)}, which cannot identify a row"
    if not column.field.required:
        return "is nullable, so it cannot identify a row"
    path = column.name
    for parent in reversed(column.parents):
        path = path.rpartition(".")[0]
        parent_column = context.schema.find((path,))
        if isinstance(parent, Struct) and parent_column is not None and not parent_column.field.required:
            return f"is inside `{path}`, which is nullable, so it cannot identify a row"
    return None
