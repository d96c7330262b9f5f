"""The facts about one statement that rules may ask for, each found once and only when asked.

A fact that nobody has raises NotKnownError: the engine then lists the rule in the statement's "not checked"
note. A fact that cannot be had because a more basic fault stands in its way is None, or raises SettledError:
another rule has the word, and one fault brings one diagnostic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from spark_iceberg_sql import nodes
from spark_iceberg_sql.model.damage import Damage, damage
from spark_iceberg_sql.model.schema import Column, Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs, SpecUncertainError, Wanted
from spark_iceberg_sql.model.table import Absent, Kind, Known, Table, is_branch
from spark_iceberg_sql.model.types import UNKNOWN
from spark_iceberg_sql.rules.outcome import as_field, outcome
from spark_iceberg_sql.rules.terms import TermFacts, identity_on

if TYPE_CHECKING:
    from spark_iceberg_sql.text import Statement

DEFAULT_FORMAT_VERSION = 2
# Iceberg's own statements, which find their table in Iceberg's way.
FIELD_STATEMENTS = (nodes.AddField, nodes.DropField, nodes.ReplaceField)
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_METADATA_TABLES = frozenset(
    {
        *("entries", "files", "data_files", "delete_files", "history", "metadata_log_entries"),
        *("snapshots", "refs", "manifests", "partitions", "position_deletes", "changes"),
        *("all_entries", "all_files", "all_data_files", "all_delete_files", "all_manifests"),
    }
)


class NotKnownError(Exception):
    """A rule asked for what is not known. what: `the columns`. why: the reason, in the user's terms."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


class SettledError(Exception):
    """A rule asked for what a more basic fault rules out; the rule about that fault speaks."""


