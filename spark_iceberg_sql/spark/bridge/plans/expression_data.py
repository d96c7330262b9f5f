"""Spark expressions as plain data, and their text and span in the query."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_iceberg_sql.model.spark_expressions import SparkExpression
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_seq
from spark_iceberg_sql.spark.bridge.plans.expressions import node_class, pretty

_MAX_DEPTH = 8  # deeper nesting is cut off below this level
# Spark records `IN (1, 2)` as the text of `id IN (1, 2)`: it may be preceded by a name or a call.
_PREDICATE = re.compile(r"(?:NOT\s+)?(?:IN|LIKE|ILIKE|RLIKE|REGEXP|BETWEEN|IS)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"((?:(?:`[^`]+`|\w+)\.)*(?:`[^`]+`|\w+))\s+$")
_CALL = re.compile(r"([\w.]+\((?:[^()']|'[^']*')*\))\s+$")
# The position of a derived expression is often that of the whole statement.
_STATEMENT = re.compile(
    r"\(?\s*(?:SELECT|WITH|DELETE|UPDATE|MERGE|INSERT|FROM|EXPLAIN|CREATE|REPLACE|TABLE)\b", re.IGNORECASE
)


def spark_expression(expression: Java, depth: int = 0) -> SparkExpression:
    """An expression as plain data; columns by their names, other parts by their text in the query if that is
    known.
    """
    name = node_class(expression)
    data_type = str(expression.dataType().sql()).lower()
    if name == "AttributeReference":
        return SparkExpression(name, str(expression.name()), data_type)
    if name in ("Literal", "ImpliedLiteral"):
        literal_value = expression.value()
        text = re.sub(r"^(-?\d+)[LSY]$", r"\1", str(expression.sql()).replace(" (implied)", ""))
        return SparkExpression("Literal", text, data_type, None if literal_value is None else _text(literal_value))
    children: tuple[SparkExpression, ...] = ()
    if depth < _MAX_DEPTH:
        children = tuple(spark_expression(child, depth + 1) for child in from_seq(expression.children()))
    span = source_span(expression)
    return SparkExpression(name, span[0][span[1] : span[2]] if span else pretty(expression), data_type, None, children)


def _text(value: Java) -> str:
    return str(value.toString()) if hasattr(value, "toString") else str(value)


def source_span(expression: Java) -> tuple[str, int, int] | None:
    """The span of an expression: the statement's text, start and end; None if it is not in the text.

    Not for columns: Spark shares one object between all occurrences of a column.
    """
    origin = expression.origin()
    text, first, last = origin.sqlText(), origin.startIndex(), origin.stopIndex()
    if text.isEmpty() or first.isEmpty() or last.isEmpty():
        return None
    sql, start, end = str(text.get()), int(first.get()), int(last.get()) + 1
    source_text = sql[start:end]
    if _STATEMENT.match(source_text):
        return None
    if node_class(expression) == "IsNotNull" and "NULL" not in source_text.upper():
        return None  # it has the position of the comparison it is derived from
    if _PREDICATE.match(source_text):
        subject = _SUBJECT.search(sql, 0, start) or _CALL.search(sql, 0, start)
        if subject is None or not _names_column_of(subject[1], expression):
            return None
        start = subject.start(1)
    return sql, start, end


def is_derived(conjunct: Java) -> bool:
    """True if Spark derived a conjunct from another one: IS NOT NULL of a compared column."""
    return node_class(conjunct) == "IsNotNull" and source_span(conjunct) is None


def derived_conjuncts(conjuncts: Iterable[tuple[int, Java]]) -> set[tuple[int, tuple[str, int, int]]]:
    """The conjuncts that Spark derived for one table from a conjunct on another, whose span in the query they
    have.

    conjuncts: each with its table's key. Returns the keys and spans of the derived ones.
    """
    columns_by_span: dict[tuple[str, int, int], dict[int, bool | None]] = {}
    for table, conjunct in conjuncts:
        span = source_span(conjunct)
        if span is not None:
            columns_by_span.setdefault(span, {})[table] = _names_own_columns(span[0][span[1] : span[2]], conjunct)
    return {
        (table, span)
        for span, tables in columns_by_span.items()
        for table, is_own in tables.items()
        # If the text names no other table's column, that column has another name there, by AS.
        if any(other is True or (other is None and is_own is False) for other in tables.values()) and is_own is not True
    }


def _names_own_columns(text: str, conjunct: Java) -> bool | None:
    """True if a text names a conjunct's columns, unqualified or with its own table's name; None if it does not
    name them.
    """
    for column in from_seq(conjunct.references().toSeq()):
        name = re.escape(str(column.name()))
        pattern = rf"(?:(`[^`]+`|\w+)\.)?(?:`{name}`|\b{name}\b)"
        tables = {str(part).lower() for part in from_seq(column.qualifier())[-1:]}
        qualifiers = {m[1].strip("`").lower() if m[1] else "" for m in re.finditer(pattern, text, re.IGNORECASE)}
        if not qualifiers:
            return None
        if tables and "" not in qualifiers and not qualifiers & tables:
            return False
    return True


def _names_column_of(text: str, expression: Java) -> bool:
    """True if the text before a predicate names its column."""
    attributes = from_seq(expression.references().toSeq())
    if text.endswith(")") or len(attributes) != 1 or node_class(attributes[0]) != "AttributeReference":
        return True
    name = text.rpartition(".")[2].strip("`")
    return bool(name.lower() == str(attributes[0].name()).lower())
