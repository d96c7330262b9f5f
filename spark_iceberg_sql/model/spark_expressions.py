"""Expressions of Spark as plain data, so that they can be explained without a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SparkExpression:
    """A Spark expression as plain data.

    class_name: the simple name of its Catalyst class. sql: its SQL text. type: the result type, as in DDL.
    value: a literal's value as text; None for a null and for anything but a literal. children: its arguments.
    """

    class_name: str
    sql: str
    type: str
    value: str | None = None
    children: tuple[SparkExpression, ...] = ()

    def walk(self) -> Iterator[SparkExpression]:
        """The expression and all its descendants."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def columns(self) -> frozenset[str]:
        """The columns it refers to."""
        return frozenset(node.sql for node in self.walk() if node.class_name == "AttributeReference")

    @property
    def is_column(self) -> bool:
        """True for a column or a struct field."""
        if self.class_name == "GetStructField":
            return self.children[0].is_column
        return self.class_name == "AttributeReference"
