"""Advice for several tables of one workload: which of them need no shuffle together, and the proposals for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.advise.model import Advice
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.safe_output import join_visible


@dataclass(frozen=True, slots=True)
class Together:
    """Tables whose joins or groups need no shuffle, once they are partitioned as proposed.

    tables: their names. fields: the partition field of each by which rows are grouped. bytes: that the workload then
    does not shuffle.
    """

    tables: tuple[str, ...]
    fields: tuple[str, ...]
    bytes: int

    def __str__(self) -> str:
        names = [f"{table} by {field}" for table, field in zip(self.tables, self.fields, strict=True)]
        return f"no shuffle of {size(self.bytes)}: {' and '.join(names)}"


class TablesAdvice(Result, list[Advice]):
    """The advice for each table, in the order in which they were given.

    together: the tables that are joined or grouped without a shuffle, those that save most first. shuffled,
    shuffled_now: the bytes that the workload shuffles of the tables, about, with the best proposals and today.
    """

    JSON_PROPERTIES: ClassVar[tuple[str, ...]] = ("shuffled", "shuffled_now", "together", "advice")
    together: tuple[Together, ...]
    shuffled: int
    shuffled_now: int

    def __init__(
        self, advice: Iterable[Advice], *, together: tuple[Together, ...], shuffled: int, shuffled_now: int
    ) -> None:
        super().__init__(advice)
        self.together = together
        self.shuffled = shuffled
        self.shuffled_now = shuffled_now

    @property
    def advice(self) -> list[Advice]:
        """The advice for each table."""
        return list(self)

    @property
    def headline(self) -> str:
        """What changes for all tables, as a sentence with the figures."""
        tables = plural(len(self), "table")
        return f"{tables}: the queries shuffle {size(self.shuffled)} instead of {size(self.shuffled_now)}"

    def __str__(self) -> str:
        together = join_visible([self.headline, *(f"  {tables}" for tables in self.together)])
        return "\n".join([together, *map(str, self)])

    def _repr_html_(self) -> str:
        """The advice for each table as HTML, under what they save together."""
        lines = "".join(f"<div>{markup.html_text(str(tables))}</div>" for tables in self.together)
        return markup.box(f"<p>{markup.html_text(self.headline)}</p>", lines) + "".join(
            advice._repr_html_() for advice in self
        )
