"""PARTITIONED BY of CREATE TABLE: transforms, or Hive's columns with their types."""

from __future__ import annotations

from spark_iceberg_sql.syntax.parser.columns import plain_column_after
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.terms import read_term
from spark_iceberg_sql.syntax.terms import ColumnDef, Term


def partitioned_by(cursor: Cursor) -> tuple[tuple[Term, ...], tuple[ColumnDef, ...]]:
    """Read the clause: its terms, or its columns with types."""
    cursor.index += 1
    cursor.expect("BY", "missing-by")
    if cursor.word == "SPEC":
        cursor.fail("`(`", "partitioned-by-spec")
    cursor.expect("(", "no-parentheses")
    if cursor.word == ")":
        cursor.fail("a column or a transform", "empty-list")
    terms: list[Term] = []
    typed_columns: list[ColumnDef] = []
    while True:
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
        if not cursor.take(","):
            break
        if cursor.word == ")":
            cursor.fail("a column or a transform", "trailing-comma")
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
        error_kind = "expression" if cursor.word in ("+", "-", "*", "/", "%", "||", "=") else ""
        cursor.fail("`,` or `)`", "nested-transform" if cursor.word == "(" else error_kind)
