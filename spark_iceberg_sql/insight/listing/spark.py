"""tables(spark, pattern) and describe(spark, table): a catalog's tables, and one table, from metadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.hypothetical.spark_source import (
    is_path,
    load_entry,
    operations_at,
    refuse_branch,
    table_name,
)
from spark_iceberg_sql.insight.listing.description_model import Description
from spark_iceberg_sql.insight.listing.spark_description import description, utc_text
from spark_iceberg_sql.insight.listing.spark_names import Selection, refusal, selected, selections
from spark_iceberg_sql.insight.listing.tables_model import ListedTable, TableListing
from spark_iceberg_sql.model.metadata.metadata_json import MetadataError, table_from_metadata
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.report.table_ddl import partitioning_ddl
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, namespaces, table_metadata
from spark_iceberg_sql.spark.bridge.tables.tables_as_read import as_read
from spark_iceberg_sql.spark.gate import read_errors
from spark_iceberg_sql.spark.gate.unreadable_tables import naming_manifests
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def tables(spark: SparkSession, pattern: str | None = None, *, limit: int = 1_000) -> TableListing:
    """The tables and views of a catalog or namespace, with their specs and sizes.

    Reads each table's current metadata file and no manifest; starts no Spark job. The figures are of the
    branch that the session reads.

    spark: the session. pattern: a catalog, a namespace, a table, or a pattern of them such as `local.demo.f*`; without
    a dot, of the names in the current namespace, or else of the namespaces of the current catalog. None for the
    current namespace. limit: how many tables are listed at most.
    Raises IcebergSqlError if the catalog cannot be read, or if nothing has such a name.
    """
    if limit < 1:
        raise IcebergSqlError(f"`limit` is at least 1, not {limit}", argument="limit")
    with read_errors.reading("the catalog cannot be read"), sessions.working_in(spark):
        meanings = selections(spark, pattern)
        for selection in meanings:
            exists, names = selected(spark, selection, limit + 1)
            views = namespaces.temporary_views(spark) if pattern is None else []
            if exists or pattern is None:
                branches = _Branches()
                entries = (_listed(spark, name, branches) for name in names[:limit])
                listed = [entry for entry in entries if entry is not None]
                listed += [ListedTable(quoted(view), "temporary view", note="temporary view") for view in views]
                notes = (*_notes(spark, listed, names, limit), *branches.notes())
                return TableListing(selection.scope, tuple(listed), notes)
        raise refusal(spark, pattern or "", "pattern", meanings[-1])


def _notes(spark: SparkSession, listed: list[ListedTable], names: list[Name], limit: int) -> Iterator[str]:
    if len(names) > limit:
        yield f"there may be more: at most {limit:,} are listed"
    if not listed:
        catalogs = ", ".join(catalog_entries.configured_names(spark))
        yield f"the name of a catalog lists all its tables; this session has {catalogs}"


class _Branches:
    """The tables of which the session reads a branch."""

    def __init__(self) -> None:
        self._titles: dict[str, list[str]] = {}

    def add(self, title: str, branch: str) -> None:
        """Remember a table's branch. branch: empty for main."""
        if branch:
            self._titles.setdefault(branch, []).append(title)

    def notes(self) -> Iterator[str]:
        """One sentence for each branch."""
        for branch, titles in self._titles.items():
            names = ", ".join(titles)
            yield f"counted on the branch {quoted(branch)}, which this session reads (spark.wap.branch): {names}"


def _listed(spark: SparkSession, name: Name, branches: _Branches) -> ListedTable | None:
    """The entry of a table; None if it is gone, or if Spark's own catalog lists a temporary view.

    branches: to which its branch is added.
    """
    title = qualified_name(name)
    try:
        entry = catalog_entries.load(spark, name)
    except (catalog_entries.CatalogUnavailableError, catalog_entries.NoCatalogError) as error:
        return ListedTable(title, "other", note=f"cannot be read: {error}")
    if entry.relation_kind == "absent":
        return None
    if entry.metadata is None:
        if entry.relation_kind == "view":
            return ListedTable(title, "view", note="view")
        return ListedTable(title, "other", note=f"not Iceberg: {entry.provider or 'unknown'}")
    try:
        table = table_from_metadata(name, entry.metadata)
    except MetadataError as error:
        return ListedTable(title, "iceberg", note=f"cannot be read: {error}")
    assert table.schema is not None
    assert table.specs is not None
    metadata = table_metadata.current(entry.table)
    read = as_read(entry.table)
    branches.add(title, read.branch)
    totals = table_metadata.current_totals(table_metadata.current(read.table))
    return ListedTable(
        title,
        "iceberg",
        partitioning_ddl(table.schema, table.specs),
        totals.records,
        totals.data_files,
        totals.delete_files,
        totals.bytes,
        utc_text(table_metadata.last_updated_ms(metadata)),
    )


def describe(spark: SparkSession, table: str) -> Description:
    """A table's columns, partition specs and last snapshots, from its metadata.

    Starts no Spark job; of a table with several specs, manifests are read for the number of files of each.

    spark: the session. table: its name in a catalog, as in SQL, or the path of its folder.
    Raises IcebergSqlError if it is not an Iceberg table, or if its metadata cannot be read.
    """
    with read_errors.reading(f"`{table}` cannot be read"), sessions.working_in(spark):
        name: Name = ()
        if is_path(table):
            java_table = relations.base_table(operations_at(table), table)
            read = as_read(java_table, is_named=False)
        else:
            name = table_name(spark, table)
            java_table = _table_named(spark, table, name)
            read = as_read(java_table)
        metadata = table_metadata.current(java_table)
        try:
            content = table_from_metadata(name, table_metadata.without_snapshots(metadata))
        except MetadataError as error:
            raise IcebergSqlError(f"`{table}` cannot be read: {error}") from None
        title = qualified_name(name) or table
        with naming_manifests(read.table, table):
            spec_files = catalog_entries.files_by_spec(read.table)
        return description(title, content, metadata, read, spec_files)


def _table_named(spark: SparkSession, table: str, name: Name) -> Java:
    entry = load_entry(spark, table, name)
    if entry.relation_kind == "absent":
        raise refusal(spark, table, "table", Selection(name[0], name[1:-1], name[-1:]))
    refuse_branch(table, name, entry)
    if entry.metadata is None:
        kind = "a view" if entry.relation_kind == "view" else f"not an Iceberg table: {entry.relation_kind}"
        raise IcebergSqlError(
            f"`{table}` is {kind}", help=f"write DESCRIBE TABLE EXTENDED {'.'.join(map(quoted, name))}"
        )
    return entry.table
