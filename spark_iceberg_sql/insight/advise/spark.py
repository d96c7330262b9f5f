"""advise(spark, source, queries): the specs that make a workload read the least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.model import Advice
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.hypothetical.spark_source import naming_argument, refuse_property, resolve_source
from spark_iceberg_sql.insight.preview.spark_estimates import no_metadata_message
from spark_iceberg_sql.insight.workload import Query, workload
from spark_iceberg_sql.spark.bridge.io import event_logs
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans.hypothetical_plans import parse_error
from spark_iceberg_sql.spark.gate import read_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

USING = ("data", "metadata")
SAMPLE_ROWS = 20_000


def advise(
    spark: SparkSession,
    source: Any,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> Advice:
    """The partition specs that make queries read the least, best first; the table is never changed.

    source: as for `preview`. queries: SQL texts, pairs of a text and a weight, or paths: of a .sql file, of an event
    log of Spark, or of a folder of them. They refer to the table by its name, to a DataFrame, a query or a path by the
    name `source`. using: `data` reads a sample of the rows; `metadata` reads no row, only the counts and bounds of an
    Iceberg table's files. sample: about how many rows to sample. properties: table properties that override the source
    table's.

    A spec whose median file would be smaller than a 16th of the target file size, or than 32 MB if that is less, is not
    proposed. The cost of a proposal is the bytes that the queries read, plus read.split.open-file-cost per file, plus
    twice the bytes that they shuffle.

    Raises IcebergSqlError if the source cannot be read, if no query reads it, or if the sample has no row.
    """
    with searching(spark, source, queries, using=using, sample=sample, properties=properties) as search:
        return search.result()


def _require_query(spark: SparkSession, statements: Sequence[Query]) -> None:
    """Raise IcebergSqlError if none of the statements is a query, with the parser's errors."""
    if any(statement.write_keyword is None for statement in statements):
        return
    errors = [
        f"statement {statement.number} cannot be parsed: {reason}"
        for statement in statements
        if statement.write_keyword == "" and (reason := parse_error(spark, statement.text)) is not None
    ]
    raise IcebergSqlError(
        "no query to advise for", help=errors or "give the SELECT statements that read the table, or a file of them"
    )


@contextmanager
def searching(
    spark: SparkSession,
    source: Any,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> Iterator[AdviceSearch]:
    """A search for advice, with its progress shown and its errors named; otherwise like `advise`."""
    if using not in USING:
        raise IcebergSqlError(f"using must be one of {', '.join(USING)}, not `{using}`", argument="using")
    if not isinstance(sample, int) or sample < 1:
        raise IcebergSqlError(f"sample must be at least 1 row, not {sample}", argument="sample")
    with naming_argument("queries"), TemporaryDirectory() as folder:
        weighted_queries = workload(queries, lambda file: event_logs.plain_copy(file, Path(folder)), writing=True)
        _require_query(spark, weighted_queries)
    resolved_source = resolve_source(spark, source, properties)
    if using == "metadata" and resolved_source.table is None:
        raise IcebergSqlError(no_metadata_message(resolved_source), argument="using")
    try:
        with sessions.working_in(spark), spark_progress.show_progress(spark, f"advice for {resolved_source.title}"):
            yield AdviceSearch(spark, resolved_source, weighted_queries, sample, using)
    except JVM_ERRORS as error:
        refuse_property(message(error), resolved_source.properties)
        raise read_errors.read_failure(error, f"no advice for {resolved_source.title}", resolved_source.frame) from None
