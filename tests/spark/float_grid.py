"""Rows with NaN, zeros and infinities in FLOAT and DOUBLE columns, tables that hold them, and conditions on them.

The truth is Spark on the same rows in a view without Iceberg.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import inf, nan
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

TINY, LEAST = 1e-40, 4.9e-324  # numbers of a float's smallest kind, and the least double
# What each data file holds.
FILES: tuple[tuple[float | None, ...], ...] = (
    (nan,),
    (nan, 1.0, 50.0),
    (-0.0,),
    (0.0,),
    (0.0, -0.0, nan),
    (-inf, inf),
    (None,),
    (None, nan),
    (1.0, 2.5, 100.0),
    (-TINY, TINY, LEAST, -LEAST),
    (2.5, nan),
    (nan, -5.0, None),
    (2.5,),
    (-50.0, -1.0, -0.0),
    (0.0, 7.0),
    (-inf, nan),
)
COLUMNS = ("v", "w", "s.v")  # DOUBLE, FLOAT, a field of a struct
LITERALS = (
    "CAST('NaN' AS {t})",
    "-0.0{s}",
    "0.0{s}",
    "2.5{s}",
    "1.0E-40{s}",
    "-1{s}",
    "100{s}",
    "CAST('Infinity' AS {t})",
)
VIEW = "float_rows"


def create_view(spark: SparkSession) -> DataFrame:
    """The rows, without Iceberg."""
    rows = [(k, f, v) for k, (f, v) in enumerate((f, v) for f, file in enumerate(FILES) for v in file)]
    spark.createDataFrame(rows, "k INT, f INT, v DOUBLE").createOrReplaceTempView("float_values")
    text = "SELECT k, f, v, CAST(v AS FLOAT) AS w, IF(k % 7 = 3 AND v IS NULL, NULL, named_struct('v', v)) AS s"
    frame = spark.sql(f"{text} FROM float_values")
    frame.createOrReplaceTempView(VIEW)
    return frame


# Parquet with Bloom filters, and with so many copies of each row that the values are in dictionaries as well.
BLOOM, DICTIONARY = "bloom", "dictionary"
COPIES = 40


def create_table(spark: SparkSession, name: str, form: str, metrics: str, partitioning: str = "f") -> None:
    """The same rows in a table of Iceberg, each file of FILES in one data file.

    form: of files, or BLOOM or DICTIONARY.
    """
    filtered = form in (BLOOM, DICTIONARY)
    properties = {
        "write.format.default": "parquet" if filtered else form,
        "write.metadata.metrics.default": metrics,
        **{f"write.parquet.bloom-filter-enabled.column.{c}": "true" for c in COLUMNS if filtered},
        # The default is a megabyte for each column of each of so many files.
        **({"write.parquet.bloom-filter-max-bytes": "1024"} if filtered else {}),
    }
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark.sql(
        f"CREATE TABLE {name} (k INT, f INT, v DOUBLE, w FLOAT, s STRUCT<v: DOUBLE>) USING iceberg "
        f"PARTITIONED BY ({partitioning}) TBLPROPERTIES ({listed})"
    )
    copies = f" CROSS JOIN range({COPIES})" if form == DICTIONARY else ""
    spark.sql(f"INSERT INTO {name} SELECT {VIEW}.* FROM {VIEW}{copies}")


def conditions() -> Iterator[str]:
    """Conditions on `{c}`, a column of type `{t}`, whose literals end in `{s}`."""
    nan_, minus, zero, some, tiny, below, above, infinity = LITERALS
    for operator, literal in product(("=", "<>", "<", "<=", ">", ">=", "<=>"), LITERALS):
        yield f"{{c}} {operator} {literal}"
        yield f"NOT {{c}} {operator} {literal} OR k = 1"
        yield f"{literal} {operator} {{c}} AND k <> 3"
    for low, high in ((minus, zero), (zero, minus), (below, above), (minus, nan_), (zero, infinity), (tiny, some)):
        yield f"{{c}} BETWEEN {low} AND {high}"
        yield f"{{c}} NOT BETWEEN {low} AND {high}"
        yield f"{{c}} > {low} AND NOT ({{c}} >= {high} OR {{c}} = {some})"
        yield f"({{c}} > {low} OR k = 2) AND ({{c}} > {high} OR {{c}} = {nan_})"
    many = ", ".join(f"{n}.5{{s}}" for n in range(12))
    for items in (
        zero,
        minus,
        nan_,
        f"{nan_}, {some}",
        f"{zero}, {some}",
        f"{minus}, {nan_}",
        f"{some}, {above}",
        f"{some}, NULL",
        f"{zero}, {nan_}, NULL",
        many,
        f"{many}, {minus}",
        f"{many}, {nan_}, {zero}, NULL",
    ):
        yield f"{{c}} IN ({items})"
        yield f"{{c}} NOT IN ({items})"
        yield f"NOT ({{c}} IN ({items}) AND k < 20)"
        yield f"{{c}} NOT IN ({items}) OR {{c}} > {above}"
    yield from (
        "{c} IS NULL",
        "{c} IS NOT NULL",
        "isnan({c})",
        "NOT isnan({c})",
        "{c} IS NULL OR {c} > " + some,
        "{c} <=> NULL OR {c} <=> " + zero,
        "NOT ({c} <=> " + nan_ + ") AND NOT ({c} <=> " + minus + ")",
        "CAST({c} AS DOUBLE) > 0.1D",
        "CAST({c} AS DOUBLE) >= 1e300D",
        "CAST({c} AS DOUBLE) <= 2.5D AND {c} > -1",
        "CAST({c} AS DOUBLE) = 0.0D",
        "CAST({c} AS DOUBLE) <=> -0.0D",
        "CAST({c} AS DOUBLE) IN (0, 2.5D, 100)",
        "{c} > 0",
        "{c} = 0",
        "{c} <> 0",
        "{c} >= 0 AND {c} < 3",
        "try_cast({c} AS INT) = 0",
        "CAST({c} AS STRING) = '-0.0'",
        "{c} > {c} - 1",
        "{c} + 0.0{s} = 0",
        "{c} = 0.0{s} AND {c} > -1",
        "coalesce({c}, 0) = 0",
        "({c} > 1 AND {c} > 2) OR {c} = " + nan_,
        "NOT ({c} < 2.5{s} AND {c} <> " + nan_ + ")",
        "IF({c} > 2, k > 5, {c} = 0)",
    )


def condition(template: str, column: str) -> str:
    """A condition on a column of COLUMNS."""
    is_float = column == "w"
    return template.format(c=column, t="FLOAT" if is_float else "DOUBLE", s="F" if is_float else "D")


def truth(spark: SparkSession, templates: list[str], column: str) -> list[list[int]]:
    """The keys of the rows for which each condition is true."""
    flags = ", ".join(f"({condition(t, column)}) AS c{i}" for i, t in enumerate(templates))
    rows = spark.sql(f"SELECT k, {flags} FROM {VIEW}").collect()
    return [sorted(row.k for row in rows if row[i + 1]) for i in range(len(templates))]


def selected(spark: SparkSession, table: str, templates: list[str], column: str, at_once: int = 40) -> list[list[int]]:
    """The same of a table, by its scans: many in one query."""
    result: list[list[int]] = []
    for start in range(0, len(templates), at_once):
        chunk = templates[start : start + at_once]
        queries = (f"SELECT {i} AS i, k FROM {table} WHERE {condition(t, column)}" for i, t in enumerate(chunk))
        rows = spark.sql(" UNION ALL ".join(queries)).collect()
        result += [sorted(row.k for row in rows if row.i == i) for i in range(len(chunk))]
    return [once(keys, table) for keys in result]


def once(keys: list[int], table: str) -> list[int]:
    """Each of the sorted keys once, of a table that has COPIES of them."""
    return keys[::COPIES] if DICTIONARY in table else keys


def pyiceberg_table(spark: SparkSession, folder: Path) -> str:
    """The same rows in a table that pyiceberg has written, with bounds of its making; how a query names it."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    tables = _arrow_tables(spark)
    table = catalog.create_table("n.t", schema=tables[0].schema)
    for rows in tables:
        table.append(rows)
    return f"iceberg('{table.location().removeprefix('file://')}')"


