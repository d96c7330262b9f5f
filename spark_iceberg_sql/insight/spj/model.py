"""The report on the joins, groups and windows of a query: without a shuffle, by which partition fields, or why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.safe_output import join_visible


@dataclass(frozen=True, slots=True)
class Operator:
    """One join, group or window.

    kind: which of them. keys: as SQL. tables: those that have the keys. fields: the partition fields by which their
    rows are grouped without a shuffle; None if they are not. is_shuffled: whether a shuffle is needed. is_broadcast:
    one side of a join is broadcast. bytes: of the rows that a shuffle moves, or would move, about. why: the reason that
    the rows are not grouped. statement: with which they would be; None if there is none.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("happens",)
    kind: str
    keys: str
    tables: tuple[str, ...]
    fields: str | None
    is_shuffled: bool
    is_broadcast: bool
    bytes: int
    why: str | None = None
    statement: str | None = None

    @property
    def happens(self) -> bool:
        """True if rows come together as the tables are partitioned: none is shuffled or broadcast."""
        return self.fields is not None

    def __str__(self) -> str:
        name = f"{self.kind} {'on' if self.kind == 'join' else 'by'} {self.keys or 'no key'}"
        tables = " and ".join(self.tables)
        if self.happens:
            verb = "is" if len(self.tables) == 1 else "are"
            return f"{name}: no shuffle: {tables} {verb} grouped by {self.fields}; {size(self.bytes)} are not shuffled"
        if not self.is_shuffled:
            return f"{name}: no shuffle of {tables}: {self.why}"
        return f"{name}: {tables}: {size(self.bytes)} are shuffled, since {self.why}"


@dataclass(frozen=True, slots=True, repr=False)
class ShuffleReport(Result):
    """The joins, groups and windows of a query, in the order in which they run.

    note: why nothing is known of them; None if it is.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("happens",)
    operators: tuple[Operator, ...]
    note: str | None = None

    @property
    def happens(self) -> bool:
        """True if none of them needs a shuffle or a broadcast."""
        return bool(self.operators) and all(operator.happens for operator in self.operators)

    def rows(self) -> Iterator[tuple[str | int | None, ...]]:
        """One row for each."""
        for operator in self.operators:
            answer = "broadcast" if operator.is_broadcast else "yes" if operator.happens else "no"
            yield (
                operator.kind,
                operator.keys,
                ", ".join(operator.tables),
                answer,
                operator.fields,
                operator.bytes,
                operator.why,
                operator.statement,
            )

    def __str__(self) -> str:
        return join_visible(self._lines()) or self._nothing

    @property
    def _nothing(self) -> str:
        return self.note or "the query has no join, group or window"

    def _repr_html_(self) -> str:
        """The operators as a table, under what to do."""
        if not self.operators:
            return markup.box(f"<p>{markup.html_text(self._nothing)}</p>")
        grouped = sum(operator.happens for operator in self.operators)
        statements = dict.fromkeys(operator.statement for operator in self.operators if operator.statement)
        rows = [[markup.html_text(part) for part in _parts(operator)] for operator in self.operators]
        return markup.box(
            f"<p>{grouped:,} of {plural(len(self.operators), 'join, group or window', 'joins, groups and windows')}"
            " read their tables without a shuffle</p>",
            f"<pre>{html(chr(10).join(f'{text};' for text in statements))}</pre>" if statements else "",
            markup.table(["", "keys", "tables", "shuffle", "bytes", "why"], rows),
        )

    def _lines(self) -> Iterator[str]:
        for operator in self.operators:
            yield str(operator)
            if operator.statement is not None:
                yield f"  {operator.statement}"


def _parts(operator: Operator) -> tuple[str, ...]:
    if operator.happens:
        shuffle = f"none: grouped by {operator.fields}"
    else:
        shuffle = "yes" if operator.is_shuffled else "none"
    tables = " and ".join(operator.tables)
    return (operator.kind, operator.keys, tables, shuffle, size(operator.bytes), operator.why or "")
