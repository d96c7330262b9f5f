"""A column that the table does not have.

## Why
A partition field needs a source column, and AFTER needs a sibling of the column that moves. Names are
case-sensitive: `ADD PARTITION FIELD ID` is refused if the column is `id`, although the rest of Spark ignores
case. CREATE TABLE is case-sensitive too, except for bare columns and for bucket, years, months, days and hours
in lower case.

## Instead
The column's name exactly as the table has it, without the table's name before it. A partition field's name
(`ts_day`) is not a column.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(event_ts));
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD bucket(16, ID);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD COLUMN kind STRING AFTER event_ts;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(TS));
ALTER TABLE events ADD PARTITION FIELD bucket(16, id);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.facts.target_context import known_or_none
from spark_iceberg_sql.files.source_map import MODELS, SqlFragment
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.types import List, Map, Primitive, Struct, is_iceberg
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.column_positions import misplaced_columns
from spark_iceberg_sql.rules.message_format import column_text, join_names, type_with_article
from spark_iceberg_sql.rules.preconditions import has_risky_fields
from spark_iceberg_sql.rules.program_calls import with_reader_message
from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


def _in_program(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic:
    """The query of a call is a DataFrame."""
    worded = with_reader_message(fragment, diagnostic)
    if worded is not diagnostic or fragment.api in MODELS or diagnostic.help is None:
        return worded
    return replace(diagnostic, help=diagnostic.help.replace(" in the query", " in the DataFrame"))


@rule(
    Severity.ERROR,
    on=(
        nodes.Create,
        nodes.AddField,
        nodes.ReplaceField,
        nodes.AddColumns,
        nodes.DropColumns,
        nodes.RenameColumn,
        nodes.AlterColumn,
    ),
    spec="Partitioning",
    when=has_risky_fields,
    category=Category.COLUMNS,
    from_absence=True,
    in_programs=_in_program,
)
def unknown_column(context: Context) -> Findings:
    """Every source column of a new field, and every column to change, that the table does not have."""
    changed_refs = _changed_refs(context.node)
    schema = context.schema_if_known if changed_refs else None
    for column_ref in changed_refs if schema is not None else ():
        columns = context.schema.find_all(column_ref.parts, case_sensitive=context.catalog.case_sensitive)
        if not columns:
            message = f"`{context.target.text}` has no column `{column_ref.text}`"
            yield Finding(column_ref.span, message, _similar_help(context, column_ref))
        elif isinstance(context.node, nodes.AddColumns) and not isinstance(columns[0].field.type, Struct):
            data_type = type_with_article(columns[0].field.type)
            message = f"`{column_ref.text}` cannot be added: `{columns[0].name}` is {data_type}, not a struct"
            yield Finding(column_ref.span, message, f"write `ADD COLUMN {quoted(column_ref.text.split('.')[-1])} ...`")
    yield from misplaced_columns(context)
    for facts in context.new_terms:
        ref = facts.source
        if ref is None or facts.column is not None or _is_reported_elsewhere(facts):
            continue
        case_matches = context.source_schema.find_all(ref.parts)
        if case_matches and (len(case_matches) == 1 or not _is_ambiguous(context, case_matches)):
            yield _spelling_finding(facts, ref, case_matches)
        elif not case_matches:
            message = f"`{context.target.text}` has no column `{ref.text}`"
            yield Finding(ref.span, message, _help(context, facts, ref), early=True)


def _changed_refs(node: nodes.Node) -> tuple[terms.NamePath, ...]:
    """The columns that must exist for a column statement to run."""
    match node:
        case nodes.DropColumns():
            return () if node.if_exists else node.columns
        case nodes.RenameColumn():
            return (node.column,)
        case nodes.AlterColumn():
            return (node.column, *(change.column for change in node.other_changes))
        case nodes.AddColumns():
            paths = (path for path, _ in node.columns if len(path.parts) > 1)
            return tuple(terms.NamePath(path.parts[:-1], path.span, path.text) for path in paths)
    return ()


def _similar_help(context: Context, ref: terms.NamePath) -> str:
    names = context.suggested_names(context.schema, ".".join(ref.parts))
    return f"write {join_names(names)}" if names else "add the column first"


def _spelling_finding(facts: ResolvedTerm, ref: terms.NamePath, columns: tuple[Column, ...]) -> Finding:
    """A column that exists, but in other case or with other quotes."""
    names, name = [column_text(column) for column in columns], columns[0].name
    is_dotted = name == ".".join(ref.parts)
    difference = "the dot inside or outside the backticks makes a difference"
    reason = difference if is_dotted else "names are case-sensitive here"
    fix = None
    if len(names) == 1:
        is_path = len(columns[0].parents) + 1 == len(ref.parts) == name.count(".") + 1
        is_safe = is_path and not facts.context.catalog.case_sensitive
        fix = Fix(f"write `{names[0]}`", (Edit(*ref.span, names[0]),), safe=is_safe)
    return Finding(
        ref.span,
        f"`{ref.text}` does not match the column {join_names(names)}: {reason}",
        f"write {join_names(_clause(facts, name) for name in names)}",
        fix,
        early=True,
    )


def _is_ambiguous(context: Context, case_matches: tuple[Column, ...]) -> bool:
    """True if the columns of the same name are reported separately (SIS207)."""
    has_equal_names = len({column.name for column in case_matches}) < len(case_matches)
    return has_equal_names or (isinstance(context.node, nodes.Create) and not context.catalog.case_sensitive)


def _is_reported_elsewhere(facts: ResolvedTerm) -> bool:
    """True if the path leads into a list or a map (SIS204), or into an unsupported type (SIS209)."""
    parts = facts.source.parts if facts.source is not None else ()
    if len(parts) < 2:
        return False
    data_types = [column.field.type for column in facts.context.source_schema.enclosing_columns(parts)]
    return any(
        isinstance(data_type, List | Map) or (isinstance(data_type, Primitive) and not is_iceberg(data_type))
        for data_type in data_types
    )


def _help(context: Context, facts: ResolvedTerm, ref: terms.NamePath) -> str:
    schema = context.source_schema
    matches_by_suffix = [schema.find_all(ref.parts[n:]) for n in range(1, len(ref.parts))]
    unqualified_column = next((matches[0] for matches in matches_by_suffix if len(matches) == 1), None)
    if unqualified_column is not None:
        return f"write only the column: `{_clause(facts, column_text(unqualified_column))}`"
    field = next((f for f in _fields(context) if f.name.lower() == ref.parts[-1].lower()), None)
    if field is not None:
        clause = _clause(facts, field.source)
        return f"that is the name of the partition field `{field.clause}`: write `{clause}`"
    similar_names = context.similar_names(schema, ".".join(ref.parts))
    column = schema.find(similar_names[:1]) if similar_names else None
    if column is not None and not column.in_collection:
        return f"write `{_clause(facts, column_text(column))}`"
    transform = facts.transform
    candidates = (
        column_text(column)
        for column in schema.first_of_each_type
        if transform is None or transform.takes(column.field.type)
    )
    columns = join_names(_clause(facts, column) for column in candidates)
    name = quoted(ref.parts[-1])
    if ref.parts[-1].lower() in RESERVED:
        first = "leave it out: a table's hidden columns are not stored"
    elif isinstance(context.node, nodes.Create) and context.node.query is not None:
        first = f"select `{name}` in the query"
    elif isinstance(context.node, nodes.Create):
        first = f"add `{name}` to the column list"
    else:
        first = f"`ALTER TABLE {context.target.text} ADD COLUMN {name} ...` first"
    if columns:
        return f"write {columns}, or {first}"
    return f"write {first}" if first.startswith("`") else first


def _fields(context: Context) -> tuple[PartitionField, ...]:
    """The fields that the table has or had, as far as is known."""
    specs = known_or_none(lambda: context.specs) if not isinstance(context.node, nodes.Create) else None
    return specs.all_fields if specs is not None else ()


def _clause(facts: ResolvedTerm, column: str) -> str:
    transform = facts.transform
    if transform is None or not transform.in_ddl:
        return column
    return transform.clause(column, facts.parameter)
