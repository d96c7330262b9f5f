"""The previews as table functions, for SQL clients.

SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)')
SELECT * FROM iceberg_preview('db.t', spec => 'days(ts)', by => 'partition')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.preview import Preview
from spark_iceberg_sql.spark.bridge.answers import Answer, Argument
from spark_iceberg_sql.spark.insight import advise, preview

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = tuple[str, Iterable[Mapping[str, object]]]

_SOURCE = Argument("source", "a table's name, a query or a path")

_SUMMARY = (
    "spec string, partitions bigint, files bigint, rows bigint, bytes bigint, small_files bigint, "
    "smallest_file bigint, median_file bigint, largest_file bigint, largest_partition string, skew double, "
    "written_with string, based_on string, files_error string, bytes_error string, notes array<string>, "
    "files_per_commit array<bigint>"
)
_BY_PARTITION = "partition string, rows bigint, files bigint, bytes bigint"


def _preview(spark: SparkSession, given: Mapping[str, Any]) -> Rows:
    by = given["by"]
    if by not in ("table", "partition"):
        raise IcebergSqlError(f"`by` is 'table' or 'partition', not '{by}'", argument="by")
    found = preview.preview(
        spark,
        given["source"],
        given["spec"],
        using=given["using"],
        commits=given["commits"],
    )
    if by == "table":
        return _SUMMARY, [_summary(found)]
    parts = found.per_partition
    return _BY_PARTITION, [
        {"partition": p.partition, "rows": p.rows, "files": p.files, "bytes": p.bytes}
        for p in parts
    ]


def _summary(found: Preview) -> Mapping[str, object]:
    sizes = found.file_sizes
    largest = found.largest
    return {
        "spec": found.spec,
        "partitions": found.partitions,
        "files": found.files,
        "rows": found.rows,
        "bytes": found.bytes,
        "small_files": found.small_files,
        "smallest_file": sizes[0] if sizes else None,
        "median_file": sizes[len(sizes) // 2] if sizes else None,
        "largest_file": sizes[-1] if sizes else None,
        "largest_partition": largest.partition if largest else None,
        "skew": round(found.skew, 3),
        "written_with": found.settings,
        "based_on": found.basis.words,
        "files_error": found.basis.files,
        "bytes_error": found.basis.bytes,
        "notes": list(found.notes),
        "files_per_commit": list(found.per_commit) or None,
    }


_PROPOSALS = (
    "rank int, spec string, is_today boolean, files bigint, bytes bigint, cost bigint, table_files bigint, "
    "middle_file bigint, ddl array<string>, rewrite string, warnings array<string>, per_query "
    "array<struct<query string, weight double, files bigint, bytes bigint, files_now bigint, bytes_now bigint>>, "
    "based_on string, notes array<string>"
)


def _advise(spark: SparkSession, given: Mapping[str, Any]) -> Rows:
    found = advise.advise(spark, given["source"], given["queries"], using=given["using"])
    return _PROPOSALS, [
        {
            **asdict(proposal),
            "rank": rank,
            "based_on": found.basis,
            "notes": found.notes,
        }
        for rank, proposal in enumerate(found, 1)
    ]


ANSWERS: tuple[Answer, ...] = (
    Answer(
        "iceberg_preview",
        (
            _SOURCE,
            Argument("spec", "the text for PARTITIONED BY; empty for an unpartitioned table"),
            Argument("using", "data: every row is read; sample: 100,000; metadata: none", "data"),
            Argument("by", "table: one row; partition: one row per partition", "table"),
            Argument("commits", "in how many appends the rows arrive", 1),
        ),
        "the partitions and data files that writing a source under a partition spec would produce",
        "SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)');",
        _preview,
    ),
    Answer(
        "iceberg_advise",
        (
            _SOURCE,
            Argument("queries", "an array of queries, or one script of them", is_list=True),
            Argument("using", "data: a sample of the rows is read; metadata: none", "data"),
        ),
        "the partition specs that make queries read the least, best first",
        "SELECT * FROM iceberg_advise('db.t', queries => array('SELECT ...'));",
        _advise,
    ),
)
