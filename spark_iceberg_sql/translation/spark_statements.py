"""Spark's statements of partition DDL: from definitions to text, and from text to definitions, by the checker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.model.bound_transform import bind_transform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transforms import find_transform
from spark_iceberg_sql.model.types import Field
from spark_iceberg_sql.report.table_ddl import columns_ddl
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted, string_literal
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Literal, NamePath, Term
from spark_iceberg_sql.translation.definitions import (
    Definition,
    FieldTerm,
    Name,
    SpecChange,
    TableDefinition,
    unsupported,
)

_OPENING, _CLOSING = ("(", "<"), (")", ">", ">>")
_FIELD_NODES = (nodes.AddField, nodes.DropField, nodes.ReplaceField)
_NOT_TRANSLATED = "write CREATE TABLE, or ALTER TABLE ... ADD, DROP or REPLACE PARTITION FIELD"


def dotted_name(name: Name) -> str:
    """A name as Spark takes it."""
    return qualified_name(name)


def clause(term: FieldTerm) -> str:
    """A partition field's term, `bucket(16, id)`."""
    return term.transform.clause(dotted_name(term.source))


def create_text(definition: TableDefinition) -> str:
    """The CREATE TABLE of a definition."""
    verb = "CREATE OR REPLACE TABLE" if definition.replaces else "CREATE TABLE"
    exists = "IF NOT EXISTS " if definition.if_not_exists else ""
    columns = Schema(
        tuple(_with_comment(column, definition.comments.get(column.name)) for column in definition.schema.fields)
    )
    table = dotted_name(definition.table)
    head = table if definition.query is not None else f"{table} ({columns_ddl(columns)})"
    lines = [f"{verb} {exists}{head} USING iceberg"]
    if definition.terms:
        lines.append(f"PARTITIONED BY ({', '.join(map(clause, definition.terms))})")
    if definition.comment is not None:
        lines.append(f"COMMENT {string_literal(definition.comment)}")
    if definition.location is not None:
        lines.append(f"LOCATION {string_literal(definition.location)}")
    if definition.properties:
        pairs = (f"{string_literal(k)} = {string_literal(v)}" for k, v in definition.properties.items())
        lines.append(f"TBLPROPERTIES ({', '.join(pairs)})")
    if definition.query is not None:
        lines.append(f"AS {definition.query}")
    return " ".join(lines)


def _with_comment(column: Field, comment: str | None) -> Field:
    return Field(column.name, column.type, column.required, column.field_id, comment)


def order_text(table: Name, order: Sequence[str]) -> str:
    """The statement that sorts the rows of each file. order: terms with their directions."""
    return f"ALTER TABLE {dotted_name(table)} WRITE LOCALLY ORDERED BY {', '.join(order)}"


def is_order(statement: Statement) -> bool:
    """True for ALTER TABLE ... WRITE ... ORDERED BY."""
    return isinstance(parser.parse(statement), nodes.WriteOrder)


def has_query(statement: Statement) -> bool:
    """True for CREATE TABLE ... AS SELECT, whose columns no definition has."""
    node = parser.parse(statement)
    return isinstance(node, nodes.Create) and node.query is not None


def apply_query(statement: Statement, catalog: Tables) -> None:
    """Leave the effect of a CREATE TABLE ... AS SELECT in `catalog`. Raises IcebergSqlError if it is refused."""
    _apply(statement, catalog)


def change_texts(change: SpecChange) -> list[str]:
    """The statements of a change of the spec: Spark changes one field in each."""
    prefix = f"ALTER TABLE {dotted_name(change.table)}"
    texts = [f"{prefix} DROP PARTITION FIELD {_dropped(term)}" for term in change.dropped]
    for term in change.added:
        name = "" if term.name is None else f" AS {quoted(term.name)}"
        texts.append(f"{prefix} ADD PARTITION FIELD {clause(term)}{name}")
    return texts


def _dropped(term: FieldTerm) -> str:
    return quoted(term.name) if term.name is not None and not term.transform.transform.is_identity else clause(term)


def definition_of(statement: Statement, catalog: Tables) -> Definition:
    """What a statement says; its effect is left in `catalog`.

    Raises IcebergSqlError, with the report, for a statement that the checker refuses, and for one that is no partition
    DDL, or has a clause that no engine shares.
    """
    node = parser.parse(statement)
    before = _table(catalog, node)
    _apply(statement, catalog)
    if isinstance(node, nodes.Create):
        return _table_definition(statement, node)
    if not isinstance(node, _FIELD_NODES):
        opening = " ".join(token.text for token in statement.opening(3)[:3])
        raise unsupported(f"`{opening} ...` is no partition DDL", _NOT_TRANSLATED)
    after = _table(catalog, node)
    if before is None or after is None or before.specs is None or after.specs is None or after.schema is None:
        return _textual_change(node)
    return _known_change(node.table.parts, before.specs, after.specs, after.schema)


def _apply(statement: Statement, catalog: Tables) -> None:
    report = check_and_apply(statement.text, catalog, before_execution=True)
    if not report.ok:
        (finding, *_) = report.errors
        raise unsupported(f"{finding.message} [{finding.code}]", finding.help or "correct it")


def _table(catalog: Tables, node: nodes.Node) -> Table | None:
    if not isinstance(node, nodes.OnTable):
        return None
    entry = catalog.get(node.table.parts)
    return entry if isinstance(entry, Table) and not entry.is_intended else None


