"""Previews, advice and health as table functions, for SQL clients.

SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)') SELECT * FROM iceberg_preview('db.t', spec =>
'days(ts)', by => 'partition')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.functions.python_table_functions import PythonArgument, PythonTableFunction, Rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_iceberg_sql.insight.preview.model import Preview

# Each imports what it needs at its first call: at install it would take a tenth of the time.

_SOURCE = PythonArgument("source", "a table's name, a query or a path")

_SUMMARY = (
    "spec string, partitions bigint, files bigint, rows bigint, bytes bigint, small_files bigint, "
    "smallest_file bigint, median_file bigint, largest_file bigint, largest_partition string, skew double, "
    "written_with string, based_on string, files_error string, bytes_error string, notes array<string>, "
    "files_per_commit array<bigint>"
)
_BY_PARTITION = "partition string, rows bigint, files bigint, bytes bigint"


def _preview(spark: SparkSession, args: Mapping[str, Any]) -> tuple[str, Rows]:
    by = args["by"]
    if by not in ("table", "partition"):
        raise IcebergSqlError(f"`by` is 'table' or 'partition', not '{by}'", argument="by")
    from spark_iceberg_sql.insight.preview import spark as preview

    result = preview.preview(spark, args["source"], args["spec"], using=args["using"], commits=args["commits"])
    if by == "table":
        return _SUMMARY, [_summary(result)]
    return _BY_PARTITION, [
        {"partition": part.partition, "rows": part.rows, "files": part.files, "bytes": part.bytes}
        for part in result.per_partition
    ]


def _summary(result: Preview) -> Mapping[str, object]:
    sizes = result.file_sizes
    return {
        "spec": result.spec,
        "partitions": result.partitions,
        "files": result.files,
        "rows": result.rows,
        "bytes": result.bytes,
        "small_files": result.small_files,
        "smallest_file": sizes[0] if sizes else None,
        "median_file": sizes[len(sizes) // 2] if sizes else None,
        "largest_file": sizes[-1] if sizes else None,
        "largest_partition": result.largest.partition if result.largest else None,
        "skew": round(result.skew, 3),
        "written_with": result.settings,
        "based_on": result.basis.words,
        "files_error": result.basis.files,
        "bytes_error": result.basis.bytes,
        "notes": list(result.notes),
        "files_per_commit": list(result.per_commit) or None,
    }


_PROPOSALS = (
    "rank int, spec string, sort_order string, is_today boolean, files bigint, bytes bigint, shuffled bigint, "
    "cost bigint, table_files bigint, middle_file bigint, ddl array<string>, rewrite string, warnings array<string>, "
    "per_query array<struct<query string, weight double, files bigint, bytes bigint, files_now bigint, "
    "bytes_now bigint>>, based_on string, notes array<string>, source string"
)


def _advise(spark: SparkSession, args: Mapping[str, Any]) -> tuple[str, Rows]:
    show = args["show"]
    if show not in ("proposals", "ruled_out"):
        raise IcebergSqlError(f"`show` is 'proposals' or 'ruled_out', not '{show}'", argument="show")
    from spark_iceberg_sql.insight.advise import spark as advise
    from spark_iceberg_sql.insight.advise.model import Advice

    source = args["source"]
    advice = advise.advise(spark, source, args["queries"], using=args["using"])
    by_source = [advice] if isinstance(advice, Advice) else advice
    if show == "ruled_out":
        rows = [{**asdict(spec), "source": of_one.source} for of_one in by_source for spec in of_one.ruled_out]
        return "spec string, reason string, cost bigint, source string", rows
    return _PROPOSALS, [
        {**asdict(proposal), "rank": rank, "based_on": of_one.basis, "notes": of_one.notes, "source": of_one.source}
        for of_one in by_source
        for rank, proposal in enumerate(of_one, 1)
    ]


_FINDINGS = (
    "problem string, detail string, files bigint, bytes bigint, call string, rewritten_files bigint, "
    "rewritten_bytes bigint, basis string, reason string, read_files_now bigint, read_bytes_now bigint, "
    "read_files bigint, read_bytes bigint"
)


def _health(spark: SparkSession, args: Mapping[str, Any]) -> tuple[str, Rows]:
    from spark_iceberg_sql.insight.health import spark as health

    return _FINDINGS, health.health(spark, args["table"], args["queries"] or None).rows()


ANSWERS: tuple[PythonTableFunction, ...] = (
    PythonTableFunction(
        "iceberg_preview",
        (
            _SOURCE,
            PythonArgument("spec", "the text for PARTITIONED BY; empty for an unpartitioned table"),
            PythonArgument("using", "data: every row is read; sample: 100,000; metadata: none", "data"),
            PythonArgument("by", "table: one row; partition: one row per partition", "table"),
            PythonArgument("commits", "in how many appends the rows arrive", 1),
        ),
        "the partitions and data files that writing a source under a partition spec would produce",
        "SELECT * FROM iceberg_preview('db.t', spec => 'days(ts), bucket(16, id)');",
        _preview,
    ),
    PythonTableFunction(
        "iceberg_advise",
        (
            PythonArgument("source", f"{_SOURCE.description}; an array of tables: weighed together", is_list=True),
            PythonArgument("queries", "an array of queries, or one script of them", is_list=True),
            PythonArgument("using", "data: a sample of the rows is read; metadata: none", "data"),
            PythonArgument(
                "show", "proposals: the best; ruled_out: the other specs, each with the reason", "proposals"
            ),
        ),
        "the partition specs that make queries read the least, best first",
        "SELECT * FROM iceberg_advise('db.t', queries => array('SELECT ...'));",
        _advise,
    ),
    PythonTableFunction(
        "iceberg_health",
        (
            PythonArgument("table", "the name of a table, or the path of its folder"),
            PythonArgument(
                "queries", "an array of queries, or one script of them; they decide what is proposed", "", True
            ),
        ),
        "what slows down a table's queries, and the statement that fixes it",
        "SELECT * FROM iceberg_health('db.t');",
        _health,
    ),
)
