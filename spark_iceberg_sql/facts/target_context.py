"""The facts about a statement's table: its columns, specs, properties, format version.

Each fact is computed once, on demand. An unknown fact raises UnknownFactError: the engine then lists the rule in the
statement's "not checked" note. If a more basic error makes a fact unavailable, the fact is None or raises
AlreadyReportedError: another rule reports that error, and one error causes one diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spark_iceberg_sql.lazy import cached_property, regex
from spark_iceberg_sql.model.schema import Column, Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import MissingTable, RelationKind, Table, is_branch
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.types import UNKNOWN, Field, Primitive
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.lexer import on_one_line
from spark_iceberg_sql.syntax.metadata_tables import METADATA_TABLES, metadata_table_name
from spark_iceberg_sql.syntax.script import Statement

T = TypeVar("T")

DEFAULT_FORMAT_VERSION = 2
QUERY_COLUMNS_REASON = "they come from a query"
# Iceberg's own statements, which resolve their table as Iceberg does.
FIELD_STATEMENTS = (nodes.AddField, nodes.DropField, nodes.ReplaceField)
_INTEGER = regex(r"[+-]?[0-9]{1,9}")


_NO_PROPERTIES: Mapping[str, str] = {}  # shared, because most tables have no properties


class UnknownFactError(Exception):
    """A rule asked for an unknown fact. fact: such as `its columns`. reason: in the user's terms."""

    def __init__(self, fact: str, reason: str) -> None:
        super().__init__(f"{fact}: {reason}")
        self.fact = fact
        self.reason = reason


def known_or_none(fact: Callable[[], T]) -> T | None:
    """A fact; None if it is unknown, or if a more basic error makes it unavailable."""
    try:
        return fact()
    except (UnknownFactError, AlreadyReportedError):
        return None


class AlreadyReportedError(Exception):
    """A rule asked for a fact that a more basic error makes unavailable; another rule reports that error."""