# ------------------------------------------------------------------------------ changes


def _known_change(table: Name, before: Specs, after: Specs, schema: Schema) -> SpecChange:
    old_ids = {field.field_id for field in before.spec.fields if not field.transform.is_void}
    fields = [field for field in after.spec.fields if not field.transform.is_void]
    new_ids = {field.field_id for field in fields}
    dropped = [f for f in before.spec.fields if f.field_id in old_ids - new_ids]
    return SpecChange(
        table,
        tuple(_field_term(f, schema) for f in dropped),
        tuple(_field_term(f, schema) for f in fields if f.field_id not in old_ids),
        tuple(_field_term(f, schema) for f in fields),
    )


def field_terms(table: Table) -> tuple[FieldTerm, ...] | None:
    """The partition fields of a table; None if they are not known."""
    if table.specs is None or table.schema is None:
        return None
    return tuple(_field_term(f, table.schema) for f in table.specs.spec.fields if not f.transform.is_void)


def _field_term(field: PartitionField, schema: Schema) -> FieldTerm:
    column = schema.by_id(field.source_id)
    return FieldTerm(field.transform, (field.source,) if column is None else column.path, field.name)


def _textual_change(node: nodes.AddField | nodes.DropField | nodes.ReplaceField) -> SpecChange:
    dropped = [_dropped_term(node)] if not isinstance(node, nodes.AddField) else []
    added: list[FieldTerm] = []
    if not isinstance(node, nodes.DropField):
        name = node.name.parts[0] if node.name is not None else None
        added.append(_term(node.term if isinstance(node, nodes.AddField) else node.new, name))
    return SpecChange(node.table.parts, tuple(dropped), tuple(added), None)


def _dropped_term(node: nodes.DropField | nodes.ReplaceField) -> FieldTerm:
    return _term(node.term if isinstance(node, nodes.DropField) else node.old, None)


def _term(term: Term, name: str | None) -> FieldTerm:
    transform = find_transform(term.transform_name)
    source = next((argument for argument in term.arguments if isinstance(argument, NamePath)), None)
    number = next((argument.value for argument in term.arguments if isinstance(argument, Literal)), None)
    if transform is None or source is None:
        raise unsupported(f"`{term.transform_name}` is no transform", _NOT_TRANSLATED)
    return FieldTerm(bind_transform(transform.name, number), source.parts, name)


# ------------------------------------------------------------------------------ CREATE TABLE


def _table_definition(statement: Statement, node: nodes.Create) -> TableDefinition:
    for is_present, text in (
        (node.query is not None, "AS SELECT"),
        (node.like_table is not None, "LIKE"),
        (bool(node.typed_partitions), "Hive's PARTITIONED BY with types"),
        (node.hive, "STORED AS or ROW FORMAT"),
        (node.clustered_by is not None, "CLUSTERED BY"),
        (node.cluster_by is not None, "CLUSTER BY"),
        (bool(node.options), "OPTIONS"),
        (node.external, "EXTERNAL"),
        (not node.create, "REPLACE without CREATE"),
        (node.provider != "iceberg", "CREATE TABLE without USING iceberg"),
    ):
        if is_present:
            raise unsupported(f"{text} is not translated", "write CREATE TABLE with columns and PARTITIONED BY")
    for column in node.columns or ():
        if column.default or column.generated or column.constraint:
            raise unsupported(f"the column `{column.name}` has a clause that is not translated", "leave it out")
    # What it says does not depend on a table that it replaces, or leaves as it is.
    empty_catalog = Tables(complete=True)
    check_and_apply(statement.text, empty_catalog, before_execution=True)
    table = _table(empty_catalog, node)
    if table is None or table.schema is None or (terms := field_terms(table)) is None:
        raise unsupported(f"the columns of `{node.table.text}` are not known", "write them in CREATE TABLE")
    tokens = statement.tokens
    return TableDefinition(
        node.table.parts,
        table.schema,
        dict(_column_comments(tokens, node)),
        terms,
        replaces=node.replace,
        if_not_exists=node.if_not_exists,
        comment=_table_comment(tokens),
        location=node.location[0] if node.location is not None else None,
        properties={p.key: p.value for p in node.properties},
    )


def _depths(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens with the number of brackets around them."""
    depth = 0
    for token in tokens:
        depth -= (token.text in _CLOSING) + (token.text == ">>")
        yield depth, token
        depth += token.text in _OPENING


def _table_comment(tokens: Sequence[Token]) -> str | None:
    leveled = list(_depths(tokens))
    for (depth, token), (_, next_token) in pairwise(leveled):
        if depth == 0 and token.word == "COMMENT" and next_token.kind in STRINGS:
            return unescape(next_token.text)
    return None


def _column_comments(tokens: Sequence[Token], node: nodes.Create) -> Iterator[tuple[str, str]]:
    for column in node.columns or ():
        inside = [t for t in tokens if column.type_span[0] <= t.start < column.type_span[1]]
        if any(token.word == "COMMENT" for token in inside):
            raise unsupported(f"`{column.name}` has a comment inside its type", "leave it out")
        following = [t for t in tokens if t.start >= column.type_span[1]]
        clauses = between_commas(following)[0]
        for token, next_token in pairwise(clauses):
            if token.word == "COMMENT" and next_token.kind in STRINGS:
                yield column.name, unescape(next_token.text)
                break
            if token.text == ")":
                break
