"""Parts of statements: names, constants, transforms over columns, columns, properties; each with its span.

Names are tuples of parts as the user wrote them, without backticks. A span is a pair of offsets into the whole text,
end excluded.
"""

from __future__ import annotations

from typing import NamedTuple

from spark_iceberg_sql.model.types import Type

Offsets = tuple[int, int]


Name = tuple[str, ...]


class NamePath(NamedTuple):
    """A name in the text: of a column, a field, a table. text: as written, backticks included.

    is_computed: an expression computes the name, as in `IDENTIFIER(v)`, so the text does not contain it.
    """

    parts: Name
    span: Offsets
    text: str
    is_computed: bool = False


class Literal(NamedTuple):
    """A constant argument. kind: integer, decimal, string, typed (`DATE '...'`), parameter (`?`, `:n`).

    TRUE, FALSE and NULL are none: Spark takes them for columns there.

    value: the integer, for kind integer. suffix: `L`, `S`, `Y` or empty. text: as written.
    """

    kind: str
    text: str
    span: Offsets
    value: int | None = None
    suffix: str = ""


Argument = NamePath | Literal


class Term(NamedTuple):
    """A transform over a column, as written: `bucket(16, id)`; a bare column is identity.

    transform_name: None for a bare column, else the name as written. arguments: in order.
    name_span: of the transform's name (of the column, for a bare one).
    """

    transform_name: str | None
    arguments: tuple[Argument, ...]
    span: Offsets
    name_span: Offsets

    @property
    def columns(self) -> tuple[NamePath, ...]:
        """The arguments that are columns."""
        return tuple([a for a in self.arguments if isinstance(a, NamePath)])

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The arguments that are constants."""
        return tuple([a for a in self.arguments if isinstance(a, Literal)])


class ColumnDef(NamedTuple):
    """A column in a column list. type: None if Spark's runtime for Iceberg has no such type.

    type_text: the type as written. default, generated, constraint, position: spans of those clauses.
    after_column: the column of AFTER.
    """

    name: str
    span: Offsets
    type: Type | None
    type_text: str
    type_span: Offsets
    required: bool = False
    default: Offsets | None = None
    generated: Offsets | None = None
    constraint: Offsets | None = None
    position: Offsets | None = None
    after_column: NamePath | None = None


class Property(NamedTuple):
    """A key and value of TBLPROPERTIES or OPTIONS; value: the string's content."""

    key: str
    value: str
    key_span: Offsets
    value_span: Offsets
