"""from_hive(spark, table): the partitions of a Hive table checked against its rows, and the reads of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.advise.spark import SAMPLE_ROWS
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.from_hive.hive_ddl import HiveTable
from spark_iceberg_sql.insight.from_hive.hive_move import (
    derivation_over,
    kept_statements,
    non_queries_of,
    open_questions,
    partition_formats,
    planned_move,
    workload_of,
)
from spark_iceberg_sql.insight.from_hive.hive_partitions import HiveColumn, PartitionDerivation, possible_derivations
from spark_iceberg_sql.insight.from_hive.hive_statements import changes_namespace
from spark_iceberg_sql.insight.from_hive.hive_zones import fitting_zones, refuse_unknown, zone_of
from spark_iceberg_sql.insight.from_hive.model import FromHive, HiveQuery
from spark_iceberg_sql.insight.hypothetical.spark_source import resolve_source
from spark_iceberg_sql.insight.specs import candidate_spec
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, plan_leaves, relations
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.optimizer import bounds
from spark_iceberg_sql.syntax.identifiers import dotted, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_QUARTER_HOUR = 900  # seconds; the offsets of time zones are multiples of it
_ZONE_ROWS = 2000
_SHOWN_ZONES = 4
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


def from_hive(
    spark: SparkSession,
    table: str,
    queries: Iterable[str | tuple[str, float]] | str = (),
    *,
    column: str | None = None,
    zone: str = "UTC",
    catalog: str = "local",
) -> FromHive:
    """The move of a table in Spark's own catalog; see `spark_iceberg_sql.from_hive`."""
    refuse_unknown(zone)
    queries = queries if isinstance(queries, str) else list(queries)
    with sessions.working_in(spark):
        return _plan_move(spark, table, queries, column, zone, catalog)


def _plan_move(
    spark: SparkSession,
    table: str,
    queries: list[str | tuple[str, float]] | str,
    column: str | None,
    zone: str,
    catalog: str,
) -> FromHive:
    run_sql = intercept.unchecked_sql(spark)
    other_statements = non_queries_of(queries)
    try:
        parts = relations.name_parts(spark, table)
        if catalog_entries.is_temporary_view(spark, parts):
            raise IcebergSqlError(f"`{table}` is a view, and views have no partitions")
        name = tuple(relations.full_name(dotted(parts)))
        hive_table = replace(_table(spark, name), spellings=_spellings(spark, name))
        query_list = workload_of(queries)
        formats, unknown_formats = partition_formats(hive_table, query_list, _values(spark, hive_table))
        unsure = [f"`{item}`: {reason}" for item, reason in unknown_formats.items()]
        session_zone = spark.conf.get("spark.sql.session.timeZone") or "UTC"
        zones = [zone, *([session_zone] if zone_of(session_zone) is not None else ())]
        derivations = list(possible_derivations(formats, hive_table.data_columns, zones))
        if column is not None:
            source = derivation_over(hive_table, derivations, column, unsure).source
            derivations = [item for item in derivations if item.source == source]
        derivation = _verified_derivation(spark, hive_table, derivations, unsure)
        # After USE, or where a view hides it, shorter names may mean other tables.
        if any(changes_namespace(item, name[-1]) for item in other_statements):
            hive_table = replace(hive_table, spellings=(tuple(part.lower() for part in name),))
        hive_table = replace(hive_table, name=name[1:])
        result = planned_move(hive_table, derivation, unsure, query_list, catalog)
        current_reads = [_reads_now(run_sql, query, ".".join(name[1:]).lower()) for query in query_list]
        future_reads = _reads_after(spark, table, result, query_list) if derivation is not None else {}
    except JVM_ERRORS as error:
        raise read_errors.read_failure(error, f"`{table}` cannot be read") from None
    measured = [
        _with_reads(item, current, future_reads.get(item.rewritten or item.text))
        for item, current in zip(result.queries, current_reads, strict=True)
    ]
    return replace(result, queries=(*measured, *kept_statements(other_statements, hive_table, derivation)))


def _table(spark: SparkSession, name: tuple[str, ...]) -> HiveTable:
    described = {
        row.col_name.strip(): row.data_type for row in spark.sql(f"DESCRIBE EXTENDED {dotted(name)}").collect()
    }
    provider = (described.get("Provider") or "").lower()
    if provider == "iceberg" or name[0] != "spark_catalog":
        raise IcebergSqlError(
            f"{'.'.join(name)} is not a Hive table", help="sis.advise(...) compares the specs of an Iceberg table"
        )
    if provider == "hive":
        serde = (described.get("Serde Library") or "").lower()
        provider = next((file_format for file_format in ("parquet", "orc", "avro") if file_format in serde), "")
    columns = [
        (HiveColumn(column.name, column.dataType.lower()), column.isPartition)
        for column in spark.catalog.listColumns(dotted(name))
    ]
    partition_columns = tuple(column for column, is_partition in columns if is_partition)
    if not partition_columns:
        raise IcebergSqlError(f"{'.'.join(name)} has no partition columns")
    data_columns = tuple(column for column, is_partition in columns if not is_partition)
    time_units = (
        bounds.foreign_time_units(spark.table(dotted(name)).inputFiles())
        if provider == "parquet" and any("timestamp" in column.type for column in data_columns)
        else frozenset()
    )
    return HiveTable(
        name, (*data_columns, *partition_columns), partition_columns, provider or None, time_units=time_units
    )