def _arrow_tables(spark: SparkSession) -> list[pa.Table]:
    """The rows of each of FILES."""
    frame = spark.sql(f"SELECT * FROM {VIEW}").collect()
    kinds = [("k", pa.int32()), ("f", pa.int32()), ("v", pa.float64()), ("w", pa.float32())]
    schema = pa.schema([*kinds, ("s", pa.struct([("v", pa.float64())]))])
    by_file = (
        [{**row.asDict(), "s": row.s and row.s.asDict()} for row in frame if row.f == f] for f in range(len(FILES))
    )
    return [pa.Table.from_pylist(rows, schema) for rows in by_file]


def import_table(spark: SparkSession, name: str, folder: Path, writer: str = "arrow") -> None:
    """The same rows in a table of imported files, which have bounds and no counts of NaN.

    writer: what writes the files: arrow, duckdb, polars.
    """
    for f, table in enumerate(_arrow_tables(spark)):
        path = str(folder / f"{f}.parquet")
        if writer == "arrow":
            pq.write_table(table, path, row_group_size=2)
        elif writer == "duckdb":
            import duckdb

            duckdb.from_arrow(table).write_parquet(path)
        else:
            import polars

            polars.DataFrame(polars.from_arrow(table)).write_parquet(path)
    spark.sql(f"CREATE TABLE {name} (k INT, f INT, v DOUBLE, w FLOAT, s STRUCT<v: DOUBLE>) USING iceberg")
    listed = name.removeprefix("local.")
    spark.sql(f"CALL local.system.add_files(table => '{listed}', source_table => '`parquet`.`{folder}`')")
