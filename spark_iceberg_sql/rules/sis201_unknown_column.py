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

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError
from spark_iceberg_sql.facts.terms import TermFacts
from spark_iceberg_sql.files.source_map import MODELS, Piece
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.types import List, Map, Primitive, Struct, is_iceberg
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_fields
from spark_iceberg_sql.rules.places import misplaced
from spark_iceberg_sql.rules.program_calls import in_words_of_reader
from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED
from spark_iceberg_sql.rules.words import a_type, listed, written
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import quoted


def _in_program(piece: Piece, diagnostic: Diagnostic) -> Diagnostic:
    """The query of a call is a DataFrame."""
    worded = in_words_of_reader(piece, diagnostic)
    if worded is not diagnostic or piece.api in MODELS or diagnostic.help is None:
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
    when=odd_fields,
    category=Category.COLUMNS,
    from_absence=True,
    in_programs=_in_program,
)
def unknown_column(context: Context) -> Iterator[Finding]:
    """Every source column of a new field, and every column to change, that the table does not have."""
    changed = _changed(context.node)
    schema = context.schema_if_known if changed else None
    for there in changed if schema is not None else ():
        found = context.schema.find_all(there.parts, case_sensitive=context.known.case_sensitive)
        if not found:
            message = f"`{context.target.text}` has no column `{there.text}`"
            yield Finding(there.span, message, _near(context, there))
        elif isinstance(context.node, nodes.AddColumns) and not isinstance(
            found[0].field.type, Struct
        ):
            kind = a_type(found[0].field.type)
            message = f"`{there.text}` cannot be added: `{found[0].name}` is {kind}, not a struct"
            yield Finding(
                there.span, message, f"write `ADD COLUMN {quoted(there.text.split('.')[-1])} ...`"
            )
    yield from misplaced(context)
    for facts in context.new_terms:
        ref = facts.source
        if ref is None or facts.column is not None or _elsewhere(facts):
            continue
        folded = context.sources.find_all(ref.parts)
        if folded and (len(folded) == 1 or not _settled(context, folded)):
            yield _letters(facts, ref, folded)
        elif not folded:
            message = f"`{context.target.text}` has no column `{ref.text}`"
            yield Finding(ref.span, message, _help(context, facts, ref), early=True)


def _changed(node: nodes.Node) -> tuple[terms.Ref, ...]:
    """The columns that must exist for a column statement to run."""
    if isinstance(node, nodes.DropColumns):
        return () if node.if_exists else node.columns
    if isinstance(node, nodes.RenameColumn):
        return (node.column,)
    if isinstance(node, nodes.AlterColumn):
        return (node.column, *(change.column for change in node.more))
    if isinstance(node, nodes.AddColumns):
        paths = (path for path, _ in node.columns if len(path.parts) > 1)
        return tuple(terms.Ref(path.parts[:-1], path.span, path.text) for path in paths)
    return ()


def _near(context: Context, ref: terms.Ref) -> str:
    schema = context.schema
    names = context.instead(schema, ".".join(ref.parts))
    return f"write {listed(names)}" if names else "add the column first"


def _letters(facts: TermFacts, ref: terms.Ref, found: tuple[Column, ...]) -> Finding:
    """A column that exists, but in other case or with other quotes."""
    names, name = [written(column) for column in found], found[0].name
    why = "names are case-sensitive here"
    if name == ".".join(ref.parts):
        why = "the dot inside or outside the backticks makes a difference"
    fix = None
    if len(names) == 1:
        path = len(found[0].parents) + 1 == len(ref.parts) == name.count(".") + 1
        same = path and not facts.statement.known.case_sensitive
        fix = Fix(f"write `{names[0]}`", (Edit(*ref.span, names[0]),), safe=same)
    return Finding(
        ref.span,
        f"`{ref.text}` does not match the column {listed(names)}: {why}",
        f"write {listed(_clause(facts, name) for name in names)}",
        fix,
        early=True,
    )


def _settled(context: Context, folded: tuple[Column, ...]) -> bool:
    """True if the columns of the same name are reported separately (SIS207)."""
    if len({column.name for column in folded}) < len(folded):
        return True
    return isinstance(context.node, nodes.Create) and not context.known.case_sensitive


def _elsewhere(facts: TermFacts) -> bool:
    """True if the path leads into a list or a map (SIS204), or into an unsupported type (SIS209)."""
    parts = facts.source.parts if facts.source is not None else ()
    if len(parts) < 2:
        return False
    kinds = [column.field.type for column in facts.statement.sources.around(parts)]
    return any(
        isinstance(kind, List | Map) or (isinstance(kind, Primitive) and not is_iceberg(kind))
        for kind in kinds
    )


def _help(context: Context, facts: TermFacts, ref: terms.Ref) -> str:
    schema = context.sources
    tail = [schema.find_all(ref.parts[n:]) for n in range(1, len(ref.parts))]
    alone = next((found[0] for found in tail if len(found) == 1), None)
    if alone is not None:
        return f"write only the column: `{_clause(facts, written(alone))}`"
    field = next((f for f in _fields(context) if f.name.lower() == ref.parts[-1].lower()), None)
    if field is not None:
        made = f"that is the name of the partition field `{field.clause}`"
        return f"{made}: write `{_clause(facts, field.source)}`"
    near = context.near(schema, ".".join(ref.parts))
    column = schema.find(near[:1]) if near else None
    if column is not None and not column.in_collection:
        return f"write `{_clause(facts, written(column))}`"
    record = facts.transform
    fit = (
        written(column)
        for column in schema.first_of_each_type
        if record is None or record.takes(column.field.type)
    )
    columns = listed(_clause(facts, column) for column in fit)
    name = quoted(ref.parts[-1])
    if ref.parts[-1].lower() in RESERVED:
        first = "leave it out: a table's hidden columns are not stored"
    elif isinstance(context.node, nodes.Create) and context.node.query is not None:
        first = f"select `{name}` in the query"
    elif isinstance(context.node, nodes.Create):
        first = f"add `{name}` to the column list"
    else:
        first = f"`ALTER TABLE {context.target.text} ADD COLUMN {name} ...` first"
    return f"write {columns}, or {first}" if columns else first


def _fields(context: Context) -> tuple[PartitionField, ...]:
    """The fields that the table has or had, as far as is known."""
    if isinstance(context.node, nodes.Create):
        return ()
    try:
        return context.specs.all_fields
    except (NotKnownError, AlreadyReportedError):
        return ()


def _clause(facts: TermFacts, column: str) -> str:
    record = facts.transform
    if record is None or not record.in_ddl:
        return column
    return record.clause(column, facts.parameter)
