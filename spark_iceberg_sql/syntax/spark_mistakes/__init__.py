"""Ordinary mistakes in statements that Spark refuses: what it makes of another engine's words, and what to write.

In: Spark's condition with its parameters, and the statement's tokens. Out: one sentence, and where the text to write
takes the place of other text, the edit. One function per mistake; none of them judges a statement that Spark accepts.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.spark_mistakes import (
    column_names,
    commands,
    functions,
    iceberg_statements,
    procedures,
    query_clauses,
    relations,
    values,
)
from spark_iceberg_sql.syntax.spark_mistakes.python_code import python_code
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

_TABLES: tuple[Mapping[str, tuple[Mistake, ...]], ...] = (
    {
        "PARSE_SYNTAX_ERROR": (
            *iceberg_statements.SYNTAX,
            *query_clauses.SYNTAX,
            *commands.SYNTAX,
            *relations.SYNTAX,
            *functions.SYNTAX,
            python_code,
        )
    },
    iceberg_statements.ICEBERG,
    relations.UNRESOLVED,
    column_names.NAMES,
    commands.REFUSED,
    functions.FUNCTIONS,
    procedures.CALLS,
    query_clauses.GROUPING,
    values.VALUES,
)


_MAX_CHARACTERS = 2000  # of a statement that is written again in a message


def explanation(mistake: MistakeHelp, statement: Statement) -> str:
    """The help as text: what is wrong, what to write, and the statement with it."""
    parts = [] if mistake.message is None else [mistake.message]
    parts.append(f"help: {mistake.help}")
    if mistake.edit is not None and len(statement.text) <= _MAX_CHARACTERS:
        start, end, replacement = mistake.edit
        parts.append(
            f"write instead: {statement.script[statement.start : start]}{replacement}"
            f"{statement.script[end : statement.end]}"
        )
    return "\n".join(parts)


def help_of(refused: RefusedStatement) -> MistakeHelp | None:
    """The help for the first mistake that fits."""
    condition = refused.condition.partition(".")[0]
    helps = (mistake(refused) for table in _TABLES for mistake in table.get(condition, ()))
    return next((mistake_help for mistake_help in helps if mistake_help is not None), None)
