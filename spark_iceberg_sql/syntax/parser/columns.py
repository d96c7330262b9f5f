"""Column definitions, read from tokens."""

from __future__ import annotations

from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.data_types import SIMPLE_TYPES, data_type, skip_not_null
from spark_iceberg_sql.syntax.terms import ColumnDef, NamePath, Offsets

_CONSTRAINT = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "REFERENCES"})
# Clauses that a column can have only once, whatever keyword they begin with.
_CLAUSE = {"AFTER": "FIRST", **dict.fromkeys(_CONSTRAINT, "CONSTRAINT")}


def column(cursor: Cursor, *, position: bool = False) -> ColumnDef:
    """Read a column definition; position: whether FIRST and AFTER are allowed."""
    token = cursor.tokens[cursor.index]
    if token.text == ")" and cursor.words[cursor.index - 1] == ",":
        cursor.fail("a column name", "trailing-comma")
    name = cursor.name("a column name")
    i = cursor.index
    span = token.start, cursor.tokens[i - 1].end
    column_type = SIMPLE_TYPES.get(cursor.words[i])
    if column_type is not None and cursor.words[i + 1] in (",", ")"):  # `id BIGINT`, as most are
        cursor.index += 1
        _, text, start, end = cursor.tokens[i]
        return ColumnDef(name, span, column_type, text, (start, end))
    return column_after(cursor, name, span, position=position)


def column_after(cursor: Cursor, name: str, span: Offsets, *, position: bool = False) -> ColumnDef:
    """Read what follows a column's name.

    GENERATED and constraints are also read in ALTER TABLE, where Spark's grammar refuses them, since a rule gives a
    better message.
    """
    column_type, text, type_span = type_and_span(cursor)
    clauses: dict[str, Offsets] = {}
    required = False
    after_column = None
    while True:
        first_token, word = cursor.token, "NOT" if cursor.word == "!" else cursor.word
        if skip_not_null(cursor):
            required = True
        elif cursor.take("COMMENT"):
            cursor.string("a comment in quotes")
        elif word == "DEFAULT" and cursor.words[cursor.index + 1] != "COLLATION":
            cursor.index += 1
            skip_expression(cursor)
        elif word == "GENERATED":
            _generated(cursor)
        elif position and word in ("FIRST", "AFTER"):
            after_column = column_position(cursor)
        elif word in _CONSTRAINT:
            required = _column_constraint(cursor) or required
        else:
            break
        clause = _CLAUSE.get(word, word)
        if clause in clauses and clause != "CONSTRAINT":
            raise ParseError(first_token, f"one `{word}`", "duplicate-clause")
        clauses[clause] = cursor.since(first_token.start)
    default, generated = clauses.get("DEFAULT"), clauses.get("GENERATED")
    optional_spans = clauses.get("CONSTRAINT"), clauses.get("FIRST"), after_column
    return ColumnDef(name, span, column_type, text, type_span, required, default, generated, *optional_spans)


def column_position(cursor: Cursor) -> NamePath | None:
    """Read FIRST, or AFTER and its column."""
    if cursor.take("FIRST"):
        return None
    cursor.index += 1
    return cursor.single_name("a column name")


def plain_column_after(cursor: Cursor, name: str, span: Offsets) -> ColumnDef:
    """Read what follows a column's name in PARTITIONED BY, where Spark accepts fewer clauses."""
    column_type, text, type_span = type_and_span(cursor)
    required = skip_not_null(cursor)
    if cursor.take("COMMENT"):
        cursor.string("a comment in quotes")
    return ColumnDef(name, span, column_type, text, type_span, required)


def type_and_span(cursor: Cursor) -> tuple[Type | None, str, Offsets]:
    """Read a type: the type, its text and its span."""
    start = cursor.token.start
    column_type = data_type(cursor)
    span = cursor.since(start)
    return column_type, cursor.script[slice(*span)], span


def _generated(cursor: Cursor) -> None:
    cursor.index += 1
    if not (cursor.take("ALWAYS", "AS") or cursor.take("BY", "DEFAULT", "AS")):
        cursor.fail("`ALWAYS AS`")
    if cursor.take("IDENTITY"):
        if cursor.is_at("("):
            cursor.skip_brackets()
        return
    cursor.expect_brackets()


def _column_constraint(cursor: Cursor) -> bool:
    """Skip a column constraint; returns whether it makes the column required."""
    if cursor.take("CONSTRAINT"):
        cursor.name("a constraint name")
    is_primary_key = cursor.take("PRIMARY", "KEY")
    if cursor.take("CHECK"):
        cursor.expect_brackets()
    elif cursor.take("REFERENCES"):
        cursor.path("a table name")
        if cursor.is_at("("):
            cursor.skip_brackets()
    elif not is_primary_key and not cursor.take("UNIQUE"):
        cursor.fail("a constraint")
    _characteristics(cursor)
    return is_primary_key


def _characteristics(cursor: Cursor) -> None:
    while cursor.take("ENFORCED") or cursor.take("NOT", "ENFORCED") or cursor.take("RELY") or cursor.take("NORELY"):
        pass


def at_table_constraint(cursor: Cursor) -> bool:
    """True if a table constraint, not a column, comes next in a column list."""
    index = cursor.index
    if cursor.word == "CONSTRAINT" and cursor.tokens[cursor.index + 1].kind in NAME_KINDS:
        index += 2
    keywords = cursor.words[index : index + 3]
    return (
        keywords[:2] in (["CHECK", "("], ["UNIQUE", "("])
        or keywords in (["PRIMARY", "KEY", "("], ["FOREIGN", "KEY", "("])
    )  # fmt: skip


def skip_table_constraint(cursor: Cursor) -> None:
    """Skip a table constraint."""
    while cursor.word != "(":
        cursor.index += 1
    cursor.skip_brackets()
    if cursor.take("REFERENCES"):
        cursor.path("a table name")
        if cursor.is_at("("):
            cursor.skip_brackets()
    _characteristics(cursor)


def skip_expression(cursor: Cursor) -> None:
    """Skip an expression in a column definition or a property list."""
    first = cursor.index
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
        elif (not cases and cursor.index > first and _ends_expression(cursor)) or word in (")", ","):
            break
        cursor.index += 1
    if cursor.index == first:
        cursor.fail("an expression")


def _ends_expression(cursor: Cursor) -> bool:
    word, i = cursor.word, cursor.index
    next_word = cursor.words[i + 1]
    if word in (",", ")"):
        return True
    if cursor.words[i - 1] in ("IS", "AND", "OR", ".", "+", "-", "*", "/", "||"):
        return False
    return (
        (word == "COMMENT" and cursor.tokens[i + 1].kind in STRINGS)
        or (word in ("NOT", "!") and next_word == "NULL")
        or (word in ("GENERATED", "DEFAULT", "CONSTRAINT", "UNIQUE", "REFERENCES"))
        or (word == "CHECK" and next_word == "(")
        or (word == "PRIMARY" and next_word == "KEY")
        or (word in ("FIRST", "AFTER") and next_word != "(")
    )
