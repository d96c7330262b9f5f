"""Lists of names in a CALL, `columns => array('a', 'b')`: those that its table does not have."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.call_conditions import missing_column
from spark_iceberg_sql.facts.call_parameters import Arguments
from spark_iceberg_sql.facts.call_refusals import Refused, is_template
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.table import Table, split_name
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.syntax.lexer import STRINGS
from spark_iceberg_sql.syntax.literals import unescape

_NUMBER = regex(r"-?[0-9]{1,9}")


def refused_names(arguments: Arguments, table: Table | None) -> Iterator[Refused]:
    """The names that a procedure refuses. table: None if its columns are unknown."""
    name = arguments.procedure.name
    if name == "compute_table_stats":
        yield from _columns(arguments, table, "columns", must_be_primitive=True)
    elif name == "create_changelog_view":
        yield from _columns(arguments, table, "identifier_columns", must_be_primitive=False)
        yield from _no_identifiers(arguments, table)
    elif name == "rewrite_manifests":
        yield from _partition_fields(arguments, table)


def unknown_spec(number: str, table: Table | None) -> str | None:
    """The sentence about the id of a spec that the table does not have; None if it may have it."""
    if _NUMBER.fullmatch(number) is None:
        return None
    is_unknown = int(number) < 0
    if table is not None and table.specs is not None and not table.is_partial:
        is_unknown = all(spec.spec_id != int(number) for spec in table.specs.all_specs)
    return f"the table has no spec with the id {number}" if is_unknown else None


def spec_help(table: Table | None) -> str:
    """What to write in place of such an id."""
    if table is None or table.specs is None:
        return "write the id of one of its specs, the first of which is 0"
    ids = ", ".join(str(spec.spec_id) for spec in sorted(table.specs.all_specs, key=lambda spec: spec.spec_id))
    return f"write {ids}" if len(table.specs.all_specs) == 1 else f"write one of {ids}"


def _names(arguments: Arguments, parameter: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The names in an array of literals, with the spans of their strings."""
    argument = arguments.by_name.get(parameter)
    tokens = arguments.tokens(argument) if argument is not None else []
    values = tokens[2:-1:2]
    if len(tokens) > 2 and tokens[0].word == "ARRAY" and all(token.kind in STRINGS for token in values):
        yield from ((unescape(token.text), token.span) for token in values)


def _columns(
    arguments: Arguments, table: Table | None, parameter: str, *, must_be_primitive: bool
) -> Iterator[Refused]:
    argument = arguments.by_name.get(parameter)
    if (
        argument is not None
        and must_be_primitive
        and [t.word for t in arguments.tokens(argument)] == ["ARRAY", "(", ")"]
    ):
        yield Refused(argument.value_span, f"`{parameter}` has no columns", "leave it out for all columns")
    if table is None or table.schema is None:
        return
    for name, span in _names(arguments, parameter):
        # Statistics are of columns in the same case.
        columns = table.schema.find_all(split_name(name), case_sensitive=must_be_primitive)
        if is_template(name):
            continue
        if not must_be_primitive and len(split_name(name)) > 1 and name not in {c.name for c in table.schema.fields}:
            yield Refused(span, f"`{parameter}` takes no nested field, such as `{name}`", "leave it out")
        elif not columns:
            message = f"`{parameter}` has `{name}`, which is no column"
            yield Refused(span, message, missing_column(table.schema, name))
        elif must_be_primitive and not isinstance(columns[0].field.type, Primitive):
            yield Refused(
                span, f"`{name}` is a struct, a list or a map, of which there are no statistics", "leave it out"
            )


def _no_identifiers(arguments: Arguments, table: Table | None) -> Iterator[Refused]:
    columns, argument = arguments.by_name.get("identifier_columns"), arguments.by_name.get("compute_updates")
    is_off = argument is not None and [token.word for token in arguments.tokens(argument)] == ["FALSE"]
    if (
        columns is not None
        and not is_off
        and [token.word for token in arguments.tokens(columns)] == ["ARRAY", "(", ")"]
    ):
        yield Refused(columns.value_span, "`identifier_columns` has no columns", "write the columns of the table's key")
        return
    if argument is None or [token.word for token in arguments.tokens(argument)] != ["TRUE"]:
        return
    if "identifier_columns" not in arguments.by_name and table is not None and table.identifiers == frozenset():
        message = "updates cannot be computed: the table has no identifier fields"
        yield Refused(
            argument.value_span, message, "add `identifier_columns => array('id')`, with the columns of its key"
        )


def _partition_fields(arguments: Arguments, table: Table | None) -> Iterator[Refused]:
    """Manifests are sorted by partition fields, not by columns, and are of one of the table's specs."""
    sort_by, spec_id = arguments.by_name.get("sort_by"), arguments.by_name.get("spec_id")
    if sort_by is not None and [token.word for token in arguments.tokens(sort_by)] == ["ARRAY", "(", ")"]:
        yield Refused(sort_by.value_span, "`sort_by` has no partition fields", "leave it out")
    number = "".join(token.text for token in arguments.tokens(spec_id)) if spec_id is not None else ""
    if spec_id is not None and (unknown := unknown_spec(number, table)) is not None:
        yield Refused(spec_id.value_span, unknown, spec_help(table))
    if table is None or table.specs is None or table.is_partial:
        return
    fields = [field for field in table.specs.spec.fields if not field.transform.is_void]
    for name, span in _names(arguments, "sort_by"):
        if is_template(name) or any(field.name == name for field in fields):
            continue
        field = next((field for field in fields if field.source.lower() == name.lower()), None)
        known = ", ".join(f"`{field.name}`" for field in fields)
        message = f"`sort_by` has `{name}`, which is no partition field"
        help_ = f"write '{field.name}'" if field is not None else f"its partition fields are {known}"
        yield Refused(span, message, help_ if fields else "leave it out: the table is not partitioned")
