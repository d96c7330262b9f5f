"""The facts about one statement that rules may ask for: its table, its terms, and the table after it."""

from __future__ import annotations

from spark_iceberg_sql.facts.ddl_effects import resulting_table
from spark_iceberg_sql.facts.resolved_terms import TermsContext
from spark_iceberg_sql.facts.target_context import UnknownFactError
from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model.corruption import CorruptField, corrupt_fields
from spark_iceberg_sql.model.schema import LISTED, Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax import nodes

# Pairs of characters that are compared in the searches for similar names in one text, which takes some seconds.
_MAX_COMPARED_PAIRS = 10_000_000


@record(eq=False, slots=True)
class SearchCost:
    """Cost of the searches for similar names in one text. pairs: pairs of characters compared."""

    pairs: int = 0


@record(frozen=True, eq=False)
class Context(TermsContext):
    """One statement with all facts about it. search_cost: shared by all statements of its text."""

    search_cost: SearchCost = field(default_factory=SearchCost)

    @cached_property
    def table_after(self) -> Table | None:
        """The table after the statement; None if a more basic rule refuses the statement."""
        return resulting_table(self)

    @cached_property
    def new_corruption(self) -> tuple[CorruptField, ...]:
        """Partition fields that the statement would newly corrupt."""
        table_after = self.table_after
        if table_after is None:
            return ()
        if table_after.specs is None or table_after.schema is None:
            raise UnknownFactError("its partition specs", table_after.why_unknown or "nothing defines them")
        table_before = self.replaced_table if isinstance(self.node, nodes.Create) else self.iceberg_table
        old_fields: tuple[CorruptField, ...] = ()
        if table_before is not None and table_before.specs is not None and table_before.schema is not None:
            old_fields = self._corrupt_fields(table_before.specs, table_before.schema)
        old_keys = set(map(_corruption_key, old_fields))
        fields = self._corrupt_fields(table_after.specs, table_after.schema)
        return tuple(field for field in fields if _corruption_key(field) not in old_keys)

    @cached_property
    def row_change_corruption(self) -> tuple[tuple[CorruptField, ...], bool]:
        """Corrupt fields that matter with merge-on-read, and whether the table then uses merge-on-read.

        For a statement that enables merge-on-read, these include the corrupt fields that exist already.
        """
        table_after = self.table_after
        table_before = self.replaced_table if isinstance(self.node, nodes.Create) else self.iceberg_table
        uses_merge_on_read = table_after is not None and table_after.merges_on_read
        if table_after is None or table_before is None or not uses_merge_on_read or table_before.merges_on_read:
            return self.new_corruption, uses_merge_on_read
        if table_after.specs is None or table_after.schema is None:
            raise UnknownFactError("its partition specs", table_after.why_unknown or "nothing defines them")
        return self._corrupt_fields(table_after.specs, table_after.schema), uses_merge_on_read

    def similar_names(self, schema: Schema, name: str) -> tuple[str, ...]:
        """Column names similar to `name`, best first; none if the search would take too long.

        Only suggestions depend on it: in a text with thousands of misspelled columns, the later ones get none.
        """
        pairs = len(name) * schema.name_length
        if self.search_cost.pairs + pairs > _MAX_COMPARED_PAIRS:
            return ()
        self.search_cost.pairs += pairs
        return schema.similar_names(name)

    def suggested_names(self, schema: Schema, name: str) -> list[str]:
        """Column names to suggest for `name`: similar ones, or else the first few."""
        return list(self.similar_names(schema, name)) or [column.name for column in schema.columns[:LISTED]]

    def _corrupt_fields(self, specs: Specs, schema: Schema) -> tuple[CorruptField, ...]:
        return corrupt_fields(specs, schema, case_sensitive=self.catalog.case_sensitive)


def _corruption_key(item: CorruptField) -> tuple[object, ...]:
    return item.kind, item.field.field_id, item.other.field_id if item.other is not None else None
