"""Parsing of a statement that must not run yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import gateway, shims
from spark_iceberg_sql.syntax.variables import parameters_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONTEXT = "org.apache.spark.sql.catalyst.parser.NamedParameterContext"
_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"
_PARAMETER = re.compile(r"\b(?:named|pos)parameter\((\w+)\)", re.IGNORECASE)

# Types of values that are bound as they are. For others, such as dates, a number is bound: the grammar rarely differs.
EXACT = (str, bool, int, float, type(None))


def parse(spark: SparkSession, text: str, values: Mapping[str, Any]) -> None:
    """Parse a statement with its parameters bound; nothing runs, and no catalog is asked.

    text: one statement in Spark's syntax. values: of its parameters: plain Python.
    Raises pyspark's exceptions for a syntax error, or for a parameter without a value.
    """
    parser = requests.parser_without_gate(spark)
    with gateway.active(gateway.java_session(spark)):
        if shims.SPARK_VERSION < (4, 1):  # these parsers do not know values
            _refuse_unbound(shims.plan_text(parser.parsePlan(text)), text, values)
            return
        literal = gateway.scala_object(_LITERAL)
        literals = {name: literal.apply(value if isinstance(value, EXACT) else 1) for name, value in values.items()}
        parser.parsePlanWithParameters(text, gateway.java_class(_CONTEXT)(gateway.to_map(literals)))


def _refuse_unbound(plan: str, text: str, values: Mapping[str, Any]) -> None:
    """Raises Spark's exception for a parameter without a value. plan: as text, with its parameters."""
    written = parameters_of(text)
    for name in _PARAMETER.findall(plan):
        if (name in written and name not in values) or (name.isdigit() and "?" in text):
            raise gateway.to_python_exception(gateway.Refusal("UNBOUND_SQL_PARAMETER", name=name))
