"""PARTITIONED BY of CREATE TABLE: transforms, or Hive's columns with their types."""

from __future__ import annotations

from spark_iceberg_sql.syntax.parser.columns import plain_column_after
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.terms import read_term, term_error
from spark_iceberg_sql.syntax.terms import ColumnDef, Term


def partitioned_by(cursor: Cursor) -> tuple[tuple[Term, ...], tuple[ColumnDef, ...]]:
    """Read the clause from BY on: its terms, or its columns with types."""
    cursor.expect("BY", "missing-by")
    if cursor.word == "SPEC":
        cursor.fail("`(`", "partitioned-by-spec")
    cursor.expect("(", "no-parentheses")
    terms: list[Term] = []
    typed_columns: list[ColumnDef] = []
    for _ in cursor.comma_list():
        if cursor.word == ")":
            cursor.fail("a column or a transform", "trailing-comma" if terms or typed_columns else "empty-list")
        token = cursor.token
        term = read_term(cursor)
        if cursor.word in (",", ")"):
            if typed_columns:
                raise ParseError(token, "a column with its type", "mixed-columns")
            terms.append(term)
        else:
            _check_after_term(cursor, term)
            name = term.columns[0]
            definition = plain_column_after(cursor, name.parts[0], name.span)
            if terms:
                raise ParseError(token, "a column or a transform, without a type", "mixed-columns")
            typed_columns.append(definition)
    if cursor.word != ")":
        cursor.fail("`,` or `)`", "as-name" if cursor.words[cursor.index - 1] == "AS" else "")
    cursor.index += 1
    return tuple(terms), tuple(typed_columns)


def _check_after_term(cursor: Cursor, term: Term) -> None:
    """Raise ParseError unless a type can follow, which makes a bare name a Hive column."""
    if cursor.word == "AS":
        cursor.fail("`,` or `)`", "as-name")
    if cursor.word in ("ASC", "DESC"):
        cursor.fail("`,` or `)`", "sort-order")
    if term.transform_name is not None or len(term.columns[0].parts) > 1 or not cursor.at_name:
        cursor.fail("`,` or `)`", term_error(cursor))
