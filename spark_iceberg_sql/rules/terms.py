"""What a transform over a column means: its record, its parameter, its column, the field that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from spark_iceberg_sql import nodes
from spark_iceberg_sql.model import transforms
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import Wanted
from spark_iceberg_sql.model.transforms import BoundTransform, Transform

if TYPE_CHECKING:
    from spark_iceberg_sql.rules.case import Case

# What Spark's own parser knows as transforms in CREATE, in lower case only; every other spelling, and all
# of ALTER, is read by Iceberg (AstBuilder.visitPartitionTransforms, Spark3Util.toIcebergTransform).
_SPARK_READS = frozenset({"bucket", "years", "months", "days", "hours"})


@dataclass(frozen=True, eq=False)
class TermFacts:
    """A transform over a column as the statement writes it, with what it means.

    term: as written. case: the statement it stands in. name: the AS name. dropping: whether it names a
    field to drop or to replace, rather than one to make.
    """

    term: nodes.Term
    case: Case
    name: nodes.Ref | None = None
    dropping: bool = False

    @cached_property
    def transform(self) -> Transform | None:
        """The transform; None where there is none of this name."""
        call = self.term.call
        return transforms.BY_SPELLING.get("identity" if call is None else call.lower())

    @cached_property
    def source(self) -> nodes.Ref | None:
        """The source column as written; None unless there is exactly one."""
        columns = self.term.columns
        return columns[0] if len(columns) == 1 else None

    @cached_property
    def parameter(self) -> int | None:
        """The bucket count or the width; None where there is none, several, or one out of range."""
        literals = self.term.literals
        record = self.transform
        if record is None or record.parameter is None or len(literals) != 1:
            return None
        value = literals[0].value
        if value is None or not record.parameter.minimum <= value <= record.parameter.maximum:
            return None
        return value

    @cached_property
    def bound(self) -> BoundTransform | None:
        """The transform with its parameter; None where the text alone is faulty (rules 1xx)."""
        record = self.transform
        if record is None or not record.in_ddl or self.source is None:
            return None
        if len(self.term.literals) != (0 if record.parameter is None else 1):
            return None
        if record.parameter is not None and self.parameter is None:
            return None
        return BoundTransform(record, self.parameter)

    @property
    def spark_reads(self) -> bool:
        """Whether Spark itself reads the call: strictly about arguments, lax about letter case."""
        return isinstance(self.case.node, nodes.Create) and self.term.call in _SPARK_READS

    @cached_property
    def column(self) -> Column | None:
        """The source column; None where there is none of this name, or several.

        Letter case counts, but for bare columns and Spark's own transforms in CREATE. CREATE goes by the
        parts of a name, ALTER by its dotted whole: `a.b` in one pair of backticks is another column there.
        """
        if self.source is None:
            return None
        parts, create = self.source.parts, isinstance(self.case.node, nodes.Create)
        schema = self.case.sources
        found = schema.find(parts)
        lax = create and (self.term.call is None or self.spark_reads)
        if found is None and lax and not self.case.known.case_sensitive:
            several = schema.find_all(parts)
            found = several[0] if len(several) == 1 else None
        if found is not None and create and len(found.parents) + 1 != len(parts):
            return None
        return found if found is None else self.case.of_known_type(found)

    @cached_property
    def wanted(self) -> Wanted | None:
        """The partition field that it asks for; None where rules 1xx or 2xx refuse it."""
        bound, column = self.bound, self.column
        if bound is None or column is None or column.in_collection:
            return None
        if not bound.transform.takes(column.field.type) or column.field.field_id is None:
            return None
        name = ".".join(self.name.parts) if self.name is not None else None
        return Wanted(column.field.field_id, column.name, bound, name)

    @property
    def source_text(self) -> str:
        """The source column as the user wrote it."""
        return self.source.text if self.source is not None else ""


def identity_on(column: nodes.ColumnDef) -> nodes.Term:
    """Hive's `PARTITIONED BY (dt string)`: identity on the column that it adds."""
    end = column.span[0] + len(column.name)
    ref = nodes.Ref((column.name,), (column.span[0], end), column.name)
    return nodes.Term(None, (ref,), column.span, ref.span)
