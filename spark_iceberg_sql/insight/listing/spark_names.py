"""The names that a pattern such as `local.demo.f*` selects in a session's catalogs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.hypothetical.spark_source import absent_error
from spark_iceberg_sql.model.globs import has_wildcards, matcher
from spark_iceberg_sql.model.table import Name, split_name
from spark_iceberg_sql.spark.bridge.tables import catalog_entries, namespaces
from spark_iceberg_sql.syntax.identifiers import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Selection:
    """Where to look, and what to select there.

    catalog: its name. levels: of the namespace below which names are selected. patterns: one for each level below it.
    """

    catalog: str
    levels: Name
    patterns: Name

    @property
    def scope(self) -> str:
        """The selection as the user would write it in full."""
        return ".".join([*map(quoted, (self.catalog, *self.levels)), *self.patterns])


def selections(spark: SparkSession, pattern: str | None) -> list[Selection]:
    """The possible meanings of a pattern, the first that selects something being meant.

    pattern: None for the current namespace. Raises IcebergSqlError if the current catalog is unavailable.
    """
    parts = () if pattern is None else split_name(pattern)
    if parts and not has_wildcards(parts[0]) and catalog_entries.is_catalog(spark, parts[0]):
        return [_selection(parts[0], parts[1:])]
    try:
        catalog, levels = catalog_entries.current_namespace(spark)
    except catalog_entries.CatalogUnavailableError as error:
        raise IcebergSqlError(f"the current catalog did not answer: {error}") from None
    in_namespace = Selection(catalog, levels, parts)
    if not parts:
        return [in_namespace]
    in_catalog = _selection(catalog, parts)
    return [in_namespace, in_catalog] if len(parts) == 1 else [in_catalog]


def _selection(catalog: str, parts: Name) -> Selection:
    """The literal names in front of a pattern are a namespace; the last may be a table's."""
    literal = tuple(takewhile(lambda part: not has_wildcards(part), parts[:-1]))
    return Selection(catalog, literal, parts[len(literal) :])


def selected(spark: SparkSession, selection: Selection, limit: int) -> tuple[bool, list[Name]]:
    """Whether anything is selected, a namespace without tables included, and the full names of tables and views.

    limit: how many names at most.
    """
    catalog = namespaces.catalog_named(spark, selection.catalog)
    accepts = [matcher(part) if has_wildcards(part) else part.__eq__ for part in selection.patterns]
    exists, names = False, []
    for name in namespaces.selected_names(catalog, selection.levels, accepts):
        exists = True
        names += [(selection.catalog, *name)] if name[-1] else []
        if len(names) == limit:
            break
    return exists, names


def refusal(spark: SparkSession, name: str, argument: str, selection: Selection) -> IcebergSqlError:
    """The error for a name or pattern that selects nothing. argument: which has it. selection: its meaning."""
    hint = f"the catalogs of this session are {', '.join(catalog_entries.configured_names(spark))}"
    if any(map(has_wildcards, selection.patterns)):
        return IcebergSqlError(f"no table, view or namespace matches `{name}`", help=hint, argument=argument)
    full_name = (selection.catalog, *selection.levels, *selection.patterns)
    return absent_error(spark, name, full_name, hint, argument)
