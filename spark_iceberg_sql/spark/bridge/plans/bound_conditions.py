"""The condition of a CALL as Iceberg reads it: bound to its table by Spark, and then Iceberg's own expression."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import gateway, sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS, causes, thrown_by

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONVERTER = "org.apache.spark.sql.execution.datasources.SparkExpressionConverter"
# Spark's conditions of errors that are about the text of a condition, and nothing else.
_OF_THE_TEXT = re.compile(
    r"\[(UNRESOLVED_COLUMN|FIELD_NOT_FOUND|UNRESOLVED_ROUTINE|DATATYPE_MISMATCH|PARSE_|INVALID_TYPED_LITERAL|"
    r"CAST_INVALID_INPUT)[\w.]*\] ?(?P<text>.*)",
    re.DOTALL,
)
_NOT_CONVERTED = re.compile(r"Cannot convert Spark filter: (?P<filter>.*) to Iceberg expression")
_END = re.compile(
    r"(?:(?<=\w|[`\"'\)])\. [A-Z].*|[.\s]*(?:SQLSTATE:.*|\(line \d+.*|Did you mean.*|== SQL.*))", re.DOTALL
)
_ROUTINE_HELP = "write a function of Spark's, or one of this package, such as iceberg_days(ts)"
_MISSING = re.compile(r"with name (?P<name>`.*?`) cannot be resolved")


def fault(spark: SparkSession, table: str, condition: str) -> str | None:
    """Why Spark or Iceberg refuses a condition over a table, as the end of a sentence, with the help on a second line;
    None if they take it, or fail for another reason.

    table: its full name as SQL writes it. The steps are those of Iceberg's procedures, up to the first that reads
    files.
    """
    try:
        with sessions.working_in(spark):
            converter = gateway.scala_object(_CONVERTER)
            bound = converter.collectResolvedSparkExpression(gateway.java_session(spark), table, condition)
            converter.convertToIcebergExpression(bound)
    except JVM_ERRORS as error:
        return _fault(error)
    except BRIDGE_ERRORS:
        return None
    return None


def _fault(error: Exception) -> str | None:
    for cause in causes(thrown_by(error)):
        text = str(cause.getMessage() or "")
        if (match := _NOT_CONVERTED.search(text)) is not None:
            return (
                f"cannot be evaluated by Iceberg alone: `{match['filter']}`\n"
                "help: compare columns with constants; functions and arithmetic of columns are not supported"
            )
        if (match := _OF_THE_TEXT.search(text)) is None:
            continue
        if (missing := _MISSING.search(text)) is not None:
            return f"names {missing['name']}, which is no column of its table\nhelp: write the name of a column"
        sentence = _END.sub("", _first_line(match["text"]))
        help_ = (
            _ROUTINE_HELP if match[1] == "UNRESOLVED_ROUTINE" else "write a condition over its columns, as after WHERE"
        )
        return f"is refused by Spark: {sentence}\nhelp: {help_}"
    return None


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