@record(frozen=True, eq=False)
class TargetContext:
    """One statement with the facts about its table.

    text: the complete text that spans refer to. node: the parsed statement. catalog: the tables, as the earlier
    statements left them. statement: its tokens. repaired: whether it is passed to Spark without the comments that would
    mislead Iceberg's parser.
    """

    text: str
    node: nodes.Node
    catalog: Tables
    statement: Statement
    repaired: bool = False

    def text_at(self, span: terms.Offsets) -> str:
        """The text of a span, on one line."""
        return on_one_line(self.text[span[0] : span[1]])

    @cached_property
    def target(self) -> terms.NamePath:
        """The table that the statement is about, as written."""
        table = getattr(self.node, "table", None)
        if not isinstance(table, terms.NamePath):
            raise AlreadyReportedError
        return table

    @cached_property
    def target_name(self) -> terms.Name:
        """The target's parts, as `catalog` expects them."""
        node = self.node
        is_like = isinstance(node, nodes.Create) and node.like_table is not None
        return self.in_spark_catalog(self.target.parts) if is_like else self.target.parts

    def metadata_table(self, suffix: str) -> str:
        """The name of a metadata table of the target, to write in a statement. suffix: such as `snapshots`."""
        return metadata_table_name(self.target.parts, suffix, self.catalog.full_name)

    def in_spark_catalog(self, parts: terms.Name) -> terms.Name:
        """A name in CREATE TABLE ... LIKE: in Spark's own catalog, whichever is the current one."""
        if self.catalog.catalog in (None, "spark_catalog") or len(parts) > 2:
            return parts
        return ("spark_catalog", *(("default",) if len(parts) == 1 else ()), *parts)

    @cached_property
    def table(self) -> Table | MissingTable | None:
        """The table, view or branch that the statement's table name refers to; None if unknown."""
        parts = self.target_name
        if self.target.is_computed:
            return None
        # Iceberg's statements ignore temporary views, and resolve the name of a branch to its table.
        is_field_statement = isinstance(self.node, FIELD_STATEMENTS)
        table = self.catalog.partitioned(parts) if is_field_statement else self.catalog.get(parts)
        relation_kind = _kind_of_part(parts[-1]) if len(parts) > 1 else None
        if (
            isinstance(table, Table)
            or relation_kind is None
            or (is_field_statement and relation_kind is RelationKind.BRANCH)
        ):
            return table
        parent = self.catalog.get(parts[:-1])
        is_in_table = isinstance(parent, Table) and parent.kind is RelationKind.ICEBERG
        return Table(self.catalog.full_name(parts), kind=relation_kind) if is_in_table else table

    @cached_property
    def is_noop_if_exists(self) -> bool:
        """True if IF NOT EXISTS makes Spark ignore everything in the statement except its name."""
        node = self.node
        return (
            isinstance(node, nodes.Create)
            and node.if_not_exists
            and isinstance(self.table, Table)
            and not self.table.is_intended
        )

    @cached_property
    def iceberg_table(self) -> Table:
        """The Iceberg table that an ALTER changes (SIS412 reports if there is none)."""
        table = self.table
        if table is None:
            raise self._unknown_table_error()
        if isinstance(table, MissingTable) or table.kind is not RelationKind.ICEBERG:
            raise AlreadyReportedError
        return table

    def _unknown_table_error(self) -> UnknownFactError:
        return UnknownFactError(f"the table `{self.target.text}`", self._why_table_unknown)

    @cached_property
    def _why_table_unknown(self) -> str:
        if self.target.is_computed:
            return "its name is computed when the statement runs"
        if self.catalog.is_unsettled(self.target_name):
            return "a program or a procedure may have created or dropped it"
        return self.catalog.why_unknown(self.target_name)

    @cached_property
    def replaced_table(self) -> Table | None:
        """The Iceberg table that CREATE OR REPLACE replaces; None if there is none."""
        node = self.node
        if not isinstance(node, nodes.Create) or not node.replace:
            return None
        table = self.table
        if table is None:
            raise self._unknown_table_error()
        if isinstance(table, MissingTable) or table.kind is not RelationKind.ICEBERG or table.is_intended:
            return None
        return table

    @cached_property
    def specs(self) -> Specs:
        """All partition specs of the table, before the statement."""
        table = self.iceberg_table
        if table.specs is None:
            raise UnknownFactError("its partition specs", table.why_unknown or "nothing defines them")
        return table.specs

    @cached_property
    def schema(self) -> Schema:
        """The columns that the statement's terms refer to: a CREATE's own, an ALTER's table's."""
        if isinstance(self.node, nodes.Create):
            return self._created_schema(self.node)
        table = self.iceberg_table
        if table.schema is None:
            raise UnknownFactError("its columns", table.why_unknown or "nothing defines them")
        return table.schema

    @property
    def is_not_iceberg(self) -> bool:
        """True if the statement's table is known not to be an Iceberg table, or not to exist (SIS412)."""
        table = self.table
        return isinstance(table, MissingTable) or (table is not None and table.kind is not RelationKind.ICEBERG)

    @property
    def schema_if_known(self) -> Schema | None:
        """The schema, or None without a note: column statements are not partition DDL."""
        try:
            return self.schema
        except UnknownFactError:
            return None

    @cached_property
    def new_columns(self) -> tuple[terms.ColumnDef, ...]:
        """The columns that the statement defines for an Iceberg table."""
        node = self.node
        if isinstance(node, nodes.Create):
            return (*(node.columns or ()), *node.typed_partitions) if self.creates_iceberg else ()
        if not isinstance(node, nodes.ReplaceColumns | nodes.AddColumns) or self.is_not_iceberg:
            return ()
        return node.columns if isinstance(node, nodes.ReplaceColumns) else tuple(column for _, column in node.columns)

    @cached_property
    def nested_new_columns(self) -> tuple[tuple[terms.ColumnDef, tuple[Column, ...]], ...]:
        """Each of `new_columns` with itself and all fields in it, as columns."""
        return tuple((c, _nested_columns(as_field(c))) for c in self.new_columns)

    def _created_schema(self, node: nodes.Create) -> Schema:
        columns = tuple(as_field(c) for c in (*(node.columns or ()), *node.typed_partitions))
        if node.query is not None:
            query_schema = self._query_schema
            if query_schema is None or any(item.type == UNKNOWN for item in query_schema.fields):
                raise UnknownFactError("its columns", QUERY_COLUMNS_REASON)
            columns = query_schema.fields
        base = self.catalog.get(node.table.parts) if node.replace else None
        if isinstance(base, Table) and base.kind is RelationKind.ICEBERG:
            return Schema(columns).with_fresh_ids(base.schema, base.last_column_id)[0]
        return Schema(columns).with_fresh_ids()[0]

    @cached_property
    def _query_schema(self) -> Schema | None:
        """The columns of a CREATE's query, possibly some of unknown type."""
        node = self.node
        if not isinstance(node, nodes.Create) or node.query is None:
            return None
        from spark_iceberg_sql.facts.query import columns_of  # the command starts sooner

        query = self.text[slice(*node.query)]
        return self.catalog.columns_of(query) or columns_of(query, self.columns_of_table)

    @property
    def source_schema(self) -> Schema:
        """The columns that each transform is checked against: for a query, those that are known."""
        query_schema = self._query_schema
        has_unknown_types = query_schema is not None and any(item.type == UNKNOWN for item in query_schema.fields)
        return query_schema.with_fresh_ids()[0] if query_schema is not None and has_unknown_types else self.schema

    def require_known_type(self, column: Column) -> Column:
        """Return the column. Raises UnknownFactError if its type is unknown."""
        if column.field.type == UNKNOWN:
            raise UnknownFactError(f"the type of `{column.name}`", "the query computes it")
        return column

    def columns_of_table(self, parts: terms.Name) -> Schema | None:
        """The columns that a query reads from a table, by its name."""
        from spark_iceberg_sql.facts.query_types import field_as_read

        table = self.catalog.get(parts)
        if not isinstance(table, Table) or table.schema is None or not table.is_certain:
            return None
        return Schema(tuple(map(field_as_read, table.schema.fields)))

    @cached_property
    def creates_iceberg(self) -> bool:
        """True if a CREATE creates an Iceberg table: by USING, or because its catalog is not Spark's own."""
        provider = getattr(self.node, "provider", None)
        if provider in (None, "iceberg"):
            return provider is not None or not self.in_session_catalog
        return self.in_session_catalog is False and provider in ("parquet", "orc", "avro")

    @property
    def has_uncertain_kind(self) -> bool:
        """True if a CREATE creates an Iceberg table or one in Spark's own catalog, and it is unknown which."""
        node = self.node
        if not isinstance(node, nodes.Create) or node.provider is not None or self.in_session_catalog is not None:
            return False
        return not any(term.transform_name is not None for term in node.partitioning or ())

    @cached_property
    def in_session_catalog(self) -> bool | None:
        """True if the table is in Spark's own catalog, `spark_catalog`; None if unknown."""
        name = self.catalog.full_name(self.target_name)
        if name[0].lower() == "spark_catalog":
            return True
        return False if self.catalog.catalog is not None or len(name) > 2 else None

    @cached_property
    def properties(self) -> Mapping[str, str]:
        """The properties that the statement sets; OPTIONS of a CREATE are properties too, and take precedence."""
        node = self.node
        if isinstance(node, nodes.Create):
            items = (*node.properties, *node.options)
            return {item.key: item.value for item in items} if items else _NO_PROPERTIES
        if isinstance(node, nodes.SetProperties):
            return {item.key: item.value for item in node.properties}
        return {}

    @cached_property
    def format_version(self) -> int | None:
        """The table's format version once the statement has run; None if SIS410 reports it."""
        requested_version = self.properties.get("format-version")
        if requested_version is not None:
            number = int(requested_version) if _INTEGER.fullmatch(requested_version) else 0
            return number if number in (1, 2, 3) else None
        if isinstance(self.node, nodes.Create):
            existing_table = self.replaced_table
            if existing_table is None:
                return DEFAULT_FORMAT_VERSION
        else:
            existing_table = self.iceberg_table
        if existing_table.format_version is None:
            raise UnknownFactError("its format version", existing_table.why_unknown or "nothing defines it")
        return existing_table.format_version


def _nested_columns(field: Field) -> tuple[Column, ...]:
    """A field and all fields in it, as columns."""
    return (Column(field.name, field),) if isinstance(field.type, Primitive) else Schema((field,)).columns


def as_field(column: terms.ColumnDef) -> Field:
    """A column definition as a field without an id."""
    data_type = column.type if column.type is not None else Primitive(column.type_text)
    return Field(column.name, data_type, column.required)


def _kind_of_part(name: str) -> RelationKind | None:
    """The kind of relation that a last part such as `files` or `branch_b` denotes; None for a table."""
    lower_name = name.lower()
    if lower_name in METADATA_TABLES:
        return RelationKind.METADATA
    return RelationKind.BRANCH if is_branch(name) else None
