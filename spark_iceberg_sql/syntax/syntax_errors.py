"""The syntax errors that the parser recognizes: one record each, with the message and the help.

ParseError has a record's key; SIS001 fills in the placeholders: {table}, {old} and {new} are the user's names, {field}
and {fields} terms over the table's columns, {found} and {expected} the grammar's tokens.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Area(Enum):
    """The subject of a mistake."""

    GRAMMAR = "neither grammar accepts the statement"
    ROUTING = "one grammar accepts it, and the other one gets it"
    FIELD_NAME = "a partition field is named where it cannot be"


class SyntaxErrorKind(NamedTuple):
    """A kind of syntax error. message: None for the grammar's own, `... is unexpected here`.

    help: the sentence that says what to write. reported_by: the code of the rule.

    is_refused: Spark refuses the statement; otherwise the statement does something else than it seems to do.
    is_of_extension: Spark takes it with the extension of another product, so that it is not checked.
    """

    message: str | None = None
    help: str = "write {expected} here"
    area: Area = Area.GRAMMAR
    is_refused: bool = True
    is_of_extension: bool = False


SYNTAX_ERRORS: dict[str, SyntaxErrorKind] = {
    "": SyntaxErrorKind(),  # no known kind of error
    # Iceberg's or Spark's parser reads it as another statement.
    "identifier-clause": SyntaxErrorKind(area=Area.ROUTING),
    "odd-space": SyntaxErrorKind(area=Area.ROUTING),
    "hint": SyntaxErrorKind(area=Area.ROUTING),
    "as-name": SyntaxErrorKind(area=Area.FIELD_NAME),
    "parameter": SyntaxErrorKind(
        "Iceberg's statements take no parameters", "write the value itself: a program can format it into the text"
    ),
    "after-query": SyntaxErrorKind(
        "PARTITIONED BY comes after the query",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT ...`",
    ),
    "alter-field": SyntaxErrorKind(
        "a partition field is replaced, not altered",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`",
    ),
    "alter-if-exists": SyntaxErrorKind(
        "ALTER TABLE takes no IF EXISTS", "remove it, and run the statement only if the table exists"
    ),
    "as-in-drop": SyntaxErrorKind(
        "DROP PARTITION FIELD takes no AS", "write `ALTER TABLE {table} DROP PARTITION FIELD {old}`"
    ),
    "as-of-version": SyntaxErrorKind(
        "a branch or tag starts at a snapshot id, not at `{found}`",
        "write `AS OF VERSION` and an id from `SELECT snapshot_id, committed_at FROM {snapshots}`",
    ),
    "bracketed-fields": SyntaxErrorKind("IDENTIFIER FIELDS takes no parentheses", "leave out the parentheses"),
    "closing-parenthesis": SyntaxErrorKind(
        "closing parenthesis without an opening one", "write `PARTITIONED BY ({fields})`"
    ),
    "column-if-exists": SyntaxErrorKind(
        "ADD COLUMN takes no IF NOT EXISTS",
        "leave it out, and add the column only if `DESCRIBE TABLE {table}` does not list it",
    ),
    "columns-in-ctas": SyntaxErrorKind(
        "CREATE TABLE ... AS SELECT takes no column list: the columns come from the query",
        "leave out the list, and cast in the query",
    ),
    "columns-of-partition": SyntaxErrorKind(
        "a table has the same columns in all partitions", "leave out PARTITION (...)"
    ),
    "distributed-by": SyntaxErrorKind(
        "DISTRIBUTED BY takes only PARTITION",
        "write `WRITE DISTRIBUTED BY PARTITION`, or `WRITE ORDERED BY` with the columns",
    ),
    "drop-rows": SyntaxErrorKind(
        "DROP PARTITION with a value is another engine's syntax for deleting rows",
        "delete them by a condition on their columns: `DELETE FROM {table} WHERE ...`",
    ),
    "duplicate-clause": SyntaxErrorKind("duplicate clause: `{found}`", "write it once"),
    "duplicate-key": SyntaxErrorKind("duplicate property: `{found}`", "write each property once"),
    "empty-list": SyntaxErrorKind(
        "PARTITIONED BY is empty",
        "leave out the clause for an unpartitioned table, or write `PARTITIONED BY ({field})`",
    ),
    "execute-elsewhere": SyntaxErrorKind(
        "ALTER TABLE ... EXECUTE is the syntax of Trino and ClickHouse", "call the procedure: {expected}"
    ),
    "expression": SyntaxErrorKind(
        "a partition field is a column or a transform over one, not an expression",
        "write `{field}`, or partition by a column that holds the value",
    ),
    "hive-clause": SyntaxErrorKind(None, "leave out Hive's clause and write `USING iceberg`"),
    "if-exists": SyntaxErrorKind("ALTER TABLE ... PARTITION FIELD takes no IF EXISTS or IF NOT EXISTS", "remove it"),
    "if-not-exists-first": SyntaxErrorKind("IF NOT EXISTS comes after the keyword TABLE", "write {expected}"),
    "like-catalog": SyntaxErrorKind(
        "CREATE TABLE ... LIKE takes no catalog in a name",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "like-partitioned": SyntaxErrorKind(
        "CREATE TABLE ... LIKE takes no PARTITIONED BY",
        "write `CREATE TABLE {table} USING iceberg PARTITIONED BY (...) AS SELECT * FROM ... WHERE false`",
    ),
    "missing-by": SyntaxErrorKind("the keyword BY is missing after PARTITIONED", "write `PARTITIONED BY ({fields})`"),
    "missing-column": SyntaxErrorKind(
        "the keyword COLUMN is missing before `{found}`",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `DROP COLUMN` or `RENAME COLUMN`",
    ),
    "missing-field": SyntaxErrorKind(
        "the keyword FIELD is missing", "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`"
    ),
    "missing-partition": SyntaxErrorKind(
        "the keyword PARTITION is missing", "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`"
    ),
    "missing-semicolon": SyntaxErrorKind("a `;` is missing before {found}", "write `;` before {found}"),
    "missing-table": SyntaxErrorKind(
        "the table name is missing after ALTER TABLE", "write the table name before `{found}`"
    ),
    "missing-with": SyntaxErrorKind(
        "REPLACE PARTITION FIELD needs WITH", "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ...`"
    ),
    "misspelt": SyntaxErrorKind("`{found}` is not a keyword: did you mean {expected}?", "write {expected}"),
    "mixed-columns": SyntaxErrorKind(
        "PARTITIONED BY takes columns with types, or columns and transforms, but not both",
        "add the columns to the column list and write `PARTITIONED BY ({fields})`",
    ),
    "missing-to": SyntaxErrorKind("the keyword TO is missing before `{found}`", "write {expected}"),
    "modify-elsewhere": SyntaxErrorKind(
        "MODIFY is another engine's syntax", "write `ALTER TABLE {table} ALTER COLUMN ... TYPE ...`"
    ),
    "needs-backticks": SyntaxErrorKind("`{found}` is not a plain identifier", "write {expected}"),
    "nested-comment": SyntaxErrorKind(
        "a comment is not closed: the `/*` inside it opens another one, since comments nest in Spark",
        "close both, or write the inner `/*` differently",
    ),
    "nested-new-name": SyntaxErrorKind(
        "RENAME COLUMN takes only the new name, without a path",
        "write the name alone, without its path; a column stays in its struct",
    ),
    "nested-transform": SyntaxErrorKind(
        "a partition field is a column, or one transform over one column",
        "write one transform over one column: `{field}`",
    ),
    "no-arguments": SyntaxErrorKind("a transform needs a column", "write `{field}`"),
    "no-parentheses": SyntaxErrorKind("PARTITIONED BY needs parentheses", "write `PARTITIONED BY ({fields})`"),
    "not-alter-table": SyntaxErrorKind(
        "PARTITION FIELD belongs to ALTER TABLE, but the statement begins with `{found}`", "write {expected} here"
    ),
    "not-create-table": SyntaxErrorKind("the keyword TABLE is missing before `{found}`", "write {expected}"),
    "nothing-to-alter": SyntaxErrorKind(None, "write the change: `TYPE BIGINT`, `COMMENT '...'` or another"),
    "other-table": SyntaxErrorKind(
        "CREATE TABLE takes no {found}", "write `CREATE TABLE ... USING iceberg`, or a view: `CREATE TEMPORARY VIEW`"
    ),
    "parenthesised": SyntaxErrorKind(
        "PARTITION FIELD takes no parentheses around the field",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "partition-by": SyntaxErrorKind(
        "PARTITION BY is another engine's syntax",
        "write `PARTITIONED BY ({fields})` in CREATE TABLE, or `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "partition-fields": SyntaxErrorKind(
        "one statement changes one field: PARTITION FIELD, not `{found}`",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "partitioned-by-spec": SyntaxErrorKind("PARTITIONED BY SPEC is Hive's syntax", "write `PARTITIONED BY ({fields})`"),
    "partitioning-property": SyntaxErrorKind(
        "the property `partitioning` is Trino's syntax",
        "write `PARTITIONED BY ({fields})` in CREATE TABLE, or `ALTER TABLE {table} ADD PARTITION FIELD {field}`",
    ),
    "plain-columns": SyntaxErrorKind(
        "`{found}` is not allowed here: Hive's statement takes only {expected}",
        "write `ALTER TABLE {table} ADD COLUMN ...`, `ALTER COLUMN` or `DROP COLUMN`",
    ),
    "quoted-column": SyntaxErrorKind(
        "a column name is quoted with backticks, not with quotes",
        "write the name without quotes, or in backticks: `` `my column` ``",
    ),
    "quoted-name": SyntaxErrorKind(
        "a name is quoted with backticks, not with quotes", "write the name without quotes, or in backticks"
    ),
    "rename-field": SyntaxErrorKind(
        "a partition field is renamed by replacing it with itself",
        "write `ALTER TABLE {table} REPLACE PARTITION FIELD {old} WITH ... AS {new}`, with its current transform",
    ),
    "replace-external": SyntaxErrorKind("REPLACE takes no EXTERNAL", "write `CREATE OR REPLACE TABLE {table}`"),
    "replace-if-not-exists": SyntaxErrorKind(
        "REPLACE and IF NOT EXISTS cannot be combined",
        "write `CREATE OR REPLACE TABLE`, or `CREATE TABLE IF NOT EXISTS`",
    ),
    "retention-unit": SyntaxErrorKind(
        "`{found}` is not a retention unit: the grammar expects {expected}", "write {expected}"
    ),
    "set-partition-spec": SyntaxErrorKind(
        "SET does not change partitioning in Spark: use ADD, DROP or REPLACE PARTITION FIELD",
        "write `ALTER TABLE {table} ADD PARTITION FIELD {field}`, once for each field",
    ),
    "set-properties": SyntaxErrorKind(
        "the keyword TBLPROPERTIES is missing", "write `ALTER TABLE {table} SET TBLPROPERTIES ('key' = 'value')`"
    ),
    "set-type": SyntaxErrorKind("SET before TYPE is another engine's syntax", "write {expected}"),
    "several-actions": SyntaxErrorKind(
        "`{found}` is a second change of the column, and ALTER COLUMN makes one",
        "write it as a statement of its own: {expected}",
    ),
    "several-fields": SyntaxErrorKind(
        "one statement changes one partition field",
        "write a statement for each: `ALTER TABLE {table} ADD PARTITION FIELD ...`",
    ),
    "several-orders": SyntaxErrorKind(
        "one `WRITE ORDERED BY` lists the complete sort order",
        "write `ALTER TABLE {table} WRITE ORDERED BY ...` with all terms, separated by commas",
    ),
    "slash-comment": SyntaxErrorKind("`//` begins no comment in SQL", "write `--`"),
    "sort-order": SyntaxErrorKind(
        "a partition field has no sort order",
        "leave out `{found}`; to sort files write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    ),
    "statement-in-parentheses": SyntaxErrorKind(
        "a DDL statement cannot be in parentheses", "leave out the parentheses"
    ),
    "swallowed": SyntaxErrorKind(
        "`{found}` is read as part of the previous statement, which ends at the next `;`",
        "write `;` before {found}",
        is_refused=False,
    ),
    "swallowed-in-quotes": SyntaxErrorKind(
        "a quote or comment is not closed, so it contains the statements after it", "close it", is_refused=False
    ),
    "temporary-table": SyntaxErrorKind(
        "Spark has no temporary tables: TEMPORARY TABLE creates a view over files, with a single-part name and "
        "USING, without IF NOT EXISTS or AS SELECT",
        "write `CREATE TEMPORARY VIEW {table} AS SELECT ...`, or `CREATE TABLE` and drop it afterwards",
    ),
    "time-zone": SyntaxErrorKind(
        "WITH TIME ZONE is another engine's syntax: Spark's TIMESTAMP is an instant", "write `TIMESTAMP`"
    ),
    "trailing-comma": SyntaxErrorKind("trailing comma", "leave out the last comma"),
    "two-locations": SyntaxErrorKind(
        "LOCATION and the option `{found}` both set the table's location", "leave out one of them"
    ),
    "two-partitioned-by": SyntaxErrorKind(
        "duplicate PARTITIONED BY", "write all fields in one: `PARTITIONED BY ({fields})`"
    ),
    "types-in-ctas": SyntaxErrorKind(
        "PARTITIONED BY of CREATE TABLE ... AS SELECT takes column names without types",
        "leave out the type, and cast in the query",
    ),
    "of-extension": SyntaxErrorKind(
        "not checked: this is a statement of {expected}, which Spark takes with its extension",
        "leave it out where the statement runs without {expected}",
        is_of_extension=True,
    ),
    "unknown-change": SyntaxErrorKind("`{found}` is not a table change in Spark or Iceberg", "write {expected}"),
    "unterminated": SyntaxErrorKind("a quote or comment is not closed", "close it"),
    "using-after-clauses": SyntaxErrorKind(
        "USING comes after the column list, before every other clause",
        "write `CREATE TABLE {table} (...) USING iceberg PARTITIONED BY (...)`",
    ),
    "view-field": SyntaxErrorKind(
        "a view has no partition fields", "name the table that it reads: `ALTER TABLE ... ADD PARTITION FIELD {field}`"
    ),
    "with-properties": SyntaxErrorKind(
        "WITH (...) is another engine's syntax",
        "write `TBLPROPERTIES ('key' = 'value')`, with the names that Iceberg's properties have",
    ),
}
