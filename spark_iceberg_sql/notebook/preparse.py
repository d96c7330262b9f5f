"""Parses all statements of a cell before the first of them runs, and returns the failures.

A statement that an earlier one may affect is not parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.gate import parsing
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import without_error_logs
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.gate import clickhouse, explain_errors
from spark_iceberg_sql.syntax import routing
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Only settings whose names contain one of these change what the parser accepts.
_PARSER_SETTINGS = ("ansi", "parser", "legacy", "variable", "scripting", "extensions")


def parse_failures(
    spark: SparkSession, script: Sequence[Statement], values: Mapping[str, Any]
) -> Iterator[tuple[Statement, Exception]]:
    """The statements that the session's parser refuses, each with the exception.

    values: of the parameters, by name. Not parsed are statements that an earlier one may affect: those with
    `${...}` after a SET, and all after one that sets the parser.
    """
    has_set = False
    for statement in script:
        if not (has_set and "${" in statement.text):
            parameters = {n: values[n] for n in parameters_of(statement.text) if n in values}
            try:
                with without_error_logs():
                    parsing.parse(spark, _text_for_parser(spark, statement.text), parameters)
            except IcebergSqlError as error:
                yield statement, error
            except JVM_ERRORS as error:
                are_exact = all(isinstance(value, parsing.EXACT) for value in parameters.values())
                if not are_exact and "UNBOUND_SQL_PARAMETER" not in str(error):
                    continue
                yield statement, explain_errors.explain(spark, error, statement.text)
        if statement.first in ("SET", "RESET"):
            has_set = True
            if statement.first == "RESET" or any(token.word.lower() in _PARSER_SETTINGS for token in statement.tokens):
                return


def _text_for_parser(spark: SparkSession, text: str) -> str:
    """The text that the gate would pass on, except that no path is attached for a write."""
    with sessions.working_in(spark):
        text = sessions.substitute_settings(spark, clickhouse.translate_offline(text))
    script = statements(text)
    return routing.routed_text(script[0]) if len(script) == 1 else text
