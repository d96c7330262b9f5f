"""A statement whose target is missing or of the wrong kind.

## Why
Only Iceberg tables have partition fields: views, metadata tables (`t.files`) and tables of other formats do not.
For a branch (`t.branch_b1`) the statement is accepted and changes the table itself: a spec is not part of a
branch. It is also accepted if a temporary view has the table's name: SELECT reads the view, and ADD PARTITION
FIELD changes the table that the view hides.

Hive's statements (ADD PARTITION (day = '...'), DROP PARTITION, RECOVER PARTITIONS, SHOW PARTITIONS, MSCK
REPAIR TABLE) are refused: Iceberg's partitions are created and removed along with their rows.

DROP TABLE needs a table that exists, too. CREATE TABLE is refused if the table exists; with IF NOT EXISTS it does
nothing and is not checked further, so a new PARTITIONED BY has no effect. In Python, `insertInto` is refused
after `partitionBy` and `bucketBy`: the table that it inserts into has a partitioning; `append` after `partitionedBy`
ignores it, a second `partitionedBy` replaces the first, and a writer has only one of the two methods: `write` and
`writeStream` have `partitionBy`, with names of columns, `writeTo` has `partitionedBy`.

## Instead
The table itself: ALTER TABLE if it exists, CREATE TABLE if it does not.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
DROP TABLE events;
ALTER TABLE events ADD PARTITION FIELD days(ts);
```
```sql bad
CREATE TABLE local.db.events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE local.db.events.files ADD PARTITION FIELD days(ts);
```
```sql bad
CREATE TABLE events (id BIGINT, day STRING) USING iceberg PARTITIONED BY (day);
ALTER TABLE events ADD PARTITION (day = '2024-05-17');
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Diagnostic, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target_context import FIELD_STATEMENTS, UnknownFactError
from spark_iceberg_sql.files.source_map import APPEND, MODELS, SqlFragment
from spark_iceberg_sql.model.table import MissingTable, RelationKind, Table
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Event, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.lexer import STRINGS, TokenKind

# The feature that only Iceberg tables have, by statement; partition fields for all others.
_ICEBERG_FEATURES: dict[type[nodes.Node], str] = {
    nodes.WriteOrder: "sort orders",
    nodes.IdentifierFields: "identifier fields",
    nodes.ChangeSnapshotRef: "branches or tags",
}
_COLUMNS = (
    nodes.AddColumns,
    nodes.DropColumns,
    nodes.RenameColumn,
    nodes.AlterColumn,
    nodes.ReplaceColumns,
    nodes.AlterConstraint,
    nodes.SetProperties,
    nodes.RenameTable,
)


# Help for Hive's statements, by verb.
_HELP = {
    "drop": "to delete the rows write `DELETE FROM {table} WHERE {condition}`",
    "add": "leave out the statement; to change the partitioning write `ADD PARTITION FIELD`, to delete rows "
    "`DELETE FROM`",
    "show": "write `SELECT * FROM {partitions}`",
    "truncate": "write `DELETE FROM {table} WHERE ...`",
}
_UNRESOLVED_VERBS = ("msck", "repair", "show", "truncate")


def _in_program(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic | None:
    """Whether a table exists is often the program's or dbt's concern; an append is refused for another reason."""
    is_save_mode_ignore = fragment.api == "DataFrameWriter" and fragment.sql.startswith("CREATE TABLE IF NOT EXISTS")
    # Branches: `if not spark.catalog.tableExists(...)`, or try and except.
    if (fragment.api in MODELS and fragment.api != "sqlmesh") or fragment.branch_ranges or is_save_mode_ignore:
        return None
    if fragment.api != APPEND:
        return diagnostic
    table = diagnostic.message.partition(" exists")[0]
    message = f"{table} is partitioned differently, and Spark refuses to append to it with this partitioning"
    help_ = "leave out `partitionBy`: the rows get the partitions of the table"
    return replace(diagnostic, severity=Severity.ERROR, message=message, help=help_, fix=None)


@rule(
    Severity.ERROR,
    on=(nodes.Create, *FIELD_STATEMENTS, *_ICEBERG_FEATURES, *_COLUMNS, nodes.HivePartition, nodes.DropTable),
    spec="Partition Evolution",
    category=Category.TABLE,
    from_absence=True,
    event=Event.REFUSED_CALL,
    in_programs=_in_program,
)
def wrong_target(context: Context) -> Findings:
    """The statement's table, checked against what its name is known to refer to."""
    relation, name = context.table, context.target.text
    if isinstance(context.node, nodes.Create):
        yield from _create(context, context.node, relation)
    elif isinstance(context.node, nodes.HivePartition):
        yield from _hive(context, context.node, relation)
    elif isinstance(context.node, nodes.DropTable):
        if isinstance(relation, MissingTable) and not context.node.if_exists:
            yield Finding(
                context.target.span,
                f"there is no table `{name}`: {relation.reason}",
                f"write `DROP TABLE IF EXISTS {name}`",
            )
    elif isinstance(relation, MissingTable):
        yield from _missing_table(context, relation)
    elif isinstance(context.node, _COLUMNS):
        is_alter_view = context.statement.first == "ALTER" and context.statement.tokens[1].word == "VIEW"
        if relation is not None and relation.kind is RelationKind.VIEW and not is_alter_view:
            yield Finding(
                context.target.span,
                f"`{name}` is a view, and ALTER TABLE changes tables",
                "name the table that it reads, or recreate the view",
            )
        elif relation is not None and relation.kind in (RelationKind.METADATA, RelationKind.BRANCH):
            yield Finding(
                context.target.span,
                f"`{name}` is {relation.kind.value}, which cannot be altered separately",
                f"write `ALTER TABLE {'.'.join(context.target.parts[:-1])}`",
            )
    elif relation is not None and relation.kind is not RelationKind.ICEBERG:
        yield from _not_iceberg_table(context, relation)
    elif isinstance(context.node, FIELD_STATEMENTS) and not context.target.is_computed:
        yield from _by_another_name(context, relation)


