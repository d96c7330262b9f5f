"""The terms of a statement, resolved: transform, parameter, source column, and the partition field each requests."""

from __future__ import annotations

from spark_iceberg_sql.facts.target_context import AlreadyReportedError, TargetContext, UnknownFactError
from spark_iceberg_sql.lazy import cached_property
from spark_iceberg_sql.model import transforms
from spark_iceberg_sql.model.bound_transform import BoundTransform, bind_transform
from spark_iceberg_sql.model.evolution import RequestedField, SpecUncertainError, added_field
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.syntax import nodes, terms


@record(frozen=True, eq=False)
class ResolvedTerm:
    """A transform over a column, resolved against the schema.

    term: as written. context: the statement that contains it. name: the AS name. dropping: whether it names a field to
    drop or to replace, rather than a new one.
    """

    term: terms.Term
    context: TargetContext
    name: terms.NamePath | None = None
    dropping: bool = False

    @cached_property
    def transform(self) -> Transform | None:
        """The transform; None if there is none with this name."""
        return transforms.find_transform(self.term.transform_name)

    @cached_property
    def source(self) -> terms.NamePath | None:
        """The source column as written; None unless there is exactly one."""
        first = self.term.arguments[:1]
        columns = first if len(self.term.arguments) == 1 else self.term.columns
        return columns[0] if len(columns) == 1 and isinstance(columns[0], terms.NamePath) else None

    @cached_property
    def parameter(self) -> int | None:
        """The bucket count or the width; None if there is none, several, or one out of range."""
        literals = self.term.literals
        transform = self.transform
        if transform is None or transform.parameter is None or len(literals) != 1:
            return None
        value, bounds = literals[0].value, transform.parameter
        return value if value is not None and bounds.minimum <= value <= bounds.maximum else None

    @cached_property
    def bound(self) -> BoundTransform | None:
        """The transform with its parameter; None if the text alone is invalid (rules 1xx)."""
        transform = self.transform
        if transform is None or not transform.in_ddl or self.source is None:
            return None
        takes_number = transform.parameter is not None
        if len(self.term.literals) != int(takes_number) or takes_number != (self.parameter is not None):
            return None
        return bind_transform(transform.name, self.parameter)

    @cached_property
    def is_canonical(self) -> bool:
        """True if it is canonical DDL: the transform's number, if it takes one, in range, then one column."""
        transform, arguments = self.transform, self.term.arguments
        if transform is None or not transform.in_ddl:
            return False
        if transform.parameter is None:
            return len(arguments) == 1 and isinstance(arguments[0], terms.NamePath)
        if len(arguments) != 2 or not isinstance(arguments[1], terms.NamePath):
            return False
        number = arguments[0]
        is_integer = isinstance(number, terms.Literal) and number.suffix in ("", "L", "l")
        return is_integer and self.parameter is not None

    @property
    def spark_reads(self) -> bool:
        """True if Spark itself parses the call: strict about arguments, case-insensitive about columns.

        In CREATE and in lower case only; every other spelling, and all of ALTER, is read by Iceberg
        (AstBuilder.visitPartitionTransforms, Spark3Util.toIcebergTransform).
        """
        return isinstance(self.context.node, nodes.Create) and self.term.transform_name in transforms.SPARK_PARSES

    @cached_property
    def column(self) -> Column | None:
        """The source column; None if no column has this name, or several have.

        Names are case-sensitive, except for bare columns and Spark's own transforms in CREATE. CREATE compares the
        parts of a name, ALTER the dotted name: `a.b` in one pair of backticks is another column there.
        """
        if self.source is None:
            return None
        parts, is_create = self.source.parts, isinstance(self.context.node, nodes.Create)
        schema = self.context.source_schema
        column = schema.find(parts)
        ignores_case = is_create and (self.term.transform_name is None or self.spark_reads)
        if column is None and ignores_case and not self.context.catalog.case_sensitive:
            matches = schema.find_all(parts)
            column = matches[0] if len(matches) == 1 else None
        if column is not None and is_create and len(column.parents) + 1 != len(parts):
            return None
        return column if column is None else self.context.require_known_type(column)

    @cached_property
    def requested_field(self) -> RequestedField | None:
        """The partition field that it requests; None if rules 1xx or 2xx refuse it."""
        bound, column = self.bound, self.column
        if bound is None or column is None or column.field.field_id is None:
            return None
        if column.in_collection or not bound.transform.takes(column.field.type):
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
    ref = terms.NamePath((column.name,), (column.span[0], end), column.name)
    return terms.Term(None, (ref,), column.span, ref.span)


@record(frozen=True, eq=False)
class TermsContext(TargetContext):
    """A statement with the partition fields that its transforms name, request and drop."""

    def forget(self) -> None:
        """Drop the terms, which refer back to this statement: otherwise only garbage collection would free both."""
        vars(self).pop("terms", None)
        vars(self).pop("new_terms", None)

    @cached_property
    def terms(self) -> tuple[ResolvedTerm, ...]:
        """Every transform that the statement writes, in order of place."""
        node = self.node
        match node:
            case nodes.Create() if self.creates_iceberg:
                typed = tuple(identity_on(column) for column in node.typed_partitions)
                return tuple(ResolvedTerm(term, self) for term in node.partitioning or typed)
            case nodes.AddField():
                return (ResolvedTerm(node.term, self, node.name),)
            case nodes.DropField():
                return (ResolvedTerm(node.term, self, dropping=True),)
            case nodes.ReplaceField():
                return (ResolvedTerm(node.old, self, dropping=True), ResolvedTerm(node.new, self, node.name))
        return ()

    @cached_property
    def new_terms(self) -> tuple[ResolvedTerm, ...]:
        """The terms that request a field, without those that name one to drop."""
        return tuple(term for term in self.terms if not term.dropping)

    @cached_property
    def dropped_field(self) -> PartitionField | None:
        """The field that DROP or REPLACE drops; None if there is no such field (SIS401)."""
        term = next((term for term in self.terms if term.dropping), None)
        if term is None:
            return None
        spec = self.specs.spec
        ref = term.source
        bare_name = ref.parts[0] if term.term.transform_name is None and ref and len(ref.parts) == 1 else None
        if bare_name is not None and self.schema.find((bare_name,)) is None:
            # A single name that is no column's is a partition field's (DropPartitionFieldExec).
            field = spec.field_named(bare_name)
        elif term.bound is None or term.column is None or term.column.field.field_id is None:
            return None
        else:
            field = spec.field_for(term.column.field.field_id, term.bound)
        # The recorded specs lack fields that could not be read; this may be one of them.
        if field is None and self.iceberg_table.is_partial:
            raise AlreadyReportedError
        return field

    @cached_property
    def requested_field(self) -> RequestedField | None:
        """The one field that ADD or REPLACE requests; None if rules 1xx or 2xx refuse it."""
        return self.new_terms[0].requested_field if len(self.new_terms) == 1 else None

    @cached_property
    def added_field(self) -> PartitionField | None:
        """The field that ADD or REPLACE would create, with its name and id; None if `requested_field` is.

        REPLACE of a field with itself keeps the field, possibly under another name.
        """
        requested_field, dropped_field = self.requested_field, self.dropped_field
        if requested_field is None:
            return None
        if dropped_field is not None and dropped_field.key == (
            requested_field.source_id,
            requested_field.transform.text,
        ):
            return replace(dropped_field, name=requested_field.name or dropped_field.name)
        try:
            return added_field(self.specs, requested_field)
        except SpecUncertainError:
            raise UnknownFactError("the partition field's name", "it has had several names") from None
