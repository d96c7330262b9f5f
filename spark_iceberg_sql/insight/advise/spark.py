"""advise(spark, source, queries): the specs that make a workload read the least."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, overload

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.joint.joint_model import TablesAdvice
from spark_iceberg_sql.insight.advise.joint.spark_joint import JointSearch
from spark_iceberg_sql.insight.advise.model import Advice
from spark_iceberg_sql.insight.advise.spark_search import STEPS, AdviceSearch
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, naming_argument, refuse_property, resolve_source
from spark_iceberg_sql.insight.preview.spark_estimates import no_metadata_message
from spark_iceberg_sql.insight.workload import Query, workload
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.spark.bridge.io import event_logs
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans.hypothetical_plans import parse_error
from spark_iceberg_sql.spark.gate import read_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

USING = ("data", "metadata")
SAMPLE_ROWS = 20_000


@overload
def advise(
    spark: SparkSession,
    source: list[str] | tuple[str, ...],
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> TablesAdvice: ...
@overload
def advise(
    spark: SparkSession,
    source: Any,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> Advice: ...
def advise(
    spark: SparkSession,
    source: Any,
    queries: str | Iterable[str | tuple[str, float]],
    *,
    using: str = "data",
    sample: int = SAMPLE_ROWS,
    properties: Mapping[str, str] | None = None,
) -> Advice | TablesAdvice:
    """The partition specs that make queries read the least, best first; the table is never changed.

    source: as for `preview`, or a list of tables: those that are joined are then weighed together, so that they get the
    same buckets where all queries gain by them. queries: SQL texts, pairs of a text and a weight, or paths: of a .sql
    file, of an event log of Spark, or of a folder of them. They refer to a table by its name, to a DataFrame, a query
    or a path by the name `source`. using: `data` reads a sample of the rows; `metadata` reads no row, only the counts
    and bounds of an Iceberg table's files. sample: about how many rows to sample. properties: table properties that
    override the source table's.

    A spec whose median file would be smaller than a 16th of the target file size, or than 32 MB if that is less, is not
    proposed. The cost of a proposal is the bytes that the queries read, plus read.split.open-file-cost per file, plus
    twice the bytes that they shuffle.

    Raises IcebergSqlError if a source cannot be read, if no query reads it, or if the sample has no row.
    """
    if isinstance(source, (list, tuple)):
        return _advise_tables(spark, source, queries, using, sample, properties)
    with searching(spark, source, queries, using=using, sample=sample, properties=properties) as search:
        return search.result()


def _advise_tables(
    spark: SparkSession,
    names: Sequence[Any],
    queries: str | Iterable[str | tuple[str, float]],
    using: str,
    sample: int,
    properties: Mapping[str, str] | None,
) -> TablesAdvice:
    if not names:
        raise IcebergSqlError("the list of tables is empty", argument="source", help="name those that are joined")
    weighted_queries = _queries(spark, queries, using, sample)
    sources = [resolve_source(spark, name, properties) for name in names]
    tables = [source.table for source in sources]
    for source in sources:
        if source.table is None:
            raise IcebergSqlError(f"{source.title} is not a table in a catalog", help="ask for it alone")
    if len(set(tables)) < len(tables):
        raise IcebergSqlError("a list of tables names each of them once", argument="source")
    title = " and ".join(source.title for source in sources)
    with _reporting(spark, title, sources):
        return JointSearch(spark, sources, weighted_queries, sample, using).result()


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
    weighted_queries = _queries(spark, queries, using, sample)
    resolved_source = resolve_source(spark, source, properties)
    if using == "metadata" and resolved_source.table is None:
        raise IcebergSqlError(no_metadata_message(resolved_source), argument="using")
    with _reporting(spark, resolved_source.title, [resolved_source]):
        yield AdviceSearch(spark, resolved_source, weighted_queries, sample, using)


def _queries(
    spark: SparkSession, queries: str | Iterable[str | tuple[str, float]], using: str, sample: int
) -> tuple[Query, ...]:
    """The workload. Raises IcebergSqlError if an argument is wrong."""
    if using not in USING:
        raise IcebergSqlError(f"using must be one of {', '.join(USING)}, not `{using}`", argument="using")
    if not isinstance(sample, int) or sample < 1:
        raise IcebergSqlError(f"sample must be at least 1 row, not {sample}", argument="sample")
    with naming_argument("queries"), TemporaryDirectory() as folder:
        weighted_queries = workload(queries, lambda file: event_logs.plain_copy(file, Path(folder)), writing=True)
        _require_query(spark, weighted_queries)
    return weighted_queries


@contextmanager
def _reporting(spark: SparkSession, title: str, sources: Sequence[Source]) -> Iterator[None]:
    """Show the progress of a search over sources, and name its errors. title: of all of them."""
    try:
        described = f"advice for {title if len(sources) == 1 else plural(len(sources), 'table')}"
        steps = STEPS * len(sources) + any(source.table is not None for source in sources)
        with sessions.working_in(spark), spark_progress.show_progress(spark, described, steps):
            yield
    except JVM_ERRORS as error:
        for source in sources:
            refuse_property(message(error), source.properties)
        raise read_errors.read_failure(error, f"no advice for {title}", sources[0].frame) from None
