"""The session's parser has every method of Spark's, though Iceberg's, which it wraps, does not implement them all."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims

pytestmark = pytest.mark.tier("rest", sampled=False)  # on every line of Spark

_INTERFACE = "org.apache.spark.sql.catalyst.parser.ParserInterface"
_SPARKS_PARSER = "org.apache.spark.sql.execution.SparkSqlParser"
_CONTEXT = "org.apache.spark.sql.catalyst.parser.NamedParameterContext"
_LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal"
# A method without texts here fails the test.
TEXTS = {
    "parseDataType": ("INT", "STRUCT<a: ARRAY<DECIMAL(10, 2)>>"),
    "parseExpression": ("a + 1 AS b", "iceberg_bucket(4, id) = 2"),
    "parseFunctionIdentifier": ("db.f", "f"),
    "parseMultipartIdentifier": ("local.db.`a.b`", "t"),
    "parsePlan": ("SELECT a FROM t WHERE b > 1", "SHOW TABLES", "CREATE TABLE parsed (id INT) USING parquet"),
    "parsePlanWithParameters": ("SELECT :x AS x FROM t", "SELECT a FROM t WHERE b IN (:x, :x + 1)"),
    "parseQuery": ("SELECT a FROM t", "WITH c AS (SELECT 1 AS a) SELECT * FROM c"),
    "parseRoutineParam": ("x INT", "x INT DEFAULT 1 COMMENT 'a', y STRING"),
    "parseTableIdentifier": ("db.t", "`a b`"),
    "parseTableSchema": ("a INT, b STRING COMMENT 'x'", "a STRUCT<b: INT>"),
}


def methods() -> set[str]:
    java_methods = gateway.java_class(_INTERFACE)._java_lang_class.getMethods()
    return {str(method.getName()) for method in java_methods if "$" not in str(method.getName())}


def outcome(parser: gateway.Java, method: str, text: str) -> str:
    arguments = [text]
    if method == "parsePlanWithParameters":
        value = gateway.scala_object(_LITERAL).apply(7)
        arguments.append(gateway.java_class(_CONTEXT)(gateway.to_map({"x": value})))
    return re.sub(r"#\d+", "", str(getattr(parser, method)(*arguments).toString()))  # ids are counted up


def test_every_method_has_texts(spark: SparkSession) -> None:
    assert methods() <= set(TEXTS)


@pytest.mark.parametrize("method", TEXTS)
def test_a_method_does_what_sparks_own_parser_does(spark: SparkSession, method: str) -> None:
    if method not in methods():
        pytest.skip(f"Spark {shims.SPARK_VERSION} does not have it")
    session = gateway.java_session(spark)
    with gateway.active(session):
        spark_parser = gateway.java_class(_SPARKS_PARSER)()
        parsers = {}
        for name, state in (("", session.sessionState()), ("a new session's ", session.newSession().sessionState())):
            parsers[f"{name}parser"] = state.sqlParser()
            if shims.SPARK_VERSION >= (4, 0):  # before, the catalog keeps its own
                parsers[f"{name}catalog's parser"] = state.catalog().parser()
        for text in TEXTS[method]:
            expected = outcome(spark_parser, method, text)
            assert {name: outcome(parser, method, text) for name, parser in parsers.items()} == dict.fromkeys(
                parsers, expected
            )
