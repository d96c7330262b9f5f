"""Hover texts, inlay names and completions for an offset in SQL text; nothing here depends on an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_SPELLING, TRANSFORMS, spelled
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.outgoing import code
from spark_iceberg_sql.rules.words import written
from spark_iceberg_sql.syntax import nodes, parser, terms
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.script import Statement, statements

_PLACE = regex(r"\$\{\d+:([^}]*)\}")


@dataclass(frozen=True, slots=True)
class Meaning:
    """The hover text of a term. start, end: its offsets. text: Markdown."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A completion.

    label: as shown and filtered. insert: the inserted text, with `${1:16}` as tab stops if
    snippet is set. detail: a short description. kind: `transform` or `column`.
    """

    label: str
    insert: str
    detail: str
    kind: str
    snippet: bool = False

    @property
    def plain(self) -> str:
        """The inserted text for an editor without tab stops."""
        return _PLACE.sub(r"\1", self.insert) if self.snippet else self.insert


def meaning(text: str, statement: Statement, offset: int, known: Tables) -> Meaning | None:
    """The partition field that the term at an offset creates or names; None if there is no term.

    statement: the one at the offset. catalog: the state before it.
    """
    node = _node(statement)
    for number, term in enumerate(_terms(node)):
        if term.span[0] <= offset <= term.span[1]:
            words = _words(text, statement, node, number, term, known)
            return Meaning(*term.span, words) if words else None
    return None


def names_to_be(text: str, statement: Statement, known: Tables) -> Iterator[tuple[int, str]]:
    """The names that Iceberg gives to a statement's new partition fields, each with the offset where its term ends.

    Arguments as of `meaning`. A field that the statement names, or that has its column's name, is left out.
    """
    node = _node(statement)
    context = Context(text, node, known, statement)
    for number, term in enumerate(_terms(node)):
        old = isinstance(node, nodes.ReplaceField) and not number
        transform = spelled(term.call)
        named = isinstance(getattr(node, "name", None), terms.Ref)
        if old or named or isinstance(node, nodes.DropField) or transform is None:
            continue
        if len(term.columns) != 1 or transform.is_identity:
            continue
        made = _made(context, number)
        if made is not None:
            yield term.span[1], made.name
        elif _is_unknown(context):
            yield term.span[1], _name(node, term, transform)


def _node(statement: Statement) -> nodes.Node:
    node = parser.read(statement)
    return node.inside if isinstance(node, nodes.Templated) and node.inside is not None else node


def _is_unknown(context: Context) -> bool:
    """True if nothing is known about the statement's table, so that only its own text decides."""
    try:
        return context.table is None
    except (NotKnownError, AlreadyReportedError):
        return False


def _terms(node: nodes.Node) -> tuple[terms.Term, ...]:
    if isinstance(node, nodes.Create):
        return node.partitioning or ()
    if isinstance(node, nodes.AddField | nodes.DropField):
        return (node.term,)
    if isinstance(node, nodes.ReplaceField):
        return (node.old, node.new)
    return ()


def _words(
    text: str, statement: Statement, node: nodes.Node, number: int, term: terms.Term, known: Tables
) -> str | None:
    transform = spelled(term.call)
    if transform is None or len(term.columns) != 1:
        return None
    summary = f"{code(term.call)}: {transform.summary}" if term.call else "the column's value"
    if isinstance(node, nodes.DropField) or (isinstance(node, nodes.ReplaceField) and not number):
        return summary
    made = _made(Context(text, node, known, statement), number)
    if made is not None:
        first = f"partition field {code(made.name)} (id {made.field_id}): {made.transform} of {code(made.source)}"
    else:
        first = f"partition field {code(_name(node, term, transform))}"
    return f"{first}\n\n{summary}"


def _made(context: Context, number: int) -> PartitionField | None:
    """The field that a term of the statement creates; None if that is unknown."""
    try:
        before, after = context.table, context.after
    except (NotKnownError, AlreadyReportedError):
        return None
    if after is None or after.specs is None:
        return None
    fields = after.specs.spec.fields
    if isinstance(context.node, nodes.Create):
        return fields[number] if number < len(fields) else None
    old = before.specs.spec.fields if isinstance(before, Table) and before.specs else ()
    new = [field for field in fields if field not in old and not field.transform.is_void]
    return new[-1] if new else None