def _spellings(spark: SparkSession, name: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The names by which queries of this session read the table, in lower case."""
    full_name = tuple(part.lower() for part in name)
    try:
        catalog, namespace = catalog_entries.current_namespace(spark)
    except catalog_entries.CatalogUnavailableError:
        return (full_name,)
    if catalog != name[0]:
        return (full_name,)
    is_current = tuple(part.lower() for part in namespace) == full_name[1:-1]
    allows_base_name = is_current and not catalog_entries.is_temporary_view(spark, full_name[-1:])
    return (full_name[1:], full_name, *((full_name[-1:],) if allows_base_name else ()))


def _values(spark: SparkSession, table: HiveTable) -> dict[str, set[str]]:
    """The partition values, from the catalog alone."""
    values_by_column: dict[str, set[str]] = {column.name.lower(): set() for column in table.partition_columns}
    for row in spark.sql(f"SHOW PARTITIONS {dotted(table.name)}").collect():
        for part in row.partition.split("/"):
            name, _, value = part.partition("=")
            if value != _NULL_PARTITION:
                values_by_column[unquote(name).lower()].add(unquote(value))
    return values_by_column


def _verified_derivation(
    spark: SparkSession, table: HiveTable, derivations: Sequence[PartitionDerivation], unsure: list[str]
) -> PartitionDerivation | None:
    """The only derivation that no row contradicts, by one pass over the columns.

    unsure: the list to which open questions are added.
    """
    if not derivations:
        return None
    sums = [
        fn.count_if(fn.expr(derivation.mismatch_condition())).alias(f"r{i}") for i, derivation in enumerate(derivations)
    ]
    (row,) = spark.table(dotted(table.name)).agg(fn.count("*").alias("rows"), *sums).collect()
    if not row["rows"]:
        unsure += ["the table has no rows, so nothing can be checked", *open_questions(table, derivations)]
        return None
    matching = [derivation for i, derivation in enumerate(derivations) if not row[f"r{i}"]]
    sources = {derivation.source for derivation in matching}
    if len(sources) > 1:
        names = " and ".join(sorted(f"`{derivation.name}`" for derivation in sources))
        unsure.append(
            f"{', '.join(f'`{name}`' for name in matching[0].columns)}: {names} determine it on every row; "
            "name the one that it is derived from with column => '...'"
        )
        return None
    if not matching:
        for i, derivation in enumerate(derivations):
            unsure.append(
                f"{derivation.description}, but not in {row[f'r{i}']:,} of {row['rows']:,} rows"
                + _zone_remedy(spark, table, derivation)
            )
        return None
    return replace(matching[0], basis=f"{matching[0].description}: checked on all {row['rows']:,} rows")


def _wall_time(seconds: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(seconds, zone).replace(tzinfo=None)


def _zone_remedy(spark: SparkSession, table: HiveTable, derivation: PartitionDerivation) -> str:
    """The zones in which a derivation seems to be true, as the end of a sentence; empty if it has no zone or fits none.

    Some of the table's rows decide: with `zone`, all are checked.
    """
    if not derivation.zone:
        return ""
    quarter = f"CAST(floor(unix_seconds({quoted(derivation.source.name)}) / {_QUARTER_HOUR}) AS BIGINT)"
    texts = [f"CAST({quoted(name)} AS STRING)" for name in derivation.columns]
    rows = spark.table(dotted(table.name)).selectExpr(*texts, quarter).distinct().limit(_ZONE_ROWS).collect()
    pairs = [(row[:-1], row[-1] * _QUARTER_HOUR) for row in rows if None not in row]

    def is_fit(zone: tzinfo) -> bool:
        try:
            return all(derivation.matches(texts, _wall_time(at, zone)) for texts, at in pairs)
        except (OverflowError, ValueError):  # years that Python does not have
            return False

    zones = fitting_zones(is_fit) if pairs else []
    if not zones:
        return ""
    more = f" or {len(zones) - _SHOWN_ZONES} others" if len(zones) > _SHOWN_ZONES else ""
    return f"; it seems to be so in {', '.join(zones[:_SHOWN_ZONES])}{more}: give the right one with zone => '...'"


def _reads_now(run_sql: Callable[..., DataFrame], query: Query, name: str) -> tuple[int, int] | None:
    """The files and bytes that a query reads of the Hive table; None if that is unknown."""
    try:
        return plan_leaves.files_read(run_sql(query.text), name)
    except JVM_ERRORS:
        return None


def _reads_after(
    spark: SparkSession, table: str, result: FromHive, queries: Sequence[Query]
) -> dict[str, tuple[int, int]]:
    """The files and bytes that each query, rewritten, would read under the hidden spec; empty if that is unknown."""
    texts = [item.rewritten or item.text for item in result.queries]
    rewritten_queries = [Query(text, query.weight) for text, query in zip(texts, queries, strict=True)]
    if not rewritten_queries:
        return {}
    try:
        source = resolve_source(spark, table)
        with hypothetical_plans.counting_by_files(spark):
            spec = candidate_spec(result.spec, source.schema, table=source.sql_name).spec
            proposal = AdviceSearch(spark, source, rewritten_queries, SAMPLE_ROWS).proposal_under(spec.fields)
    except IcebergSqlError:  # an older version of Spark, or no query reads the table
        return {}
    return {item.query: (item.files, item.bytes) for item in proposal.per_query}


def _with_reads(hive_query: HiveQuery, current: tuple[int, int] | None, future: tuple[int, int] | None) -> HiveQuery:
    if current is not None:
        hive_query = replace(hive_query, files=current[0], bytes=current[1])
    if future is not None:
        hive_query = replace(hive_query, files_then=future[0], bytes_then=future[1])
    return hive_query
