"""The fix that puts a number before its column."""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.syntax import terms


def number_first_fix(context: Context, column: terms.NamePath, literal: terms.Literal, number: str, title: str) -> Fix:
    """The fix that swaps the column and the literal behind it.

    number: the text to write for the literal. title: the fix's. The fix is not safe if a comment stands between them,
    which would then be next to the other one.
    """
    edits = (Edit(*column.span, number), Edit(*literal.span, column.text))
    return Fix(title, edits, safe=not context.statement.has_comment(column.span[1], literal.span[0]))
