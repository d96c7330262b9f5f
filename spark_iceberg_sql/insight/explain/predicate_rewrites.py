"""Predicates for the same rows that reach Iceberg, from an expression that does not prune, without Spark.

They are proposals: `spark_rewrites` compares each with the expression on the values that `probe_values` gives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from fractions import Fraction

from spark_iceberg_sql.insight.explain.conjuncts import as_comparison
from spark_iceberg_sql.model.spark_expressions import SparkExpression
from spark_iceberg_sql.syntax.identifiers import string_literal

# Placeholder for the column in a rewritten predicate.
COLUMN = "\0"

_OPERATORS = {"EqualTo": "=", "LessThan": "<", "GreaterThan": ">", "LessThanOrEqual": "<=", "GreaterThanOrEqual": ">="}
_EXACT_LIMIT = 2**53  # from there on, a double is not every whole number
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})


def rewrites(expression: SparkExpression) -> Iterator[str]:
    """Predicates for the same rows that reach Iceberg, with COLUMN for the column; the caller must test them."""
    if expression.class_name == "Like" and expression.children[0].is_column and len(expression.children) == 2:
        prefix = re.split(r"[%_\\]", expression.children[1].value or "")[0]
        if prefix and "\\" not in (expression.children[1].value or ""):
            yield f"{COLUMN} LIKE {string_literal(prefix + '%')} AND {COLUMN} LIKE {expression.children[1].sql}"
    if expression.class_name == "RLike" and expression.children[0].is_column:
        # A literal prefix; its last character must not be followed by a quantifier.
        prefix_match = re.match(r"\^((?:[A-Za-z0-9 -](?![*?+{|]))+)", expression.children[1].value or "")
        if prefix_match and "|" not in (expression.children[1].value or ""):
            text = expression.children[1].sql
            yield f"{COLUMN} LIKE {string_literal(prefix_match[1] + '%')} AND {COLUMN} RLIKE {text}"
    if expression.class_name == "ArrayContains" and expression.children[1].is_column:
        items = re.fullmatch(r"(?:ARRAY|array)\((.+)\)", expression.children[0].sql)
        if items:
            yield f"{COLUMN} IN ({items[1]})"
    comparison = as_comparison(expression)
    if comparison is not None and comparison[2].class_name == "Literal" and comparison[2].value is not None:
        yield from _comparison_rewrites(*comparison)


def _comparison_rewrites(class_name: str, subject: SparkExpression, constant: SparkExpression) -> Iterator[str]:
    operator, value = _OPERATORS[class_name], constant.value or ""
    yield from _whole_number_rewrites(operator, subject, value)
    if class_name == "EqualTo":
        yield from _date_format_rewrites(subject, value)
        if subject.class_name == "StringLocate" and value == subject.children[2].value == "1":
            text = subject.children[0].value
            if subject.children[1].is_column and text:
                yield _prefix_predicate(text)
    operand = subject.children[0] if subject.children else subject
    if not operand.is_column:
        return
    if subject.class_name == "Coalesce" and len(subject.children) == 2:
        yield f"{COLUMN} {operator} {constant.sql}"
        yield f"({COLUMN} {operator} {constant.sql} OR {COLUMN} IS NULL)"
    if class_name != "EqualTo":
        return
    if subject.class_name == "Substring" and subject.children[1].value in ("0", "1"):
        if subject.children[2].value == str(len(value)) and value:
            yield _prefix_predicate(value)
    elif subject.class_name == "StringInstr" and value == "1" and subject.children[1].value:
        yield _prefix_predicate(subject.children[1].value)
    elif subject.class_name == "Cast" and operand.type in _INTEGERS and subject.type == "string":
        if re.fullmatch(r"0|-?[1-9]\d*", value):
            yield f"{COLUMN} = {value}"
    elif subject.class_name == "Abs" and operand.type in _INTEGERS and re.fullmatch(r"\d+", value):
        yield f"{COLUMN} IN ({value}, -{value})"


def _whole_number_rewrites(operator: str, subject: SparkExpression, value: str) -> Iterator[str]:
    """Of a column of whole numbers that is compared as a fraction, or divided by a positive number before."""
    divisor = Fraction(1)
    if subject.class_name == "Divide" and (number := _fraction(subject.children[1].value)) is not None:
        subject, divisor = subject.children[0], number
    column = subject.children[0] if subject.class_name == "Cast" and subject.children else subject
    bound = _fraction(value)
    is_fraction = re.match(r"float|double|decimal", subject.type) is not None
    if bound is None or divisor <= 0 or not (is_fraction and column.is_column and column.type in _INTEGERS):
        return
    bound *= divisor
    if abs(bound) >= _EXACT_LIMIT:
        return
    if operator == "=" and bound.denominator == 1:
        yield f"{COLUMN} = {bound}"
    elif operator in (">", "<="):
        yield f"{COLUMN} {operator} {math.floor(bound)}"
    elif operator in ("<", ">="):
        yield f"{COLUMN} {operator} {math.ceil(bound)}"


def _fraction(text: str | None) -> Fraction | None:
    """A literal's number; None if it is none, or not finite."""
    try:
        return Fraction(text or "")
    except ValueError:
        return None


