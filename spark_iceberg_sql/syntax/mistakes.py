"""The mistakes that the parser knows by their shape: one record each, with what is said of it and what to write.

The parser stops with a record's name; SIS001 fills the words in: {table}, {old} and {new} are the user's names,
{field} and {fields} terms over the table's columns, {found} and {expected} the grammar's words.
"""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """message: None for the grammar's own, `... cannot stand here`. help: what to write. reported_by: another rule."""

    message: str | None = None
    help: str = "write {expected} here"
    reported_by: str = "SIS001"


MISTAKES: dict[str, Mistake] = {
    "": Mistake(),  # no known one
    # Iceberg's parser or Spark's takes it for another statement.
    "identifier-clause": Mistake(reported_by="SIS004"),
    "odd-space": Mistake(reported_by="SIS004"),
    "hint": Mistake(reported_by="SIS004"),
    "as-name": Mistake(reported_by="SIS107"),
    "parameter": Mistake(),  # SIS002 has the word where a marker stands in a transform
    "after-query": Mistake(
        "PARTITIONED BY comes after the query",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT ...`",
    ),
    "alter-field": Mistake(
        "a partition field is replaced, not altered",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`",
    ),
    "alter-if-exists": Mistake(
        "ALTER TABLE takes no IF EXISTS", "write `ALTER TABLE {table}`, where there is such a table"
    ),
    "as-in-drop": Mistake(
        "DROP PARTITION FIELD takes no AS", "write `ALTER TABLE {table} DROP PARTITION FIELD {old}`"
    ),
    "as-of-version": Mistake(
        "a branch or tag starts at a snapshot's id, not at `{found}`",
        "write `AS OF VERSION` and an id of `SELECT snapshot_id, committed_at FROM {table}.snapshots`",
    ),
    "bracketed-fields": Mistake(
        "IDENTIFIER FIELDS takes no parentheses",
        "leave the parentheses out",
    ),
    "closing-parenthesis": Mistake(
        "a closing parenthesis without an opening one", "write `PARTITIONED BY ({fields})`"
    ),
    "column-if-exists": Mistake(
        "ADD COLUMN takes no IF NOT EXISTS",
        "leave it out, and add the column only where `DESCRIBE TABLE {table}` does not list it",
    ),
    "columns-in-ctas": Mistake(
        "CREATE TABLE ... AS SELECT takes no column list: the columns come from the query",
        "leave the list out, and cast in the query",
    ),
    "columns-of-partition": Mistake(
        "a table has the same columns in all partitions", "leave PARTITION (...) out"
    ),
    "distributed-by": Mistake(
        "files are distributed by their partitions, and by nothing else",
        "write `WRITE DISTRIBUTED BY PARTITION`, or `WRITE ORDERED BY` with the columns",
    ),
    "duplicate-clause": Mistake("a clause is given twice: `{found}`", "write it once"),
    "duplicate-key": Mistake("a property is given twice: `{found}`", "write each property once"),
    "empty-list": Mistake(
        "PARTITIONED BY names nothing",
        "leave the clause out for a table without partitions, or write `PARTITIONED BY ({field})`",
    ),
    "execute-elsewhere": Mistake(
        "ALTER TABLE ... EXECUTE is Trino's",
        "call a procedure: `CALL catalog.system.rewrite_data_files('{table}')`",
    ),
    "expression": Mistake(
        "a partition field is a column or a transform over one, not an expression",
        "write `{field}`, or partition by a column that holds it",
    ),
    "hive-clause": Mistake(None, "leave Hive's clause out and write `USING iceberg`"),
    "if-exists": Mistake(
        "ALTER TABLE ... PARTITION FIELD takes no IF EXISTS and no IF NOT EXISTS",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "like-catalog": Mistake(
        "CREATE TABLE ... LIKE takes no catalog in a name",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "like-partitioned": Mistake(
        "CREATE TABLE ... LIKE takes no PARTITIONED BY",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "missing-by": Mistake(
        "the word BY is missing behind PARTITIONED", "write `PARTITIONED BY ({fields})`"
    ),
    "missing-column": Mistake(
        "the word COLUMN is missing before `{found}`",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `DROP COLUMN` or `RENAME COLUMN`",
    ),
    "missing-field": Mistake(
        "the word FIELD is missing", "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`"
    ),
    "missing-partition": Mistake(
        "the word PARTITION is missing", "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`"
    ),
    "missing-table": Mistake(
        "the table's name is missing behind ALTER TABLE", "write the table's name before `{found}`"
    ),
    "missing-with": Mistake(
        "REPLACE PARTITION FIELD needs WITH",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`",
    ),
    "misspelt": Mistake("`{found}` is not a keyword: did you mean {expected}?", "write {expected}"),
    "mixed-columns": Mistake(
        "PARTITIONED BY takes columns with types, or columns and transforms, but not both",
        "put the columns into the column list and write `PARTITIONED BY ({fields})`",
    ),
    "modify-elsewhere": Mistake(
        "MODIFY is another engine's syntax",
        "write `ALTER TABLE {table} ALTER COLUMN ... TYPE ...`",
    ),
    "needs-backticks": Mistake("`{found}` is not a plain name", "write {expected}"),
    "nested-new-name": Mistake(
        "RENAME COLUMN takes the new name alone, without the path before it",
        "write `ALTER TABLE {table} RENAME COLUMN point.x TO lon`; a column stays in its struct",
    ),
    "nested-transform": Mistake(
        "a transform inside another one, or a call inside a list of names",
        "write one transform over one column, `{field}`",
    ),
    "no-arguments": Mistake("a transform without a column", "write `{field}`"),
    "no-parentheses": Mistake(
        "PARTITIONED BY needs parentheses", "write `PARTITIONED BY ({fields})`"
    ),
    "nothing-to-alter": Mistake(None, "write what is to change: `ALTER COLUMN id TYPE BIGINT`"),
    "other-table": Mistake(
        "CREATE TABLE takes no {found}",
        "write `CREATE TABLE ... USING iceberg`, or a view: `CREATE TEMPORARY VIEW`",
    ),
    "parenthesised": Mistake(
        "PARTITION FIELD takes no parentheses around the field",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "partition-by": Mistake(
        "PARTITION BY is another engine's syntax",
        "write `PARTITIONED BY ({fields})` in CREATE TABLE, or `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "partition-fields": Mistake(
        "one statement changes one field: PARTITION FIELD, not `{found}`",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "partitioned-by-spec": Mistake(
        "PARTITIONED BY SPEC is Hive's", "write `PARTITIONED BY ({fields})`"
    ),
    "partitioning-property": Mistake(
        "a property `partitioning` is Trino's",
        "write `PARTITIONED BY ({fields})` in CREATE TABLE, or `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "plain-columns": Mistake(
        "`{found}` is not allowed here: Hive's statement takes {expected} alone",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `ALTER COLUMN` or `DROP COLUMN`",
    ),
    "quoted-column": Mistake(
        "a column name is quoted with backticks, not with quotes",
        "write the name without quotes, or in backticks: `` `my column` ``",
    ),
    "quoted-name": Mistake(
        "a name is quoted with backticks, not with quotes",
        "write the name without quotes, or in backticks",
    ),
    "rename-field": Mistake(
        "a partition field is renamed by replacing it by itself",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ... AS {new}`, with the transform that it has",
    ),
    "replace-external": Mistake(
        "REPLACE takes no EXTERNAL", "write `CREATE OR REPLACE TABLE {table}`"
    ),
    "replace-if-not-exists": Mistake(
        "REPLACE and IF NOT EXISTS exclude each other",
        "write `CREATE OR REPLACE TABLE`, or `CREATE TABLE IF NOT EXISTS`",
    ),
    "retention-unit": Mistake(
        "`{found}` is not a unit of retention: the grammar has {expected}", "write {expected}"
    ),
    "set-partition-spec": Mistake(
        "SET changes no partitioning in Spark: ADD, DROP and REPLACE PARTITION FIELD do",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "set-properties": Mistake(
        "the word TBLPROPERTIES is missing",
        "write `ALTER TABLE {table} SET TBLPROPERTIES ('key' = 'value')`",
    ),
    "several-fields": Mistake(
        "one statement changes one partition field",
        "write a statement for each: `ALTER TABLE {table} ADD PARTITION FIELD ...`",
    ),
    "several-orders": Mistake(
        "one `WRITE ORDERED BY` lists all that files are sorted by",
        "write `ALTER TABLE {table} WRITE ORDERED BY ...` with all of them, between commas",
    ),
    "sort-order": Mistake(
        "a partition field has no sort order",
        "leave `{found}` out; to sort files write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    ),
    "temporary-table": Mistake(
        "Spark has no temporary tables: TEMPORARY TABLE is a view over files, of one name, with USING and "
        "without IF NOT EXISTS and AS SELECT",
        "write `CREATE TEMPORARY VIEW {table} AS SELECT ...`, or `CREATE TABLE` and drop it afterwards",
    ),
    "time-zone": Mistake(
        "WITH TIME ZONE is another engine's: Spark's TIMESTAMP is a moment in any time zone",
        "write `TIMESTAMP`",
    ),
    "trailing-comma": Mistake("a comma with nothing after it", "leave the last comma out"),
    "two-locations": Mistake(
        "LOCATION and the option `{found}` both give the table's location", "leave one of them out"
    ),
    "two-partitioned-by": Mistake(
        "PARTITIONED BY is given twice", "write all fields in one: `PARTITIONED BY ({fields})`"
    ),
    "types-in-ctas": Mistake(
        "PARTITIONED BY of CREATE TABLE ... AS SELECT takes names of columns, without types",
        "leave the type out, and cast in the query",
    ),
    "unknown-change": Mistake(
        "`{found}` is not a table change that Spark or Iceberg has", "write {expected}"
    ),
    "unterminated": Mistake("a quote or comment is not closed", "close it"),
    "using-after-clauses": Mistake(
        "USING comes after the column list, before every other clause",
        "write `CREATE TABLE {table} (...) USING iceberg PARTITIONED BY (...)`",
    ),
    "with-properties": Mistake(
        "WITH (...) is another engine's syntax", "write `TBLPROPERTIES ('format-version' = '2')`"
    ),
}
