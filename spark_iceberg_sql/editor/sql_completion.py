"""Hover texts, inlay names and completions for an offset in SQL text; nothing here depends on an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target_context import AlreadyReportedError, UnknownFactError, known_or_none
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_SPELLING, TRANSFORMS, find_transform
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.message_format import column_text
from spark_iceberg_sql.safe_output import code
from spark_iceberg_sql.syntax import nodes, parser, terms
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.script import Statement, statements

_TAB_STOP = regex(r"\$\{\d+:([^}]*)\}")


@dataclass(frozen=True, slots=True)
class TermMeaning:
    """The hover text of a term. start, end: its offsets. text: Markdown."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A completion.

    label: as shown and filtered. insert: the inserted text, with `${1:16}` as tab stops if snippet is set. detail: a
    short description. kind: `transform` or `column`.
    """

    label: str
    insert: str
    detail: str
    kind: str
    snippet: bool = False

    @property
    def plain_text(self) -> str:
        """The inserted text for an editor without tab stops."""
        return _TAB_STOP.sub(r"\1", self.insert) if self.snippet else self.insert


def meaning(text: str, statement: Statement, offset: int, catalog: Tables) -> TermMeaning | None:
    """The partition field that the term at an offset creates or names; None if there is no term.

    statement: the one at the offset. catalog: the state before it.
    """
    node = _node(statement)
    for index, term in enumerate(_terms(node)):
        if term.span[0] <= offset <= term.span[1]:
            markdown = _term_markdown(text, statement, node, index, term, catalog)
            return TermMeaning(*term.span, markdown) if markdown else None
    return None


def new_field_names(text: str, statement: Statement, catalog: Tables) -> Iterator[tuple[int, str]]:
    """The names that Iceberg gives to a statement's new partition fields, each with the offset where its term ends.

    Arguments as of `meaning`. A field that the statement names, or that has its column's name, is left out.
    """
    node = _node(statement)
    context = Context(text, node, catalog, statement)
    for index, term in enumerate(_terms(node)):
        is_old_term = isinstance(node, nodes.ReplaceField) and not index
        transform = find_transform(term.transform_name)
        has_name = isinstance(getattr(node, "name", None), terms.NamePath)
        if is_old_term or has_name or isinstance(node, nodes.DropField) or len(term.columns) != 1:
            continue
        if transform is None or transform.is_identity:
            continue
        if (field := _created_field(context, index)) is not None:
            yield term.span[1], field.name
        elif _is_unknown(context):
            yield term.span[1], _default_name(node, term, transform)


def _node(statement: Statement) -> nodes.Node:
    node = parser.parse(statement)
    return node.inside if isinstance(node, nodes.Templated) and node.inside is not None else node


def _is_unknown(context: Context) -> bool:
    """True if nothing is known about the statement's table, so that only its own text decides."""
    try:
        return context.table is None
    except (UnknownFactError, AlreadyReportedError):
        return False


def _terms(node: nodes.Node) -> tuple[terms.Term, ...]:
    if isinstance(node, nodes.Create):
        return node.partitioning or ()
    if isinstance(node, nodes.AddField | nodes.DropField):
        return (node.term,)
    if isinstance(node, nodes.ReplaceField):
        return (node.old, node.new)
    return ()


def _term_markdown(
    text: str, statement: Statement, node: nodes.Node, index: int, term: terms.Term, catalog: Tables
) -> str | None:
    transform = find_transform(term.transform_name)
    if transform is None or len(term.columns) != 1:
        return None
    summary = f"{code(term.transform_name)}: {transform.summary}" if term.transform_name else "the column's value"
    if isinstance(node, nodes.DropField) or (isinstance(node, nodes.ReplaceField) and not index):
        return summary
    if (field := _created_field(Context(text, node, catalog, statement), index)) is not None:
        headline = (
            f"partition field {code(field.name)} (id {field.field_id}): {field.transform} of {code(field.source)}"
        )
    else:
        headline = f"partition field {code(_default_name(node, term, transform))}"
    return f"{headline}\n\n{summary}"


def _created_field(context: Context, index: int) -> PartitionField | None:
    """The field that a term of the statement creates; None if that is unknown."""
    new_table = known_or_none(lambda: context.table_after)
    if new_table is None or new_table.specs is None:
        return None
    fields = new_table.specs.spec.fields
    if isinstance(context.node, nodes.Create):
        return fields[index] if index < len(fields) else None
    old_table = known_or_none(lambda: context.table)
    old_fields = old_table.specs.spec.fields if isinstance(old_table, Table) and old_table.specs else ()
    new_fields = [field for field in fields if field not in old_fields and not field.transform.is_void]
    return new_fields[-1] if new_fields else None


