"""A CREATE or ALTER TABLE in words that neither Spark's grammar nor Iceberg's has.

## Why
Spark reads CREATE TABLE and changes of columns, Iceberg's extension reads ALTER TABLE ... PARTITION FIELD.
What they do not know is a syntax error for the whole statement: another engine's dialect (PARTITION BY, SET
PARTITION SPEC, `partitioning = ARRAY[...]`, ADD without COLUMN), several fields in one ALTER, a name in
quotes, a clause twice, an expression.

## Instead
`PARTITIONED BY (days(ts), bucket(16, id))` in CREATE TABLE; one field a statement in ALTER TABLE, as ADD,
DROP or REPLACE ... WITH. Names that are no plain identifiers stand in backticks.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELDS days(ts), bucket(16, id);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITION BY (days(ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS 'day';
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD note STRING;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE events ADD PARTITION FIELD bucket(16, id) AS shard;
ALTER TABLE events ADD COLUMN note STRING;
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.rewrites import own_names, repair
from spark_iceberg_sql.syntax import nodes

# The shape of a mistake to what is to be said: a message, or None for the grammar's own, and the help.
# {table}, {old} and {new} are the user's names, {field} and {fields} terms over the table's columns, {found} and
# {expected} the grammar's words.
_SHAPES: dict[str, tuple[str | None, str]] = {
    "alter-if-exists": (
        "ALTER TABLE takes no IF EXISTS",
        "write `ALTER TABLE {table}`, where there is such a table",
    ),
    "as-of-version": (
        "a branch or tag starts at a snapshot's id, not at `{found}`",
        "write `AS OF VERSION` and an id of `SELECT snapshot_id, committed_at FROM {table}.snapshots`",
    ),
    "bracketed-fields": (
        "IDENTIFIER FIELDS takes no parentheses",
        "write `ALTER TABLE {table} SET IDENTIFIER FIELDS id`",
    ),
    "distributed-by": (
        "files are distributed by their partitions, and by nothing else",
        "write `WRITE DISTRIBUTED BY PARTITION`, or `WRITE ORDERED BY` with the columns",
    ),
    "misspelt": ("`{found}` is no keyword: did you mean {expected}?", "write {expected}"),
    "retention-unit": (
        "`{found}` is no unit of retention: the grammar has {expected}",
        "write {expected}",
    ),
    "several-orders": (
        "one `WRITE ORDERED BY` lists all that files are sorted by",
        "write `ALTER TABLE {table} WRITE ORDERED BY id, ts DESC`",
    ),
    "unknown-change": (
        "`{found}` is no change of a table that Spark or Iceberg knows",
        "write {expected}",
    ),
    "after-query": (
        "PARTITIONED BY stands after the query",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT ...`",
    ),
    "alter-field": (
        "a partition field is replaced, not altered",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`",
    ),
    "as-in-drop": (
        "DROP PARTITION FIELD takes no AS",
        "write `ALTER TABLE {table} DROP PARTITION FIELD {old}`",
    ),
    "closing-parenthesis": (
        "a parenthesis closes what was not opened",
        "write `PARTITIONED BY ({fields})`",
    ),
    "column-if-exists": (
        "ADD COLUMN takes no IF NOT EXISTS",
        "leave it out, and add the column only where `DESCRIBE TABLE {table}` does not list it",
    ),
    "columns-in-ctas": (
        "CREATE TABLE ... AS SELECT takes no column list: the columns come from the query",
        "leave the list out, and cast in the query",
    ),
    "columns-of-partition": (
        "a table has the same columns in all partitions",
        "leave PARTITION (...) out",
    ),
    "duplicate-clause": ("a clause stands here twice: `{found}`", "write it once"),
    "duplicate-key": ("a property stands here twice: `{found}`", "write each property once"),
    "empty-list": (
        "PARTITIONED BY names nothing",
        "leave the clause out for a table without partitions, or write `PARTITIONED BY ({field})`",
    ),
    "execute-elsewhere": (
        "ALTER TABLE ... EXECUTE is Trino's",
        "call a procedure: `CALL catalog.system.rewrite_data_files('{table}')`",
    ),
    "expression": (
        "a partition field is a column or a transform over one, not an expression",
        "write `{field}`, or partition by a column that holds it",
    ),
    "hive-clause": (None, "leave Hive's clause out and write `USING iceberg`"),
    "if-exists": (
        "ALTER TABLE ... PARTITION FIELD takes no IF EXISTS and no IF NOT EXISTS",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "like-catalog": (
        "CREATE TABLE ... LIKE takes no catalog in a name",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "like-partitioned": (
        "CREATE TABLE ... LIKE takes no PARTITIONED BY",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "missing-column": (
        "the word COLUMN is missing before `{found}`",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `DROP COLUMN` or `RENAME COLUMN`",
    ),
    "missing-field": (
        "the word FIELD is missing",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "missing-partition": (
        "the word PARTITION is missing",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "missing-with": (
        "REPLACE PARTITION FIELD needs WITH",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`",
    ),
    "mixed-columns": (
        "PARTITIONED BY takes columns with types, or columns and transforms, but not both",
        "put the columns into the column list and write `PARTITIONED BY ({fields})`",
    ),
    "needs-backticks": ("`{found}` is no plain name", "write {expected}"),
    "nested-transform": (
        "a transform stands inside another one, or a call inside a list of names",
        "write one transform over one column, `{field}`",
    ),
    "modify-elsewhere": (
        "MODIFY is another engine's",
        "write `ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT`",
    ),
    "nested-new-name": (
        "RENAME COLUMN takes the new name alone, without the path before it",
        "write `ALTER TABLE {table} RENAME COLUMN point.x TO lon`; a column stays in its struct",
    ),
    "no-arguments": (
        "a transform without a column",
        "write `{field}`",
    ),
    "no-parentheses": (
        "PARTITIONED BY needs parentheses",
        "write `PARTITIONED BY ({fields})`",
    ),
    "nothing-to-alter": (None, "write what is to change: `ALTER COLUMN id TYPE BIGINT`"),
    "other-table": (
        "CREATE TABLE takes no {found}",
        "write `CREATE TABLE ... USING iceberg`, or a view: `CREATE TEMPORARY VIEW`",
    ),
    "parenthesised": (
        "PARTITION FIELD takes no parentheses around the field",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "partition-by": (
        "PARTITION BY is another engine's",
        (
            "write `PARTITIONED BY ({fields})` in CREATE TABLE, or "
            "`ALTER TABLE {table} ADD PARTITION FIELD {field}`"
        ),
    ),
    "partition-fields": (
        "one statement changes one field: PARTITION FIELD, not `{found}`",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "partitioned-by-spec": (
        "PARTITIONED BY SPEC is Hive's",
        "write `PARTITIONED BY ({fields})`",
    ),
    "partitioning-property": (
        "a property `partitioning` is Trino's",
        (
            "write `PARTITIONED BY ({fields})` in CREATE TABLE, or "
            "`ALTER TABLE {table} ADD PARTITION FIELD {field}`"
        ),
    ),
    "plain-columns": (
        "`{found}` has no place here: Hive's statement takes {expected} alone",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `ALTER COLUMN` or `DROP COLUMN`",
    ),
    "quoted-column": (
        "a column's name stands in backticks, not in quotes",
        "write the name without quotes, or in backticks: `` `my column` ``",
    ),
    "quoted-name": (
        "a field's name stands in backticks, not in quotes",
        "write the name without quotes, or in backticks: `` AS `my field` ``",
    ),
    "rename-field": (
        "a partition field is renamed by replacing it by itself",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ... AS {new}`, with the transform that it has",
    ),
    "replace-external": ("REPLACE takes no EXTERNAL", "write `CREATE OR REPLACE TABLE {table}`"),
    "replace-if-not-exists": (
        "REPLACE and IF NOT EXISTS exclude each other",
        "write `CREATE OR REPLACE TABLE`, or `CREATE TABLE IF NOT EXISTS`",
    ),
    "set-partition-spec": (
        "SET PARTITION SPEC is another engine's",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "set-properties": (
        "the word TBLPROPERTIES is missing",
        "write `ALTER TABLE {table} SET TBLPROPERTIES ('key' = 'value')`",
    ),
    "several-fields": (
        "one statement changes one partition field",
        "write a statement for each: `ALTER TABLE {table} ADD PARTITION FIELD ...`",
    ),
    "sort-order": (
        "a partition field has no sort order",
        "leave `{found}` out; to sort files write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    ),
    "temporary-table": (
        (
            "Spark has no temporary tables: TEMPORARY TABLE is a view over files, of one name, with USING and "
            "without IF NOT EXISTS and AS SELECT"
        ),
        "write `CREATE TEMPORARY VIEW {table} AS SELECT ...`, or `CREATE TABLE` and drop it afterwards",
    ),
    "trailing-comma": ("a comma with nothing after it", "leave the last comma out"),
    "two-locations": (
        "LOCATION and the option `{found}` both say where the table lies",
        "leave one of them out",
    ),
    "two-partitioned-by": (
        "PARTITIONED BY stands here twice",
        "write all fields in one: `PARTITIONED BY ({fields})`",
    ),
    "types-in-ctas": (
        "PARTITIONED BY of CREATE TABLE ... AS SELECT takes names of columns, without types",
        "leave the type out, and cast in the query",
    ),
    "unterminated": ("a quote or a comment is opened here and not closed", "close it"),
    "using-after-clauses": (
        "USING stands after the column list, before every other clause",
        "write `CREATE TABLE {table} (...) USING iceberg PARTITIONED BY (...)`",
    ),
    "with-properties": (
        "WITH (...) is another engine's",
        "write `TBLPROPERTIES ('format-version' = '2')`",
    ),
}
# Others have the word on these: SIS004 on the routing, SIS107 on AS.
_OTHERS = ("identifier-clause", "odd-space", "hint", "as-name")


@rule(Severity.ERROR, on=(nodes.Unreadable,))
def unreadable_statement(context: Context) -> Iterator[Finding]:
    """A statement at whose words both grammars stop."""
    node = context.node
    assert isinstance(node, nodes.Unreadable)
    if node.like in _OTHERS:
        return
    table = node.table.text if node.table is not None else "t"
    message, help_ = _SHAPES.get(node.like, (None, "write {expected} here"))
    words = {
        "table": table,
        "found": node.found,
        "expected": node.expected,
        **own_names(context, node),
    }
    if message is not None:
        what = message
    elif node.at[0] == node.at[1]:
        what = "the statement ends where the grammar expects {expected}"
    else:
        what = "`{found}` cannot stand here: the grammar expects {expected}"
    if "{expected}" in help_ and node.expected == "the end of the statement":
        help_ = "leave it out, or put a `;` before it if it is another statement"
    found = repair(context, node)
    if found is None:
        yield Finding(node.at, _filled(what, words), _filled(help_, words))
    else:
        fix = Fix(found.help, found.edits)
        yield Finding(node.at, found.message or _filled(what, words), found.help, fix)


def _filled(pattern: str, words: dict[str, str]) -> str:
    """The pattern with its holes filled; not `format`, since a user's words may hold braces."""
    for key, value in words.items():
        pattern = pattern.replace("{" + key + "}", value)
    return pattern
