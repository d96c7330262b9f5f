"""Reasons why a conjunct does not prune, from the expression alone, without Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.model.spark_expressions import SparkExpression
from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED

_FLIPPED = {
    "EqualTo": "EqualTo",
    "LessThan": "GreaterThan",
    "GreaterThan": "LessThan",
    "LessThanOrEqual": "GreaterThanOrEqual",
    "GreaterThanOrEqual": "LessThanOrEqual",
}
_CYCLIC = re.compile(
    r"Month|DayOfMonth|DayOfWeek|WeekDay|DayOfYear|WeekOfYear|Quarter|Hour|Minute|Second|DayName|MonthName"
)
_WINDOW = "precisetimestampconversion"  # what Spark makes of window(ts, '1 day')
_BUCKET = re.compile(r"(?:iceberg_|.*\.)bucket\(")  # a call of Iceberg's function
_RUN_TIME_CLASSES = frozenset({"ScalarSubquery", "ListQuery", "Exists", "InSubquery", "OuterReference"})


def why_withheld(call: SparkExpression, column: str, fields: Sequence[FieldClause]) -> str:
    """The reason why the rule `guard` does not push a call of one of Iceberg's functions on a column to the
    scan.

    fields: of all specs.
    """
    if any(field.source == column and field.transform == "identity" for field in fields):
        return (
            f"`{call.sql}` is not passed to Iceberg: where a partition field is `{column}` itself, Iceberg would "
            "compare its values with those of the function, and return wrong rows"
        )
    return f"`{call.sql}` is not passed to Iceberg, which would return wrong rows for some values of `{column}`"


def why_not_pushed(expression: SparkExpression, withheld: str | None = None) -> str:
    """The reason why Spark does not push a conjunct to Iceberg.

    withheld: the reason why one of Iceberg's own functions in it is not pushed.
    """
    for node in expression.walk():
        if node.class_name in _RUN_TIME_CLASSES:
            return "its value comes from a subquery and is known only when the query runs; it may prune then"
        if node.class_name.endswith("UDF"):
            return f"`{node.sql}` is a user-defined function, which Spark cannot analyse"
    if not expression.columns:
        return "it refers to no column"
    for column in sorted(expression.columns & RESERVED):
        return f"`{column}` is a metadata column: Iceberg has no bounds and no partition values for it"
    comparison = as_comparison(expression)
    if comparison is not None and comparison[2].columns:
        return "it compares columns with each other; partition values and bounds can only be compared with constants"
    subject = comparison[1] if comparison is not None else expression.children[0]
    if expression.class_name == "Like":
        return "the pattern is not a prefix: only `LIKE 'prefix%'` is a range of the column"
    if expression.class_name == "RLike":
        return "a regular expression is not a range of the column"
    if expression.class_name in ("EndsWith", "Contains"):
        return "only a prefix is a range of the column, not a suffix or a substring"
    for node in subject.walk():
        if _CYCLIC.fullmatch(node.class_name):
            (column, *_) = sorted(node.columns) or ("the column",)
            return f"`{node.sql}` is cyclic, so it is not a range of `{column}`; add a range of `{column}` to prune"
    if subject.class_name == "Cast" and subject.children[0].is_column:
        cast_column = subject.children[0]
        return (
            f"`{cast_column.sql}` is converted from {cast_column.type} to {subject.type} before it is compared; "
            f"a comparison with a constant of type {cast_column.type} can prune"
        )
    if withheld is not None:
        return withheld
    if _WINDOW in subject.sql:
        (column, *_) = sorted(subject.columns) or ("the column",)
        return f"a window of time is computed from `{column}`; add a range of `{column}` to prune"
    if subject.is_column:
        return "Iceberg does not take this kind of predicate"
    return (
        f"`{subject.sql}` is computed from the column; "
        "partition values and bounds can only be compared with the column itself"
    )


@dataclass(frozen=True, slots=True)
class FieldClause:
    """A partition field of any spec: its DDL clause, its source column, the name of its transform.

    step: of truncate over a decimal, the difference between neighbouring values, `1.00`.
    """

    clause: str
    source: str
    transform: str
    step: str | None = None

    @property
    def step_text(self) -> str:
        """What follows the clause: the real step of a decimal's truncate, or nothing."""
        return f" (steps of {self.step})" if self.step is not None else ""


def why_not_pruning(
    expression: SparkExpression,
    columns: Sequence[str],
    fields: Sequence[FieldClause],
    *,
    total: int,
    fully_matching: int,
    without_bounds: Mapping[str, int],
) -> str:
    """The reason why a conjunct that reaches Iceberg prunes no file.

    columns: the ones it compares. fields: of all specs. total: the table's files. fully_matching: the number
    of files in which every row matches. without_bounds: by column, the number of files that have no bounds
    for it.
    """
    if fully_matching == total:
        return "every row of every file matches it"
    reasons = []
    types = {node.sql: node.type for node in expression.walk() if node.class_name == "AttributeReference"}
    for column in columns:
        nested_type = re.match(r"struct|array|map|variant", types.get(column, ""))
        if nested_type:
            article = "an" if nested_type[0] == "array" else "a"
            reasons.append(f"Iceberg has no bounds or null counts for `{column}`, {article} {nested_type[0]}")
            continue
        column_fields = sorted({f.clause: f for f in fields if f.source == column}.items())
        if not column_fields:
            reasons.append(f"no partition field uses `{column}`")
        for clause, field in column_fields:
            if field.transform == "bucket" and expression.class_name not in ("EqualTo", "In", "InSet"):
                reasons.append(f"`{clause}` prunes only for = and IN")
            else:
                reasons.append(f"`{clause}`{field.step_text} excludes no file")
        missing = without_bounds.get(column, 0)
        if missing == total:
            reasons.append(f"the files have no bounds for `{column}` (write.metadata.metrics)")
        elif missing:
            reasons.append(f"{missing:,} files have no bounds for `{column}`")
        if missing < total:
            calls = [node.sql for node in expression.walk() if node.class_name == "ApplyFunctionExpression"]
            if any(map(_BUCKET.match, calls)):
                reasons.append(f"bounds of `{column}` say nothing about its bucket")
            else:
                reasons.append(f"every file's bounds for `{column}` may include a match")
    return ", and ".join(reasons) if reasons else "no file can be excluded by it"


def as_comparison(expression: SparkExpression) -> tuple[str, SparkExpression, SparkExpression] | None:
    """A comparison as (its class, the side with a column, the other side)."""
    if expression.class_name not in _FLIPPED or len(expression.children) != 2:
        return None
    left, right = expression.children
    if left.columns:
        return expression.class_name, left, right
    return _FLIPPED[expression.class_name], right, left