def _date_format_rewrites(subject: SparkExpression, value: str) -> Iterator[str]:
    """Of a date or time that is formatted, also where the text is then cast to a number."""
    if subject.class_name == "Cast" and subject.type in ("int", "bigint") and re.fullmatch(r"[1-9]\d*", value):
        subject = subject.children[0]
    if subject.class_name != "DateFormatClass" or subject.children[1].value is None:
        return
    column = subject.children[0]
    if column.class_name == "Cast":
        column = column.children[0]
    if column.is_column and column.type in ("date", "timestamp", "timestamp_ntz"):
        yield from _date_pattern_range(subject.children[1].value, value, column.type)


def _prefix_predicate(text: str) -> str:
    if re.search(r"[%_\\]", text):
        return f"startswith({COLUMN}, {string_literal(text)})"
    return f"{COLUMN} LIKE {string_literal(text + '%')}"


# Letters of Spark's date patterns, coarsest first: the Python directive and the length of the unit.
_LETTERS = (("yyyy", "%Y"), ("MM", "%m"), ("dd", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"))


def _date_pattern_range(pattern: str, text: str, column_type: str) -> Iterator[str]:
    """The range of times, or of dates, that a pattern such as dd.MM.yyyy formats as a text."""
    strptime_format, finest, parts = "", -1, re.findall(r"([A-Za-z])(\1*)|([^A-Za-z']+)", pattern)
    directives = {spark: (i, letter) for i, (spark, letter) in enumerate(_LETTERS)}
    unit_indexes = set()
    for letter, repeats, literal in parts:
        if literal:
            strptime_format += literal.replace("%", "%%")
        elif letter + repeats in directives:
            index, directive = directives[letter + repeats]
            strptime_format, finest = strptime_format + directive, max(finest, index)
            unit_indexes.add(index)
        else:
            return
    if "".join(a + b + c for a, b, c in parts) != pattern or unit_indexes != set(range(finest + 1)):
        return  # quotes, or a gap such as a day without its month
    try:
        start = datetime.strptime(text, strptime_format)  # noqa: DTZ007 - a local time, as in the query
    except ValueError:
        return
    if finest == 0:
        end = start.replace(year=start.year + 1)
    elif finest == 1:
        end = (start + timedelta(days=31)).replace(day=1)
    else:
        unit = ("days", "hours", "minutes", "seconds")[finest - 2]
        end = start + timedelta(**{unit: 1})
    if column_type != "date":
        yield f"{COLUMN} >= TIMESTAMP '{start}' AND {COLUMN} < TIMESTAMP '{end}'"
    elif finest < _LETTERS.index(("HH", "%H")):
        yield f"{COLUMN} >= DATE '{start.date()}' AND {COLUMN} < DATE '{end.date()}'"


def probe_values(expression: SparkExpression, candidate: str) -> Iterator[str | None]:
    """Values, as text, on which to compare a predicate with its rewrite: near each constant, and null.

    For times, also the second before each bound.
    """
    yield None
    texts = [node.value for node in expression.walk() if node.class_name == "Literal" and node.value is not None]
    texts += re.findall(r"'((?:[^'\\])*)'", candidate)
    for text in texts:
        yield from (text, text[:-1], text.strip("%^"), text + "a", "a" + text, text.upper(), "")
        if re.fullmatch(r"-?\d{1,18}", text):
            yield from (str(int(text) + i) for i in (-1, 1))
            yield str(-int(text))
    for number in map(int, re.findall(r"(?<![\w'.-])-?\d{1,18}(?![\w'.-])", candidate)):
        yield from (str(number + i) for i in (-2, -1, 0, 1, 2))
    for text in texts:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            yield from (str(date.fromisoformat(text) + timedelta(days=days)) for days in (-1, 1))
        if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text):
            timestamp = datetime.fromisoformat(text)
            for seconds in (-3600, -1, 1, 3600, 86400, -86400):
                yield str(timestamp + timedelta(seconds=seconds))
