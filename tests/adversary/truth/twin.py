"""The copy of a table's rows outside Iceberg: Parquet files written by Arrow, read by Spark without push-down."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from adversary import arrow
from adversary.truth.columns import Column, array, plain

if TYPE_CHECKING:
    from adversary.harness import Harness

# Spark's own readers skip nothing of the copy, and rewrite no old date.
UNFILTERED = {
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.parquet.aggregatePushdown": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
_numbers = itertools.count()


class Copies:
    """A folder of Parquet files, each behind a temporary view."""

    def __init__(self, harness: Harness, folder: Path) -> None:
        self.harness = harness
        self.folder = folder

    def write(self, rows: pa.Table) -> str:
        """The name of a view of these rows."""
        name = f"twin{next(_numbers)}"
        pq.write_table(rows, self.folder / f"{name}.parquet")
        columns = ", ".join(f"`{f.name}` {_ddl(f.type)}" for f in rows.schema)
        self.harness.spark.read.schema(columns).parquet(str(self.folder / f"{name}.parquet")).createOrReplaceTempView(
            name
        )
        return name

    def path(self, view: str) -> Path:
        return self.folder / f"{view}.parquet"

    def drop(self, view: str) -> None:
        self.harness.spark.catalog.dropTempView(view)
        self.path(view).unlink(missing_ok=True)

    def select(self, query: str, columns: Sequence[Column]) -> pa.Table:
        """The rows of a query over copies, evaluated without a rule of this package."""
        with self.harness.off():
            rows = arrow.table(self.harness.sql(query))
        return typed(rows, columns)


def _ddl(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{f.name}: {_ddl(f.type)}' for f in kind)}>"
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    names = {"int32": "int", "int64": "bigint", "int16": "smallint", "int8": "tinyint", "bool": "boolean"}
    return {**names, "date32[day]": "date"}.get(str(kind), str(kind))


def typed(rows: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """The same rows with exactly the Arrow types of the columns."""
    return pa.table({c.name: rows.column(c.name).cast(c.arrow()) for c in columns})


def from_values(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.table({c.name: array(c, [row[c.name] for row in rows]) for c in columns})


def values(columns: Sequence[Column], rows: pa.Table) -> list[dict[str, Any]]:
    """Rows as Python's values, which `literal` can write."""
    cells = [plain(c, rows.column(c.name)) for c in columns]
    return [dict(zip([c.name for c in columns], row, strict=True)) for row in zip(*cells, strict=True)]


def multiset(columns: Sequence[Column], rows: pa.Table) -> Counter[tuple[str, ...]]:
    """The rows as text, each with its number; every bit counts, but all NaN are one."""
    cells = [[repr(v) for v in plain(c, rows.column(c.name))] for c in columns]
    return Counter(zip(*cells, strict=True))