def _name(node: nodes.Node, term: terms.Term, transform: Transform) -> str:
    """The name that Iceberg gives to the field if the table is unknown."""
    given = getattr(node, "name", None)
    if isinstance(given, terms.Ref):
        return ".".join(given.parts)
    source = ".".join(term.columns[0].parts)
    if isinstance(node, nodes.Create):
        return transform.create_name(source)
    value = term.literals[0].value if len(term.literals) == 1 else None
    return transform.alter_name(source, value)


def suggestions(text: str, statement: Statement, offset: int, known: Tables) -> list[Suggestion]:
    """The transforms and columns allowed at an offset of a partition clause; nothing elsewhere.

    Arguments as of `meaning`.
    """
    if offset <= statement.start:
        return []
    before = [token for token in statement.tokens if token.end <= offset]
    clause = _clause(before)
    if clause is None:
        return []
    head, call = clause
    if call is None and (fields := _fields(text, statement, head, before, known)):
        return fields
    transform = BY_SPELLING.get(call.lower()) if call is not None else None
    found = _columns(text, statement, head, known)
    columns = [
        Suggestion(column.name, written(column), str(column.field.type), "column")
        for column in found
        if transform is None or transform.takes(column.field.type)
    ]
    return [*_transforms(found), *columns] if call is None else columns


def _clause(tokens: list[Token]) -> tuple[int, str | None] | None:
    """The offset of the partition clause that the tokens end in, and the function whose brackets are open, if any."""
    words = [token.word for token in tokens]
    for i in range(len(words) - 1, 0, -1):
        pair = words[i - 1], words[i]
        if pair not in (("PARTITIONED", "BY"), ("PARTITION", "FIELD")):
            continue
        rest = words[i + 1 :]
        depth = rest.count("(") - rest.count(")")
        if pair[0] == "PARTITIONED":
            return (tokens[i - 1].start, _call(rest) if depth > 1 else None) if depth > 0 else None
        if depth == 0 and rest and rest[-1] not in ("WITH", "FIELD") and not _typing(rest):
            return None
        return tokens[i - 2].start if i > 1 else tokens[i - 1].start, _call(rest) if depth else None
    return None


def _call(words: list[str]) -> str:
    """The word before the last opening bracket."""
    at = len(words) - 1 - words[::-1].index("(")
    return words[at - 1] if at else ""


def _typing(rest: list[str]) -> bool:
    """True if the last word is an unfinished term."""
    return len(rest) == 1 or rest[-2] == "WITH"


def _fields(
    text: str, statement: Statement, head: int, before: Sequence[Token], known: Tables
) -> list[Suggestion]:
    """The fields that DROP, or REPLACE before WITH, may name; none if the table is not known."""
    words = [token.word for token in before if token.start >= head]
    if words[0] not in ("DROP", "REPLACE") or "WITH" in words:
        return []
    context = _complete(text, statement, head, known)
    try:
        table = context.table if context is not None else None
    except (NotKnownError, AlreadyReportedError):
        return []
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
        column = next((written(c) for c in columns if transform.takes(c.field.type)), None)
        if column is None and columns:
            continue
        column = column or "column"
        parameter = transform.parameter
        first = f"${{1:{parameter.example}}}, ${{2:{column}}}" if parameter else f"${{1:{column}}}"
        yield Suggestion(
            transform.spelling,
            f"{transform.spelling}({first})",
            transform.summary,
            "transform",
            snippet=True,
        )


def _columns(text: str, statement: Statement, head: int, known: Tables) -> tuple[Column, ...]:
    """The columns that a partition source may be: those of the statement itself, or of its table."""
    context = _complete(text, statement, head, known)
    try:
        columns = context.schema.columns if context is not None else ()
    except (NotKnownError, AlreadyReportedError):
        return ()
    return tuple(
        column
        for column in columns
        if isinstance(column.field.type, Primitive) and not column.in_collection
    )


def _complete(text: str, statement: Statement, head: int, known: Tables) -> Context | None:
    """The context of the statement with a complete partition clause in place of the unfinished one, which may not
    parse.
    """
    start = text[statement.start : head]
    for whole in (f"{start} PARTITIONED BY (x)", f"{start} ADD PARTITION FIELD x"):
        found = statements(whole)
        node = parser.read(found[0]) if len(found) == 1 else None
        if isinstance(node, nodes.Create | nodes.AddField):
            return Context(whole, node, known, found[0])
    return None
