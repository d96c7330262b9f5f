"""Column definitions, read from tokens."""

from __future__ import annotations

from spark_iceberg_sql.model.types import (
    Type,
)
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.data_types import SIMPLE, data_type, not_null
from spark_iceberg_sql.syntax.terms import ColumnDef, Offsets, Ref

_CONSTRAINT = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "REFERENCES"})
# Clauses that a column can have only once, whatever keyword they begin with.
_CLAUSE = {"AFTER": "FIRST", **dict.fromkeys(_CONSTRAINT, "CONSTRAINT")}


def column(cursor: Cursor, *, position: bool = False) -> ColumnDef:
    """Read a column definition; position: whether FIRST and AFTER are allowed."""
    token = cursor.tokens[cursor.i]
    name = cursor.name("a column name")
    i = cursor.i
    span = token.start, cursor.tokens[i - 1].end
    kind = SIMPLE.get(cursor.words[i])
    if kind is not None and cursor.words[i + 1] in (",", ")"):  # `id BIGINT`, as most are
        cursor.i += 1
        _, text, start, end = cursor.tokens[i]
        return ColumnDef(name, span, kind, text, (start, end))
    return column_after(cursor, name, span, position=position)


def column_after(cursor: Cursor, name: str, span: Offsets, *, position: bool = False) -> ColumnDef:
    """Read what follows a column's name.

    GENERATED and constraints are also read in ALTER TABLE, where Spark's grammar refuses them, since a rule
    gives a better message.
    """
    kind, text, type_span = _type(cursor)
    clauses: dict[str, Offsets] = {}
    required = False
    after = None
    while True:
        first, word = cursor.token, "NOT" if cursor.word == "!" else cursor.word
        if not_null(cursor):
            required = True
        elif cursor.take("COMMENT"):
            cursor.string("a comment in quotes")
        elif word == "DEFAULT" and cursor.words[cursor.i + 1] != "COLLATION":
            cursor.i += 1
            skip_expression(cursor)
        elif word == "GENERATED":
            _generated(cursor)
        elif position and word in ("FIRST", "AFTER"):
            after = place(cursor)
        elif word in _CONSTRAINT:
            required = _column_constraint(cursor) or required
        else:
            break
        clause = _CLAUSE.get(word, word)
        if clause in clauses and clause != "CONSTRAINT":
            raise Stop(first, f"one `{word}`", "duplicate-clause")
        clauses[clause] = cursor.since(first.start)
    default, generated = clauses.get("DEFAULT"), clauses.get("GENERATED")
    rest = clauses.get("CONSTRAINT"), clauses.get("FIRST"), after
    return ColumnDef(name, span, kind, text, type_span, required, default, generated, *rest)


def place(cursor: Cursor) -> Ref | None:
    """Read FIRST, or AFTER and its column."""
    if cursor.take("FIRST"):
        return None
    cursor.i += 1
    start = cursor.token.start
    name = cursor.name("a column name")
    span = cursor.since(start)
    return Ref((name,), span, cursor.script[span[0] : span[1]])


def plain_column_after(cursor: Cursor, name: str, span: Offsets) -> ColumnDef:
    """Read what follows a column's name in PARTITIONED BY, where Spark accepts fewer clauses."""
    kind, text, type_span = _type(cursor)
    required = not_null(cursor)
    if cursor.take("COMMENT"):
        cursor.string("a comment in quotes")
    return ColumnDef(name, span, kind, text, type_span, required)


def _type(cursor: Cursor) -> tuple[Type | None, str, Offsets]:
    start = cursor.token.start
    kind = data_type(cursor)
    span = cursor.since(start)
    return kind, cursor.script[span[0] : span[1]], span


def _generated(cursor: Cursor) -> None:
    cursor.i += 1
    if not (cursor.take("ALWAYS", "AS") or cursor.take("BY", "DEFAULT", "AS")):
        cursor.stop("`ALWAYS AS`")
    if cursor.take("IDENTITY"):
        if cursor.at("("):
            cursor.skip_brackets()
        return
    if cursor.word != "(":
        cursor.stop("`(`")
    cursor.skip_brackets()


def _column_constraint(cursor: Cursor) -> bool:
    """Skip a column constraint; returns whether it makes the column required."""
    if cursor.take("CONSTRAINT"):
        cursor.name("a constraint name")
    key = cursor.take("PRIMARY", "KEY")
    if cursor.take("CHECK"):
        if cursor.word != "(":
            cursor.stop("`(`")
        cursor.skip_brackets()
    elif cursor.take("REFERENCES"):
        cursor.path("a table name")
        if cursor.at("("):
            cursor.skip_brackets()
    elif not key and not cursor.take("UNIQUE"):
        cursor.stop("a constraint")
    _characteristics(cursor)
    return key


def _characteristics(cursor: Cursor) -> None:
    while (
        cursor.take("ENFORCED")
        or cursor.take("NOT", "ENFORCED")
        or cursor.take("RELY")
        or cursor.take("NORELY")
    ):
        pass


def at_table_constraint(cursor: Cursor) -> bool:
    """True if a table constraint, not a column, comes next in a column list."""
    ahead = cursor.i
    if cursor.word == "CONSTRAINT" and cursor.tokens[cursor.i + 1].kind in (Kind.WORD, Kind.QUOTED):
        ahead += 2
    words = cursor.words[ahead : ahead + 3]
    return (
        words[:2] in (["CHECK", "("], ["UNIQUE", "("])
        or words in (["PRIMARY", "KEY", "("], ["FOREIGN", "KEY", "("])
    )  # fmt: skip


def skip_table_constraint(cursor: Cursor) -> None:
    """Skip a table constraint."""
    while cursor.word != "(":
        cursor.i += 1
    cursor.skip_brackets()
    if cursor.take("REFERENCES"):
        cursor.path("a table name")
        if cursor.at("("):
            cursor.skip_brackets()
    _characteristics(cursor)


def skip_expression(cursor: Cursor) -> None:
    """Skip an expression in a column definition or a property list."""
    first = cursor.i
    cases = 0
    while not cursor.done:
        word = cursor.word
        if word in ("(", "["):
            cursor.skip_brackets()
            continue
        if word == "CASE":
            cases += 1
        elif word == "END" and cases:
            cases -= 1
        elif (not cases and cursor.i > first and _ends_expression(cursor)) or word in (")", ","):
            break
        cursor.i += 1
    if cursor.i == first:
        cursor.stop("an expression")


def _ends_expression(cursor: Cursor) -> bool:
    word, i = cursor.word, cursor.i
    after = cursor.words[i + 1]
    if word in (",", ")"):
        return True
    if cursor.words[i - 1] in ("IS", "AND", "OR", ".", "+", "-", "*", "/", "||"):
        return False
    return (
        (word == "COMMENT" and cursor.tokens[i + 1].kind in STRINGS)
        or (word in ("NOT", "!") and after == "NULL")
        or (word in ("GENERATED", "DEFAULT", "CONSTRAINT", "UNIQUE", "REFERENCES"))
        or (word == "CHECK" and after == "(")
        or (word == "PRIMARY" and after == "KEY")
        or (word in ("FIRST", "AFTER") and after != "(")
    )