def _default_name(node: nodes.Node, term: terms.Term, transform: Transform) -> str:
    """The name that Iceberg gives to the field if the table is unknown."""
    name_path = getattr(node, "name", None)
    if isinstance(name_path, terms.NamePath):
        return ".".join(name_path.parts)
    source = ".".join(term.columns[0].parts)
    if isinstance(node, nodes.Create):
        return transform.create_name(source)
    return transform.alter_name(source, term.literals[0].value if len(term.literals) == 1 else None)


def suggestions(text: str, statement: Statement, offset: int, catalog: Tables) -> list[Suggestion]:
    """The transforms and columns allowed at an offset of a partition clause; nothing elsewhere.

    Arguments as of `meaning`.
    """
    if offset <= statement.start:
        return []
    tokens_before = [token for token in statement.tokens if token.end <= offset]
    clause = _open_clause(tokens_before)
    if clause is None:
        return []
    clause_start, call = clause
    if call is None and (fields := _fields(text, statement, clause_start, tokens_before, catalog)):
        return fields
    transform = BY_SPELLING.get(call.lower()) if call is not None else None
    candidates = _columns(text, statement, clause_start, catalog)
    columns = [
        Suggestion(column.name, column_text(column), str(column.field.type), "column")
        for column in candidates
        if transform is None or transform.takes(column.field.type)
    ]
    return [*_transforms(candidates), *columns] if call is None else columns


def _open_clause(tokens: list[Token]) -> tuple[int, str | None] | None:
    """The offset of the partition clause that the tokens end in, and the function whose brackets are open, if any."""
    keywords = [token.word for token in tokens]
    for i in range(len(keywords) - 1, 0, -1):
        pair = keywords[i - 1], keywords[i]
        if pair not in (("PARTITIONED", "BY"), ("PARTITION", "FIELD")):
            continue
        remaining = keywords[i + 1 :]
        depth = remaining.count("(") - remaining.count(")")
        if pair[0] == "PARTITIONED":
            return (tokens[i - 1].start, _open_function(remaining) if depth > 1 else None) if depth > 0 else None
        is_incomplete_term = len(remaining) == 1 or remaining[-2:-1] == ["WITH"]
        if depth == 0 and remaining and remaining[-1] not in ("WITH", "FIELD") and not is_incomplete_term:
            return None
        return tokens[i - 2].start if i > 1 else tokens[i - 1].start, _open_function(remaining) if depth else None
    return None


def _open_function(keywords: list[str]) -> str:
    """The word before the last opening bracket."""
    index = len(keywords) - 1 - keywords[::-1].index("(")
    return keywords[index - 1] if index else ""


def _fields(
    text: str, statement: Statement, clause_start: int, tokens_before: Sequence[Token], catalog: Tables
) -> list[Suggestion]:
    """The fields that DROP, or REPLACE before WITH, may name; none if the table is not known."""
    keywords = [token.word for token in tokens_before if token.start >= clause_start]
    if keywords[0] not in ("DROP", "REPLACE") or "WITH" in keywords:
        return []
    context = _completed_context(text, statement, clause_start, catalog)
    table = known_or_none(lambda: context.table) if context is not None else None
    if not isinstance(table, Table) or table.specs is None:
        return []
    return [
        Suggestion(f.name, quoted(f.name), f"{f.transform} of {f.source}", "column")
        for f in table.specs.spec.fields
        if not f.transform.is_void
    ]


def _transforms(columns: Sequence[Column]) -> Iterator[Suggestion]:
    """The transforms of which the table has a column; all of them if its columns are not known."""
    for transform in TRANSFORMS:
        if not transform.in_ddl or transform.is_identity:
            continue
        column = next((column_text(c) for c in columns if transform.takes(c.field.type)), None)
        if column is None and columns:
            continue
        column = column or "column"
        parameter = transform.parameter
        arguments = f"${{1:{parameter.example}}}, ${{2:{column}}}" if parameter else f"${{1:{column}}}"
        yield Suggestion(
            transform.spelling, f"{transform.spelling}({arguments})", transform.summary, "transform", snippet=True
        )


def _columns(text: str, statement: Statement, clause_start: int, catalog: Tables) -> tuple[Column, ...]:
    """The columns that a partition source may be: those of the statement itself, or of its table."""
    context = _completed_context(text, statement, clause_start, catalog)
    schema = known_or_none(lambda: context.schema) if context is not None else None
    columns = schema.columns if schema is not None else ()
    return tuple(column for column in columns if isinstance(column.field.type, Primitive) and not column.in_collection)


def _completed_context(text: str, statement: Statement, clause_start: int, catalog: Tables) -> Context | None:
    """The context of the statement with a complete partition clause in place of the unfinished one, which may not
    parse.
    """
    prefix = text[statement.start : clause_start]
    for completed_text in (f"{prefix} PARTITIONED BY (x)", f"{prefix} ADD PARTITION FIELD x"):
        parsed = statements(completed_text)
        node = parser.parse(parsed[0]) if len(parsed) == 1 else None
        if isinstance(node, nodes.Create | nodes.AddField):
            return Context(completed_text, node, catalog, parsed[0])
    return None
