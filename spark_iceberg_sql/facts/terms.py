"""The terms of a statement, resolved: transform, parameter, source column, and the partition field each requests."""

from __future__ import annotations

from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError, Target
from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model import transforms
from spark_iceberg_sql.model.bound_transform import BoundTransform, bound
from spark_iceberg_sql.model.evolution import RequestedField, SpecUncertainError, proposed
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.syntax import nodes, terms


@record(frozen=True, eq=False)
class TermFacts:
    """A transform over a column, resolved against the schema.

    term: as written. context: the statement that contains it. name: the AS name. dropping: whether it names a
    field to drop or to replace, rather than a new one.
    """

    term: terms.Term
    statement: Target
    name: terms.Ref | None = None
    dropping: bool = False

    @cached_property
    def transform(self) -> Transform | None:
        """The transform; None if there is none with this name."""
        return transforms.spelled(self.term.call)

    @cached_property
    def source(self) -> terms.Ref | None:
        """The source column as written; None unless there is exactly one."""
        first = self.term.arguments[:1]
        columns = first if len(self.term.arguments) == 1 else self.term.columns
        return columns[0] if len(columns) == 1 and isinstance(columns[0], terms.Ref) else None

    @cached_property
    def parameter(self) -> int | None:
        """The bucket count or the width; None if there is none, several, or one out of range."""
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
        """The transform with its parameter; None if the text alone is invalid (rules 1xx)."""
        record = self.transform
        if record is None or not record.in_ddl or self.source is None:
            return None
        if len(self.term.literals) != (0 if record.parameter is None else 1):
            return None
        if record.parameter is not None and self.parameter is None:
            return None
        return bound(record.name, self.parameter)

    @cached_property
    def plain(self) -> bool:
        """True if it is canonical DDL: the transform's number, if it takes one, in range, then one column."""
        record, arguments = self.transform, self.term.arguments
        if record is None or not record.in_ddl:
            return False
        if record.parameter is None:
            return len(arguments) == 1 and isinstance(arguments[0], terms.Ref)
        if len(arguments) != 2 or not isinstance(arguments[1], terms.Ref):
            return False
        number = arguments[0]
        if not isinstance(number, terms.Literal) or number.suffix not in ("", "L", "l"):
            return False
        return self.parameter is not None

    @property
    def spark_reads(self) -> bool:
        """True if Spark itself parses the call: strict about arguments, case-insensitive about columns.

        In CREATE and in lower case only; every other spelling, and all of ALTER, is read by Iceberg
        (AstBuilder.visitPartitionTransforms, Spark3Util.toIcebergTransform).
        """
        return (
            isinstance(self.statement.node, nodes.Create)
            and self.term.call in transforms.SPARK_PARSES
        )

    @cached_property
    def column(self) -> Column | None:
        """The source column; None if no column has this name, or several have.

        Names are case-sensitive, except for bare columns and Spark's own transforms in CREATE. CREATE
        compares the parts of a name, ALTER the dotted name: `a.b` in one pair of backticks is another
        column there.
        """
        if self.source is None:
            return None
        parts, create = self.source.parts, isinstance(self.statement.node, nodes.Create)
        schema = self.statement.sources
        found = schema.find(parts)
        lax = create and (self.term.call is None or self.spark_reads)
        if found is None and lax and not self.statement.known.case_sensitive:
            several = schema.find_all(parts)
            found = several[0] if len(several) == 1 else None
        if found is not None and create and len(found.parents) + 1 != len(parts):
            return None
        return found if found is None else self.statement.of_known_type(found)

    @cached_property
    def wanted(self) -> RequestedField | None:
        """The partition field that it requests; None if rules 1xx or 2xx refuse it."""
        bound, column = self.bound, self.column
        if bound is None or column is None or column.in_collection:
            return None
        if not bound.transform.takes(column.field.type) or column.field.field_id is None:
            return None
        name = ".".join(self.name.parts) if self.name is not None else None
        return RequestedField(column.field.field_id, column.name, bound, name)

    @property
    def source_text(self) -> str:
        """The source column as the user wrote it."""
        return self.source.text if self.source is not None else ""


def identity_on(column: terms.ColumnDef) -> terms.Term:
    """Hive's `PARTITIONED BY (dt string)`: identity on the column that it adds."""
    end = column.span[0] + len(column.name)
    ref = terms.Ref((column.name,), (column.span[0], end), column.name)
    return terms.Term(None, (ref,), column.span, ref.span)


@record(frozen=True, eq=False)
class Terms(Target):
    """A statement with the partition fields that its transforms name, request and drop."""

    def forget(self) -> None:
        """Drop the terms, which refer back to this statement: otherwise only garbage collection would free both."""
        vars(self).pop("terms", None)
        vars(self).pop("new_terms", None)

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

    @cached_property
    def new_terms(self) -> tuple[TermFacts, ...]:
        """The terms that request a field, without those that name one to drop."""
        return tuple(term for term in self.terms if not term.dropping)

    @cached_property
    def dropped(self) -> PartitionField | None:
        """The field that DROP or REPLACE drops; None if there is no such field (SIS401)."""
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
        # The recorded specs lack fields that could not be read; this may be one of them.
        if field is None and self.iceberg.partial:
            raise AlreadyReportedError
        return field

    @cached_property
    def wanted(self) -> RequestedField | None:
        """The one field that ADD or REPLACE requests; None if rules 1xx or 2xx refuse it."""
        return self.new_terms[0].wanted if len(self.new_terms) == 1 else None

    @cached_property
    def proposed(self) -> PartitionField | None:
        """The field that ADD or REPLACE would create, with its name and id; None if `requested_field` is.

        REPLACE of a field with itself keeps the field, possibly under another name.
        """
        wanted, dropped = self.wanted, self.dropped
        if wanted is None:
            return None
        if dropped is not None and dropped.key == (wanted.source_id, wanted.transform.text):
            return replace(dropped, name=wanted.name or dropped.name)
        try:
            return proposed(self.specs, wanted)
        except SpecUncertainError:
            raise NotKnownError("the partition field's name", "it has had several names") from None
