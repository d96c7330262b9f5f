"""from_hive(spark, table): the partitions of a Hive table checked against its rows, and the reads of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pyspark.sql import functions as fn

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.from_hive import (
    FromHive,
    HiveQuery,
    known_forms,
    moved,
    not_queries,
    of_column,
    others_of,
    undecided,
    workload_of,
)
from spark_iceberg_sql.insight.hive_ddl import HiveTable
from spark_iceberg_sql.insight.hive_partitions import Column, Reading, readings
from spark_iceberg_sql.insight.hive_statements import changes_place
from spark_iceberg_sql.insight.hive_zones import refuse_unknown, zone_of
from spark_iceberg_sql.insight.specs import candidate
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.spark.bridge import (
    catalogs,
    hypothetical_plans,
    plan_leaves,
    relations,
    sessions,
)
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS
from spark_iceberg_sql.spark.gate import intercept, read_errors
from spark_iceberg_sql.spark.insight.advise import ROWS, _Search
from spark_iceberg_sql.spark.insight.hypothetical_source import source_of
from spark_iceberg_sql.spark.optimizer import bounds
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NULL = "__HIVE_DEFAULT_PARTITION__"


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
        return _moved(spark, table, queries, column, zone, catalog)


def _moved(
    spark: SparkSession,
    table: str,
    queries: list[str | tuple[str, float]] | str,
    column: str | None,
    zone: str,
    catalog: str,
) -> FromHive:
    own = intercept.own_sql(spark)
    other = others_of(queries)
    try:
        parts = relations.name_parts(spark, table)
        if catalogs.is_temporary_view(spark, parts):
            raise IcebergSqlError(f"`{table}` is a view, and views have no partitions")
        name = tuple(relations.full_name(dotted(parts)))
        found = replace(_table(spark, name), spellings=_spellings(spark, name))
        todo = workload_of(queries)
        forms, unknown = known_forms(found, todo, _values(spark, found))
        unsure = [f"`{one}`: {why}" for one, why in unknown.items()]
        session_zone = spark.conf.get("spark.sql.session.timeZone") or "UTC"
        zones = [zone, *([session_zone] if zone_of(session_zone) is not None else ())]
        every = list(readings(forms, found.data, zones))
        if column is not None:
            source = of_column(found, every, column, unsure).source
            every = [one for one in every if one.source == source]
        chosen = _checked(spark, found, every, unsure)
        # After USE, or where a view hides it, shorter names may mean other tables.
        if any(changes_place(one, name[-1]) for one in other):
            found = replace(found, spellings=(tuple(part.lower() for part in name),))
        found = replace(found, name=name[1:])
        result = moved(found, chosen, unsure, todo, catalog)
        read = [_read(own, query, ".".join(name[1:]).lower()) for query in todo]
        then = _then(spark, table, result, todo) if chosen is not None else {}
    except JVM_ERRORS as error:
        raise read_errors.failed(error, f"`{table}` cannot be read") from None
    measured = [
        _measured(one, now, then.get(one.rewritten or one.text))
        for one, now in zip(result.queries, read, strict=True)
    ]
    return replace(result, queries=(*measured, *not_queries(other, found, chosen)))


def _table(spark: SparkSession, name: tuple[str, ...]) -> HiveTable:
    described = {
        row.col_name.strip(): row.data_type
        for row in spark.sql(f"DESCRIBE EXTENDED {dotted(name)}").collect()
    }
    provider = (described.get("Provider") or "").lower()
    if provider == "iceberg" or name[0] != "spark_catalog":
        raise IcebergSqlError(
            f"{'.'.join(name)} is not a Hive table",
            help="sis.advise(...) compares the specs of an Iceberg table",
        )
    if provider == "hive":
        serde = (described.get("Serde Library") or "").lower()
        provider = next((kind for kind in ("parquet", "orc", "avro") if kind in serde), "")
    columns = [
        (Column(one.name, one.dataType.lower()), one.isPartition)
        for one in spark.catalog.listColumns(dotted(name))
    ]
    partitions = tuple(one for one, is_partition in columns if is_partition)
    if not partitions:
        raise IcebergSqlError(f"{'.'.join(name)} has no partition columns")
    data = tuple(one for one, is_partition in columns if not is_partition)
    units = (
        bounds.foreign_time_units(spark.table(dotted(name)).inputFiles())
        if provider == "parquet" and any("timestamp" in one.type for one in data)
        else frozenset()
    )
    return HiveTable(name, (*data, *partitions), partitions, provider or None, time_units=units)


def _spellings(spark: SparkSession, name: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The names by which queries of this session read the table, in lower case."""
    full = tuple(part.lower() for part in name)
    try:
        catalog, namespace = catalogs.current_place(spark)
    except catalogs.CatalogSilentError:
        return (full,)
    inner = tuple(part.lower() for part in namespace)
    if catalog != name[0]:
        return (full,)
    both = (full[1:], full)
    bare = inner == full[1:-1] and not catalogs.is_temporary_view(spark, full[-1:])
    return (*both, full[-1:]) if bare else both