@dataclass(frozen=True, eq=False)
class Case:
    """One statement and what is known around it.

    text: the whole text that spans count in. node: the statement as read. known: the tables, as the
    statements before it left them. statement: its tokens. repaired: whether it is handed to Spark without
    the comments that would mislead Iceberg's parser.
    """

    text: str
    node: nodes.Node
    known: Known
    statement: Statement
    repaired: bool = False

    def words(self, span: nodes.Offsets) -> str:
        """The text of a span."""
        return self.text[span[0] : span[1]]

    @cached_property
    def target(self) -> nodes.Ref:
        """The table that the statement is about, as written."""
        table = getattr(self.node, "table", None)
        if not isinstance(table, nodes.Ref):
            raise SettledError
        return table

    @cached_property
    def target_name(self) -> nodes.Name:
        """The target's parts, as `known` is to be asked for them."""
        like = getattr(self.node, "like", None)
        return self.sparks_own(self.target.parts) if like is not None else self.target.parts

    def sparks_own(self, parts: nodes.Name) -> nodes.Name:
        """A name in CREATE TABLE ... LIKE: in Spark's own catalog, whichever is the current one."""
        if self.known.catalog in (None, "spark_catalog") or len(parts) > 2:
            return parts
        return ("spark_catalog", *(("default",) if len(parts) == 1 else ()), *parts)

    @cached_property
    def table(self) -> Table | Absent | None:
        """What stands behind the statement's table name; None where nothing is known."""
        parts = self.target_name
        if self.target.computed:
            return None
        own = isinstance(self.node, FIELD_STATEMENTS)
        found = self.known.partitioned(parts) if own else self.known.get(parts)
        kind = _part_of_a_table(parts[-1]) if len(parts) > 1 else None
        if isinstance(found, Table) or kind is None or (own and kind is Kind.BRANCH):
            return found
        parent = self.known.get(parts[:-1])
        if isinstance(parent, Table) and parent.kind is Kind.ICEBERG:
            return Table(self.known.full_name(parts), kind=kind)
        return found

    @cached_property
    def hidden(self) -> bool:
        """Whether IF NOT EXISTS keeps all of the statement but its name from being looked at."""
        node = self.node
        return (
            isinstance(node, nodes.Create)
            and node.if_not_exists
            and isinstance(self.table, Table)
            and not self.table.meant
        )

    @cached_property
    def iceberg(self) -> Table:
        """The Iceberg table that an ALTER is about (SIS412 speaks where there is none)."""
        found = self.table
        if found is None:
            raise self._no_table()
        if isinstance(found, Absent) or found.kind is not Kind.ICEBERG:
            raise SettledError
        return found

    def _no_table(self) -> NotKnownError:
        why = self.known.why_unknown(self.target_name)
        if self.target.computed:
            why = "its name is made when the statement runs"
        elif self.known.is_unsettled(self.target_name):
            why = "a program or a procedure may have made it, or dropped it"
        return NotKnownError(f"the table `{self.target.text}`", why)

    @cached_property
    def replaced(self) -> Table | None:
        """The Iceberg table that CREATE OR REPLACE replaces; None where there is none."""
        node = self.node
        if not isinstance(node, nodes.Create) or not node.replace:
            return None
        found = self.table
        if found is None:
            raise self._no_table()
        if isinstance(found, Absent) or found.kind is not Kind.ICEBERG or found.meant:
            return None
        return found

    @cached_property
    def specs(self) -> Specs:
        """All partition specs of the table, before the statement."""
        table = self.iceberg
        if table.specs is None:
            raise NotKnownError("its partition specs", table.why_unknown or "nothing says them")
        return table.specs

    @cached_property
    def schema(self) -> Schema:
        """The columns that the statement's terms refer to: a CREATE's own, an ALTER's table's."""
        if isinstance(self.node, nodes.Create):
            return self._created_schema(self.node)
        table = self.iceberg
        if table.schema is None:
            raise NotKnownError("its columns", table.why_unknown or "nothing says them")
        return table.schema

    @property
    def of_another_kind(self) -> bool:
        """Whether the statement's table is known not to be Iceberg's, or not to be there (SIS412)."""
        table = self.table
        return isinstance(table, Absent) or (table is not None and table.kind is not Kind.ICEBERG)

    @property
    def schema_if_known(self) -> Schema | None:
        """The columns, for remarks on column statements, which are no partition DDL: None without a note."""
        try:
            return self.schema
        except NotKnownError:
            return None

    def _created_schema(self, node: nodes.Create) -> Schema:
        columns = tuple(as_field(c) for c in (*(node.columns or ()), *node.typed_partitions))
        if node.query is not None:
            found = self._of_query
            if found is None or any(item.type == UNKNOWN for item in found.fields):
                raise NotKnownError("its columns", "they come from a query")
            columns = found.fields
        base = self.known.get(node.table.parts) if node.replace else None
        if isinstance(base, Table) and base.kind is Kind.ICEBERG:
            return Schema(columns).with_fresh_ids(base.schema, base.last_column_id)[0]
        return Schema(columns).with_fresh_ids()[0]

    @cached_property
    def _of_query(self) -> Schema | None:
        """The columns of a CREATE's query, some perhaps of unknown type."""
        node = self.node
        if not isinstance(node, nodes.Create) or node.query is None:
            return None
        from spark_iceberg_sql.rules.query import columns_of  # the command starts sooner

        query = self.words(node.query)
        return self.known.columns_of(query) or columns_of(query, self._columns_of_table)

    @property
    def sources(self) -> Schema:
        """The columns by which transforms are judged one by one: of a query, those that are known."""
        found = self._of_query
        unsure = found is not None and any(item.type == UNKNOWN for item in found.fields)
        return found.with_fresh_ids()[0] if found is not None and unsure else self.schema

    def of_known_type(self, column: Column) -> Column:
        """The column, where its type is known."""
        if column.field.type == UNKNOWN:
            raise NotKnownError(f"the type of `{column.name}`", "the query computes it")
        return column

    def _columns_of_table(self, parts: nodes.Name) -> Schema | None:
        """The columns that a query reads from a table, by its name."""
        from spark_iceberg_sql.rules.query_types import read

        found = self.known.get(parts)
        if not isinstance(found, Table) or found.schema is None or not found.sure:
            return None
        fields = (replace(f, required=False, type=read(f.type)) for f in found.schema.fields)
        return Schema(tuple(fields))

    @cached_property
    def makes_iceberg(self) -> bool:
        """Whether a CREATE makes an Iceberg table: it says so, or its catalog is not Spark's own."""
        provider = getattr(self.node, "provider", None)
        if provider in (None, "iceberg"):
            return provider is not None or not self.in_session_catalog
        return self.in_session_catalog is False and provider in ("parquet", "orc", "avro")

    @property
    def of_unsure_kind(self) -> bool:
        """Whether a CREATE may make an Iceberg table, or one of Spark's own catalog: nothing says which."""
        node = self.node
        if not isinstance(node, nodes.Create) or node.provider is not None:
            return False
        if self.in_session_catalog is not None:
            return False
        return not any(term.call is not None for term in node.partitioning or ())

    @cached_property
    def in_session_catalog(self) -> bool | None:
        """Whether the table lies in Spark's own catalog, `spark_catalog`; None where nobody knows."""
        name = self.known.full_name(self.target_name)
        if name[0].lower() == "spark_catalog":
            return True
        return False if self.known.catalog is not None or len(name) > 2 else None

    @cached_property
    def terms(self) -> tuple[TermFacts, ...]:
        """Every transform that the statement writes, in order of place."""
        node = self.node
        if isinstance(node, nodes.Create):
            if not self.makes_iceberg:
                return ()
            typed = tuple(identity_on(column) for column in node.typed_partitions)
            return tuple(TermFacts(term, self) for term in node.partitioning or typed)
        if isinstance(node, nodes.AddField):
            return (TermFacts(node.term, self, node.name),)
        if isinstance(node, nodes.DropField):
            return (TermFacts(node.term, self, dropping=True),)
        if isinstance(node, nodes.ReplaceField):
            return (
                TermFacts(node.old, self, dropping=True),
                TermFacts(node.new, self, node.name),
            )
        return ()

    @property
    def new_terms(self) -> tuple[TermFacts, ...]:
        """The terms that ask for a field, those that name one to drop left out."""
        return tuple(term for term in self.terms if not term.dropping)

    @cached_property
    def dropped(self) -> PartitionField | None:
        """The field that DROP or REPLACE takes away; None where there is no such field (SIS401)."""
        term = next((term for term in self.terms if term.dropping), None)
        if term is None:
            return None
        spec = self.specs.spec
        ref = term.source
        bare = ref.parts[0] if term.term.call is None and ref and len(ref.parts) == 1 else None
        if bare is not None and self.schema.find((bare,)) is None:
            # A single name that is no column's is a partition field's (DropPartitionFieldExec).
            field = spec.named(bare)
        elif term.bound is None or term.column is None or term.column.field.field_id is None:
            return None
        else:
            field = spec.like(term.column.field.field_id, term.bound)
        if field is None and self.iceberg.partial:
            raise SettledError
        return field

    @cached_property
    def properties(self) -> Mapping[str, str]:
        """The properties that the statement sets; OPTIONS of a CREATE are properties too, and prevail."""
        node = self.node
        if isinstance(node, nodes.Create):
            return {item.key: item.value for item in (*node.properties, *node.options)}
        if isinstance(node, nodes.SetProperties):
            return {item.key: item.value for item in node.properties}
        return {}

    @cached_property
    def format_version(self) -> int | None:
        """The table's format version once the statement has run; None where SIS410 refuses it."""
        asked = self.properties.get("format-version")
        if asked is not None:
            number = int(asked) if _INTEGER.fullmatch(asked) else 0
            return number if number in (1, 2, 3) else None
        if isinstance(self.node, nodes.Create):
            old = self.replaced
            if old is None:
                return DEFAULT_FORMAT_VERSION
        else:
            old = self.iceberg
        if old.format_version is None:
            raise NotKnownError("its format version", old.why_unknown or "nothing says it")
        return old.format_version

    @cached_property
    def wanted(self) -> Wanted | None:
        """The one field that ADD or REPLACE asks for; None where rules 1xx or 2xx refuse it."""
        return self.new_terms[0].wanted if len(self.new_terms) == 1 else None

    @cached_property
    def proposed(self) -> PartitionField | None:
        """The field that ADD or REPLACE would make, with its name and id; None as `wanted`.

        REPLACE of a field by itself keeps the field, at most under another name.
        """
        wanted, dropped = self.wanted, self.dropped
        if wanted is None:
            return None
        if dropped is not None and dropped.key == (wanted.source_id, str(wanted.transform)):
            return replace(dropped, name=wanted.name or dropped.name)
        try:
            return self.specs.proposed(wanted)
        except SpecUncertainError:
            raise NotKnownError("the field's name", "it has had several") from None

    @cached_property
    def after(self) -> Table | None:
        """The table as the statement would leave it; None where a more basic rule refuses it."""
        return outcome(self)

    @cached_property
    def new_damage(self) -> tuple[Damage, ...]:
        """What the statement would break in the table that is not broken yet."""
        after = self.after
        if after is None:
            return ()
        if after.specs is None or after.schema is None:
            raise NotKnownError("its partition specs", after.why_unknown or "nothing says them")
        before = self.replaced if isinstance(self.node, nodes.Create) else self.iceberg
        old: set[tuple[object, ...]] = set()
        if before is not None and before.specs is not None and before.schema is not None:
            old = {_mark(item) for item in self._damage(before.specs, before.schema)}
        new = self._damage(after.specs, after.schema)
        return tuple(d for d in new if _mark(d) not in old)

    @cached_property
    def damage_to_row_changes(self) -> tuple[tuple[Damage, ...], bool]:
        """Damage that shows with merge-on-read, and whether the table writes so once the statement has run.

        A statement that turns merge-on-read on makes all of it that there is.
        """
        after = self.after
        before = self.replaced if isinstance(self.node, nodes.Create) else self.iceberg
        on = after is not None and after.merges_on_read
        if after is None or before is None or not on or before.merges_on_read:
            return self.new_damage, on
        if after.specs is None or after.schema is None:
            raise NotKnownError("its partition specs", after.why_unknown or "nothing says them")
        return self._damage(after.specs, after.schema), on

    def _damage(self, specs: Specs, schema: Schema) -> tuple[Damage, ...]:
        return damage(specs, schema, case_sensitive=self.known.case_sensitive)


def _part_of_a_table(name: str) -> Kind | None:
    """What `t.name` is besides a table: a metadata table, a branch or tag, or nothing."""
    low = name.lower()
    if low in _METADATA_TABLES:
        return Kind.METADATA
    return Kind.BRANCH if is_branch(name) else None


def _mark(item: Damage) -> tuple[object, ...]:
    other = item.other.field_id if item.other is not None else None
    return item.kind, item.field.field_id, other