def _missing_table(context: Context, missing_table: MissingTable) -> Findings:
    if context.catalog.is_temporary_view(context.target.parts):
        yield from _not_iceberg_table(context, Table(context.target.parts, kind=RelationKind.VIEW))
        return
    yield Finding(
        context.target.span,
        f"there is no table `{context.target.text}`: {missing_table.reason}",
        missing_table.help
        or f"write `CREATE TABLE {context.target.text} (...) USING iceberg PARTITIONED BY (...)` first, or "
        "another name",
    )


def _by_another_name(context: Context, table: Table | None) -> Findings:
    """The name of a branch or a temporary view, if the statement changes the table itself."""
    span, name = context.target.span, context.target.text
    if context.catalog.is_temporary_view(context.target.parts):
        full = qualified_name(context.catalog.full_name(context.target.parts))
        yield Finding(
            span,
            f"`{name}` is a temporary view here, but the statement would change the table `{full}`",
            f"write `ALTER TABLE {full}` if that is intended, or name the table that the view reads",
            severity=Severity.WARNING,
        )
    elif table is not None and table.name[-1].lower() != context.target.parts[-1].lower():
        parent = qualified_name(context.target.parts[:-1])
        yield Finding(
            span,
            f"`{name}` is a branch or tag, but the statement changes the whole table `{parent}`",
            f"write `ALTER TABLE {parent}` if that is intended",
            severity=Severity.WARNING,
        )


def _not_iceberg_table(context: Context, table: Table) -> Findings:
    span, name = context.target.span, context.target.text
    parent = ".".join(context.target.parts[:-1])
    feature = _ICEBERG_FEATURES.get(type(context.node), "partition fields")
    if table.kind is RelationKind.BRANCH:
        return  # Iceberg resolves it to the table itself
    if table.kind is RelationKind.METADATA:
        yield Finding(
            span, f"`{name}` is a metadata table, which cannot have {feature}", f"write `ALTER TABLE {parent}`"
        )
    elif table.kind is RelationKind.VIEW:
        noun = "partitions" if feature == "partition fields" else feature
        yield Finding(span, f"`{name}` is a view, which cannot have {noun}", "name the table that it reads")
    else:
        noun = f"a {table.provider} table" if table.provider else "not an Iceberg table"
        yield Finding(
            span,
            f"`{name}` is {noun}, and only Iceberg tables have {feature}",
            f"copy it: `CREATE TABLE {name}_iceberg USING iceberg PARTITIONED BY (...) AS SELECT * FROM {name}`",
        )


