"""The move of a Hive-partitioned table to Iceberg: the hidden spec, the rewritten queries, and the script.

`from_ddl` needs only the CREATE TABLE; `spark.py` measures the table's rows and files as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spark_iceberg_sql.checker import engine
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.from_hive.hive_conditions import constants_by_column
from spark_iceberg_sql.insight.from_hive.hive_ddl import HiveTable, table_from_ddl
from spark_iceberg_sql.insight.from_hive.hive_partitions import (
    PartitionDerivation,
    PartitionValueFormat,
    infer_formats,
    possible_derivations,
)
from spark_iceberg_sql.insight.from_hive.hive_queries import rewrite
from spark_iceberg_sql.insight.from_hive.hive_script import script_of
from spark_iceberg_sql.insight.from_hive.hive_statements import changes_catalog, changes_namespace, statement_note
from spark_iceberg_sql.insight.from_hive.hive_zones import refuse_unknown
from spark_iceberg_sql.insight.from_hive.model import FromHive, HiveQuery, script_lines
from spark_iceberg_sql.insight.workload import Query, skipped_statements, workload
from spark_iceberg_sql.report.sql_text import in_a_line
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.script import statements


def from_ddl(
    text: str,
    queries: Iterable[str | tuple[str, float]] | str = (),
    *,
    column: str | None = None,
    zone: str = "UTC",
    catalog: str = "local",
) -> FromHive:
    """The move of a table that is known by its CREATE TABLE alone.

    text: the CREATE TABLE statement, and any queries. queries: more of them. column: the column that determines the
    time of the partitions; without it, nothing is assumed. zone: the time zone of the partitions' days and hours.
    catalog: the Iceberg catalog of the new table.
    Raises IcebergSqlError if the text is not that of a table with partition columns, or for an unknown column or time
    zone.
    """
    refuse_unknown(zone)
    table, remaining = table_from_ddl(text)
    all_queries = (*workload_of(remaining), *workload_of(queries))
    other_statements = (*non_queries_of(remaining), *non_queries_of(queries))
    use_statements = [statement for statement in other_statements if changes_namespace(statement, table.name[-1])]
    begins_with_use = len(use_statements) == 1 and statements(text)[0].first == "USE"
    if use_statements and len(table.name) == 1 and not begins_with_use:
        raise IcebergSqlError(
            f"after `{visible(in_a_line(use_statements[0]))[:40]}`, `{table.title}` may be another table",
            help="write its schema, in CREATE TABLE and in the queries",
        )
    if len(table.name) == 2 and any(changes_catalog(statement, catalog) for statement in use_statements):
        table = replace(table, spellings=table.names[1:])
    formats, unknown_formats = partition_formats(table, all_queries, {})
    unsure = [f"`{name}`: {reason}" for name, reason in unknown_formats.items()]
    derivation = None
    derivations = list(possible_derivations(formats, table.data_columns, (zone,)))
    if column is not None:
        derivation = derivation_over(table, derivations, column, unsure)
        derivation = replace(
            derivation, basis=f"as stated, {derivation.description}; the first statement of the script checks it"
        )
    else:
        unsure += open_questions(table, derivations)
    result = planned_move(table, derivation, unsure, all_queries, catalog)
    return replace(result, queries=(*result.queries, *kept_statements(other_statements, table, derivation)))


def workload_of(queries: Iterable[str | tuple[str, float]] | str) -> tuple[Query, ...]:
    """The queries of a workload, which may be empty."""
    entries = _without_blanks(queries)
    return workload(entries) if entries else ()


def non_queries_of(queries: Iterable[str | tuple[str, float]] | str) -> tuple[str, ...]:
    """The statements of a workload that are not queries."""
    return tuple(skipped_statements(_without_blanks(queries)))


def _without_blanks(queries: Iterable[str | tuple[str, float]] | str) -> list[str | tuple[str, float]]:
    entries = [queries] if isinstance(queries, str) else list(queries)
    return [entry for entry in entries if not isinstance(entry, str) or entry.strip()]


def kept_statements(
    texts: Iterable[str], table: HiveTable, derivation: PartitionDerivation | None
) -> Iterator[HiveQuery]:
    """The statements that are not queries: they stay, each with a note on what the move breaks in it."""
    return (HiveQuery(text, None, (statement_note(text, table, derivation),)) for text in texts)


def partition_formats(
    table: HiveTable, queries: Sequence[Query], values: dict[str, set[str]]
) -> tuple[dict[str, PartitionValueFormat], dict[str, str]]:
    """The formats of the partition columns, from their values, or else from the constants of the queries."""
    if any(values.values()):
        return infer_formats(table.partition_columns, values)
    names = [column.name for column in table.partition_columns]
    constants: dict[str, set[str]] = defaultdict(set)
    for query in queries:
        for name, column_values in constants_by_column(query.text, table.names, names).items():
            constants[name] |= column_values
    return infer_formats(table.partition_columns, constants, is_guessed=True)


def derivation_over(
    table: HiveTable, derivations: Sequence[PartitionDerivation], column: str, unsure: Sequence[str]
) -> PartitionDerivation:
    """The derivation from one column. Raises IcebergSqlError if there is none."""
    derivation = next((candidate for candidate in derivations if candidate.source.name.lower() == column.lower()), None)
    if derivation is None:
        names = ", ".join(f"`{c.name}`" for c in table.data_columns if c.is_time) or "none"
        raise IcebergSqlError(
            f"the partitions of {table.title} cannot be derived from `{column}`",
            help=(*unsure, f"its date and timestamp columns: {names}"),
            argument="column",
        )
    return derivation


def open_questions(table: HiveTable, derivations: Sequence[PartitionDerivation]) -> Iterator[str]:
    """The open question of each derivation, with the query that decides it."""
    for derivation in dict.fromkeys(derivations):
        yield (
            f"whether {derivation.description}; if so, {derivation.term} replaces it (column => "
            f"'{derivation.source.name}'); "
            f"this must return 0: {derivation.check_query(table.title)}"
        )


def planned_move(
    table: HiveTable,
    derivation: PartitionDerivation | None,
    unsure: Sequence[str],
    queries: Sequence[Query],
    catalog: str,
) -> FromHive:
    """The result. derivation: the certain one; None keeps the Hive table's columns as partition fields."""
    terms = [quoted(column.name) for column in table.partition_columns]
    replaced: tuple[str, ...] = ()
    if derivation is not None:
        replaced = derivation.columns
        kept_terms = [quoted(c.name) for c in table.partition_columns if c.name not in replaced]
        index = next(i for i, c in enumerate(table.partition_columns) if c.name in replaced)
        terms = [*kept_terms[:index], derivation.term, *kept_terms[index:]]
    spec = ", ".join(terms)
    hive_queries = [_query(query, table, derivation) for query in queries]
    script, other_ways = script_of(table, derivation, spec, catalog)
    refused = [
        f"a statement of the script would be refused: {diagnostic.code}: {diagnostic.message}"
        for diagnostic in engine.check("\n".join(script_lines(script)))
        if diagnostic.severity is Severity.ERROR
    ]
    return FromHive(
        table.title,
        spec,
        derivation.basis if derivation is not None else None,
        (*unsure, *refused),
        tuple(hive_queries),
        tuple(_unchanged(table, derivation)),
        tuple(_savings(derivation)),
        script,
        other_ways,
    )