def _values(spark: SparkSession, table: HiveTable) -> dict[str, set[str]]:
    """The partition values, from the catalog alone."""
    found: dict[str, set[str]] = {column.name.lower(): set() for column in table.partitions}
    for row in spark.sql(f"SHOW PARTITIONS {dotted(table.name)}").collect():
        for part in row.partition.split("/"):
            name, _, value = part.partition("=")
            if value != _NULL:
                found[unquote(name).lower()].add(unquote(value))
    return found


def _checked(
    spark: SparkSession, table: HiveTable, every: Sequence[Reading], unsure: list[str]
) -> Reading | None:
    """The only derivation that no row contradicts, by one pass over the columns.

    unsure: the list to which open questions are added.
    """
    if not every:
        return None
    sums = [fn.count_if(fn.expr(one.mismatch())).alias(f"r{i}") for i, one in enumerate(every)]
    (row,) = spark.table(dotted(table.name)).agg(fn.count("*").alias("rows"), *sums).collect()
    if not row["rows"]:
        unsure += [
            "the table has no rows, so nothing can be checked",
            *undecided(table, every),
        ]
        return None
    right = [one for i, one in enumerate(every) if not row[f"r{i}"]]
    sources = {one.source for one in right}
    if len(sources) > 1:
        names = " and ".join(sorted(f"`{one.name}`" for one in sources))
        unsure.append(
            f"{', '.join(f'`{name}`' for name in right[0].columns)}: {names} determine it on every row; "
            "name the one that it is derived from with column => '...'"
        )
        return None
    if not right:
        for i, one in enumerate(every):
            unsure.append(f"{one.words}, but not in {row[f'r{i}']:,} of {row['rows']:,} rows")
        return None
    best = right[0]
    basis = f"{best.words}: checked on all {row['rows']:,} rows"
    return replace(best, basis=basis)


def _read(own: Callable[..., DataFrame], query: Query, name: str) -> tuple[int, int] | None:
    """The files and bytes that a query reads of the Hive table; None if that is unknown."""
    try:
        return plan_leaves.files_read(own(query.text), name)
    except JVM_ERRORS:
        return None


def _then(
    spark: SparkSession, table: str, result: FromHive, queries: Sequence[Query]
) -> dict[str, tuple[int, int]]:
    """The files and bytes that each query, rewritten, would read under the hidden spec; empty if that is unknown."""
    texts = [one.rewritten or one.text for one in result.queries]
    todo = [Query(text, query.weight) for text, query in zip(texts, queries, strict=True)]
    if not todo:
        return {}
    try:
        source = source_of(spark, table)
        with hypothetical_plans.counting_by_files(spark):
            spec = candidate(result.spec, source.schema).spec
            found = _Search(spark, source, todo, ROWS).under(spec.fields)
    except IcebergSqlError:  # an older version of Spark, or no query reads the table
        return {}
    return {one.query: (one.files, one.bytes) for one in found.per_query}


def _measured(
    one: HiveQuery, now: tuple[int, int] | None, then: tuple[int, int] | None
) -> HiveQuery:
    if now is not None:
        one = replace(one, files=now[0], bytes=now[1])
    if then is not None:
        one = replace(one, files_then=then[0], bytes_then=then[1])
    return one