def _create(context: Context, node: nodes.Create, relation: Table | MissingTable | None) -> Findings:
    name = context.target.text
    if node.like_table is not None:
        source = context.catalog.get(context.in_spark_catalog(node.like_table.parts))
        if isinstance(source, MissingTable) and not _is_temporary_view(context, node.like_table):
            source_name = ".".join(source.name)
            yield Finding(
                node.like_table.span,
                f"LIKE resolves the name in Spark's own catalog, and there is no table `{source_name}`: "
                f"{source.reason}",
                f"write `CREATE TABLE {name} USING iceberg AS SELECT * FROM {node.like_table.text} WHERE false`",
            )
    if node.replace and not node.create and isinstance(relation, MissingTable):
        yield Finding(
            context.target.span,
            f"there is no table `{name}` to replace: {relation.reason}",
            f"write `CREATE OR REPLACE TABLE {name}`",
        )
    # After a statement that would have created the table, but is at fault, this is another attempt.
    if node.replace or not isinstance(relation, Table) or relation.is_intended:
        return
    if relation.kind in (RelationKind.METADATA, RelationKind.BRANCH):
        return
    if node.if_not_exists:
        if (node.partitioning or node.typed_partitions) and not _has_same_partitioning(context, relation):
            yield Finding(
                node.partitioning_span or context.target.span,
                f"`{name}` exists: IF NOT EXISTS leaves it unchanged, and this clause is ignored",
                f"change the partitioning with `ALTER TABLE {name} ADD PARTITION FIELD ...` or REPLACE",
                severity=Severity.WARNING,
                early=True,
            )
    elif relation.kind is not RelationKind.VIEW or len(relation.name) > 1:
        yield Finding(
            context.target.span,
            f"`{name}` already exists",
            f"write `ALTER TABLE {name}` to change it, or `CREATE TABLE IF NOT EXISTS {name}` to keep it",
        )


def _has_same_partitioning(context: Context, table: Table) -> bool:
    """True if a table has the partitioning that CREATE TABLE IF NOT EXISTS states, as far as is known."""
    if table.specs is None or table.schema is None or table.is_partial:
        return table.kind is RelationKind.ICEBERG  # unknown: assume the same
    existing_fields = [(field.source.lower(), str(field.transform)) for field in table.specs.spec.fields]
    stated_fields = [
        (".".join(facts.source.parts).lower(), str(facts.bound))
        for facts in context.terms
        if facts.source is not None and facts.bound is not None
    ]
    return existing_fields == stated_fields and len(stated_fields) == len(context.terms)


def _is_temporary_view(context: Context, ref: terms.NamePath) -> bool:
    """True if a single-part name is a temporary view, which LIKE accepts too."""
    relation = context.catalog.get(ref.parts)
    return len(ref.parts) == 1 and isinstance(relation, Table) and relation.kind is RelationKind.VIEW


def _hive(context: Context, node: nodes.HivePartition, relation: Table | MissingTable | None) -> Findings:
    if relation is None and node.verb.split()[0] in _UNRESOLVED_VERBS:
        return  # nothing to note where no partition is defined
    if isinstance(relation, Table) and not relation.is_certain:
        raise UnknownFactError(
            f"whether `{context.target.text}` is an Iceberg table",
            relation.why_unknown or "its CREATE TABLE has no USING, and no catalog is named",
        )
    if relation is None:
        raise UnknownFactError(f"the table `{context.target.text}`", context.catalog.why_unknown(context.target_name))
    if isinstance(relation, Table) and relation.kind is RelationKind.ICEBERG:
        yield Finding(
            node.verb_span,
            f"`{context.target.text}` is an Iceberg table: its partitions are created and removed with their rows",
            _HELP.get(node.verb.split()[0], _HELP["add"])
            .replace("{table}", context.target.text)
            .replace("{partitions}", context.metadata_table("partitions"))
            .replace("{condition}", _condition(context)),
        )


def _condition(context: Context) -> str:
    """The rows of a Hive partition, `(day = '2024-05-17', hour = 3)`, as a condition."""
    tokens = context.statement.tokens
    start = next((i for i, token in enumerate(tokens) if token.word == "PARTITION"), len(tokens)) + 2
    parts = [tokens[i : i + 4] for i in range(start, len(tokens), 4)]
    is_equality = [
        len(part) == 4 and part[1].text == "=" and part[2].kind in (*STRINGS, TokenKind.NUMBER) for part in parts
    ]
    ends = [part[-1].text for part in parts]
    if not parts or not all(is_equality) or ends[-1] != ")" or any(end != "," for end in ends[:-1]):
        return "..."
    return " AND ".join(f"{name.text} = {value.text}" for name, _, value, _ in parts)