def _query(query: Query, table: HiveTable, derivation: PartitionDerivation | None) -> HiveQuery:
    if derivation is None:
        return HiveQuery(query.text, None)
    result = rewrite(query.text, table.names, derivation)
    return HiveQuery(query.text, result.rewritten, result.notes)


def _unchanged(table: HiveTable, derivation: PartitionDerivation | None) -> Iterator[str]:
    names = ", ".join(f"`{column.name}`" for column in table.partition_columns)
    plural = len(table.partition_columns) > 1
    yield (
        f"{names} {'remain columns' if plural else 'remains a column'}: every query returns the same rows, "
        "rewritten or not"
    )
    if derivation is None:
        yield "the partitioning: the same columns, as identity fields"
        return
    old_columns = ", ".join(f"`{name}`" for name in derivation.columns)
    kept_columns = [column.name for column in table.partition_columns if column.name not in derivation.columns]
    if kept_columns:
        yield "partition fields: " + ", ".join(f"`{name}`" for name in kept_columns)
    yield (
        f"writers must still fill {old_columns}; do not drop {'them' if len(derivation.columns) > 1 else 'it'} "
        f"from the table "
        "that was imported, whose earlier spec refers to it"
    )


def _savings(derivation: PartitionDerivation | None) -> Iterator[str]:
    if derivation is None:
        return
    column, old_columns = (f"`{derivation.source.name}`", ", ".join(f"`{name}`" for name in derivation.columns))
    yield f"a query that filters only on {column} reads only the {derivation.unit}s of its range; in Hive it reads all"
    yield f"nobody needs to know {old_columns}: a condition on {column} is enough"
