"""A default, a generated column, a constraint, or a required column added later.

## Why
Iceberg's runtime for Spark 4.1 does not support column defaults, generated columns or constraints; it refuses
them in every format version ("does not support column default value", "Cannot apply unknown table change"). A
required column cannot be added to a table, since existing rows have no value for it.

## Instead
A plain column whose value every INSERT provides. A partition field needs no generated column: Iceberg derives
`days(ts)` itself.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(ts AS DATE))) USING iceberg;
```
```sql bad
CREATE TABLE events (id BIGINT, region STRING DEFAULT 'eu') USING iceberg
TBLPROPERTIES ('format-version' = '3');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events ADD COLUMN region STRING NOT NULL;
```
```sql bad
CREATE TABLE events (id BIGINT, region STRING) USING iceberg;
ALTER TABLE events ALTER COLUMN region SET DEFAULT 'eu';
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events ADD CONSTRAINT events_key PRIMARY KEY (id);
```
```sql bad
CREATE TABLE events (id BIGINT PRIMARY KEY, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP NOT NULL, region STRING) USING iceberg
PARTITIONED BY (days(ts));
ALTER TABLE events ADD COLUMN kind STRING;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.spark_types import spark_type
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted

_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "REFERENCES", "CONSTRAINT"})
_CONSTRAINT_HELP = "leave out the constraint; `ALTER TABLE ... SET IDENTIFIER FIELDS` declares the key of a table"
_LOWER_CONSTRAINTS = tuple(word.lower() for word in sorted(_CONSTRAINTS))
_CONSTRAINT_PATTERN = regex(rf"(?i)\b(?:{'|'.join(sorted(_CONSTRAINTS))})\b")


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.AddColumns, nodes.ReplaceColumns, nodes.AlterColumn, nodes.AlterConstraint),
    category=Category.COLUMNS,
    iceberg_only=True,
    spark_only=True,
)
def unsupported_column_clause(context: Context) -> Findings:
    """Every clause of a new or existing column that Iceberg's runtime does not support."""
    node = context.node
    if isinstance(node, nodes.Create) and context.creates_iceberg:
        yield from _constraints(context, node)
    if not isinstance(node, nodes.Create) and context.table is None:
        return  # other formats support defaults
    if isinstance(node, nodes.AlterConstraint) and not context.is_not_iceberg:
        yield Finding(node.clause, _constraint_message(context, node.clause), _CONSTRAINT_HELP)
    elif isinstance(node, nodes.AlterColumn) and not context.is_not_iceberg:
        yield from _altered_default(node)
    for column in context.new_columns:
        if column.generated is not None:
            yield Finding(
                column.generated,
                f"Iceberg does not support generated columns, and `{column.name}` is one",
                f"write `{_plain(column)}`; a partition field such as `days(ts)` needs no extra column",
                early=True,
            )
        elif column.default is not None:
            yield Finding(
                column.default,
                f"Iceberg's runtime for Spark does not support column defaults, and `{column.name}` has one",
                f"write `{_plain(column)}`, and provide the value in every INSERT",
                early=True,
            )
        elif isinstance(node, nodes.AddColumns) and column.constraint is not None:
            yield Finding(column.constraint, _constraint_message(context, column.constraint), _CONSTRAINT_HELP)
        elif isinstance(node, nodes.AddColumns) and column.required:
            yield Finding(
                column.span,
                f"`{column.name}` cannot be NOT NULL: existing rows have no value for it",
                f"write `{_plain(column)}`",
            )


def _plain(column: terms.ColumnDef) -> str:
    """The column without its clauses, in a type that Spark has (SIS209)."""
    type_text = column.type_text if column.type is not None else spark_type(column.type_text)
    return f"{quoted(column.name)} {type_text}"


def _altered_default(node: nodes.AlterColumn) -> Findings:
    for change in (node, *node.other_changes):
        if change.default is not None:
            yield Finding(
                change.default,
                "Iceberg's runtime for Spark does not support column defaults, "
                f"so `{change.column.text}` cannot have one",
                "leave out the statement, and provide the value in every INSERT",
            )


def _constraint_message(context: Context, span: terms.Offsets) -> str:
    match = _CONSTRAINT_PATTERN.search(context.text, *span)
    constraint = match[0] if match is not None else context.text_at(span)
    return f"Iceberg's runtime for Spark does not support constraints, such as {constraint}"


def _constraints(context: Context, node: nodes.Create) -> Findings:
    """PRIMARY KEY and other constraints, on a column or on the table: Iceberg supports none."""
    columns = node.columns or ()
    if not any(map(context.statement.may_contain, _LOWER_CONSTRAINTS)) or not _CONSTRAINT_PATTERN.search(
        context.text, *node.span
    ):
        return
    column_starts = {column.span[0] for column in columns}
    clauses = [c.type_span for c in columns]
    clauses += [c.default for c in columns if c.default is not None]
    depth = 1
    for token in context.statement.tokens:
        if not columns or token.start < columns[0].span[0]:
            continue
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            return
        is_in_clause = any(start <= token.start < end for start, end in clauses)
        if depth == 1 and token.text.upper() in _CONSTRAINTS and not is_in_clause and token.start not in column_starts:
            yield Finding(
                (token.start, token.end),
                f"Iceberg's runtime for Spark does not support constraints, such as {token.text}",
                _CONSTRAINT_HELP,
                early=True,
            )
            return
