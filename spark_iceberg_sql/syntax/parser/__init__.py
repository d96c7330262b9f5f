"""Tokens to statement nodes: `parse(statement)`, which never raises."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import (
    AddColumns,
    AddField,
    AlterColumn,
    Create,
    CreateView,
    DropField,
    IdentifierFields,
    Node,
    Other,
    Reference,
    ReplaceColumns,
    ReplaceField,
    Templated,
    Unreadable,
    WriteOrder,
)
from spark_iceberg_sql.syntax.parser import typos
from spark_iceberg_sql.syntax.parser.alter import alter_table, slip
from spark_iceberg_sql.syntax.parser.boundaries import (
    followed,
    misbegun,
    unclosed,
    without_table,
)
from spark_iceberg_sql.syntax.parser.create import create_table, creating_verb
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop, TooDeep
from spark_iceberg_sql.syntax.parser.nested import OURS, compound, explain, immediate
from spark_iceberg_sql.syntax.parser.statements import (
    call,
    drop,
    hive_partitions,
    insert,
    set_config,
    use,
)
from spark_iceberg_sql.syntax.placeholders import filled, has_template, placeholder
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets, Ref

# Kinds of errors for which a misspelt keyword is the better explanation.
_LOOSE = ("", "missing-with", "missing-field", "distributed-by", "retention-unit")
_HINTED = frozenset(["ALTER", "CREATE", "DROP", "REPLACE"])
# Statements that may hold a template in place of a name or a type.
_HOLED = (Create, AddField, DropField, ReplaceField, AddColumns, AlterColumn, ReplaceColumns)
_OPENING = 6  # words in which a misspelt keyword is recognized
# Statements that Iceberg's grammar reads.
_OfIcebergs = AddField | DropField | ReplaceField | WriteOrder | IdentifierFields | Reference
_ICEBERGS = (AddField, DropField, ReplaceField, WriteOrder, IdentifierFields, Reference)
_HEAD = 40  # an INSERT's head is within its first tokens; its rows are not read
_NAMED = 12  # without PARTITION (...), only its table is
_ODD_SPACE = regex(r"[^\S \t\r\n]")
# ALTER TABLE t {{ change }}: the change itself is unknown.
_HIDDEN_CHANGE = regex(
    r"(?i)alter\s+table\s+(?:\{\{[^{}]*\}\}|`[^`]*`|[^\s{$`])+\s+(?:\{[{%]|\$\{)"
)
_PARTITION_DDL = regex(r"(?i)\bpartition\s+field|\bpartitioned\s+by\b")


def read(statement: Statement) -> Node:
    """The node of a statement.

    Other for statements that do not affect partitioning, and for errors outside partition DDL, which are left
    to Spark. InvalidStatement for partition DDL that neither Spark's nor Iceberg's grammar accepts.
    Templated if a template prevents parsing. In linear time; never raises.
    """
    node = unclosed(statement) if not statement.closed else None
    if node is not None:
        return node
    node = followed(statement, _one(statement), _read)
    return (misbegun(statement, _read) or node) if isinstance(node, Other) else node


def _one(statement: Statement) -> Node:
    """The node of a statement without an unclosed quote or comment, up to a missing `;`."""
    span = (statement.start, statement.end)
    first = statement.first
    if first == "/*+" or (first in _HINTED and statement.script.find("/*+", *span) >= 0):
        node = _hinted(statement, span)
        if node is not None:
            return node
    if first not in OURS and not (first in ("{", "$") and _PARTITION_DDL.search(statement.text)):
        return _misspelt(statement, span) or Other(span)
    tokens = _inserted(statement) if first == "INSERT" else statement.tokens
    if has_template(statement.script, tokens):
        return _templated(statement, tokens, span)
    node = _read(statement.script, tokens, span)
    # Spark's grammar would accept such white space; these statements are read by Iceberg's, which does not.
    if isinstance(node, _ICEBERGS):
        return _odd_space(statement, node) or node
    if isinstance(node, Other):
        return _misspelt(statement, span) or node
    return node


def _inserted(statement: Statement) -> list[Token]:
    """The first tokens of an INSERT, as many as are read."""
    partitioned = statement.says("partition") or not statement.text.isascii()
    return statement.opening(_HEAD if partitioned else _NAMED)


def _misspelt(statement: Statement, span: Offsets) -> Node | None:
    """A misspelt keyword at the start of the statement: `ATLER TABLE`, `CREATE TABEL`."""
    if not typos.is_verb(statement.first):
        return None
    return _slipped(statement.opening(_OPENING), span)


def _slipped(tokens: list[Token], span: Offsets) -> Node | None:
    tokens = tokens[:_OPENING]
    found = typos.opening([token.word for token in tokens])
    if found is None or len(tokens) < max(found[0] + 2, 3):
        return None
    token = tokens[found[0]]
    return Unreadable(span, (token.start, token.end), token.text, f"`{found[1]}`", "misspelt")


def _odd_space(statement: Statement, node: _OfIcebergs) -> Node | None:
    """The error for a white-space character that Spark's grammar accepts, but Iceberg's does not.

    Iceberg's grammar accepts four: blank, tab, line feed, carriage return.
    """
    if not _ODD_SPACE.search(statement.text):
        return None
    for token in statement.all_tokens:
        if token.kind is Kind.SPACE and statement.start < token.start < statement.end:
            odd = _ODD_SPACE.search(token.text)
            if odd:
                at = (token.start + odd.start(), token.start + odd.end())
                found = f"U+{ord(odd.group()):04X}"
                return Unreadable(node.span, at, found, "a plain space", "odd-space", node.table)
    return None


def _hinted(statement: Statement, span: Offsets) -> Node | None:
    """The error for `/*+ ... */` outside a query: to both grammars it is a hint, not a comment."""
    rest: list[Token] = []
    hints: list[Offsets] = []
    opened = None
    for token in statement.tokens:
        if opened is None and token.text == "/*+":
            opened = token.start
        elif opened is None:
            rest.append(token)
        elif token.text == "*/":
            hints.append((opened, token.end))
            opened = None
    if opened is not None or not hints or not rest or upper(rest[0].text) not in _HINTED:
        return None
    node = _read(statement.script, rest, (rest[0].start, max(rest[-1].end, span[1])))
    query = node.query if isinstance(node, Create) else None
    at = next((hint for hint in hints if not (query and query[0] <= hint[0])), None)
    if isinstance(node, (Other, Unreadable)) or at is None:
        return None
    table = getattr(node, "table", None)
    found = statement.script[at[0] : at[1]]
    return Unreadable(span, at, found, "no hint", "hint", table if isinstance(table, Ref) else None)


def _templated(statement: Statement, tokens: list[Token], span: Offsets) -> Node:
    tokens, templates = filled(statement.script, tokens)
    node = _read(statement.script, tokens, span) if tokens else Other(span)
    sign = next((t for t in tokens if t.kind is Kind.STRAY), tokens[0])
    at = templates[0] if templates else (sign.start, sign.end)
    if isinstance(node, Other):
        hidden = _PARTITION_DDL.search(statement.text) or _HIDDEN_CHANGE.match(statement.text)
        return Templated(span, at) if hidden else node
    if isinstance(node, Unreadable):
        return Templated(span, at)
    if isinstance(node, _HOLED):
        # A templated table name is accepted like any other name, and so are templates in the query.
        harmless = [node.table.span, node.query] if isinstance(node, Create) else [node.table.span]
        for start, end in templates:
            if not any(place and place[0] <= start and end <= place[1] for place in harmless):
                return Templated(span, (start, end), node)
    return node


def _read(script: str, tokens: list[Token], span: Offsets) -> Node:
    cursor = Cursor(script, tokens, span[1])
    try:
        node = _statement(cursor, span)
    except Stop as stop:
        return _unreadable(cursor, stop, span) or Other(span)
    except TooDeep:
        at = cursor.token.start, cursor.token.end
        return Templated(span, at, anything=True, deep=True)
    if cursor.parameter is not None:
        return Templated(span, cursor.parameter, node)
    return node or Other(span)


def _unreadable(cursor: Cursor, stop: Stop, span: Offsets) -> Node | None:
    if not cursor.partition:
        return None
    token, like, expected = stop.token, stop.like, stop.expected
    hole = placeholder(cursor.script, token.start) if token.text and like != "parameter" else None
    if hole is not None:
        return Templated(span, hole)
    wrong = slip(cursor)
    if wrong is not None:
        token, like, expected = cursor.tokens[wrong[0]], "misspelt", f"`{wrong[1]}`"
    elif like in _LOOSE and (meant := typos.among(token.word, [expected])):
        like, expected = "misspelt", f"`{meant}`"
    at = (token.start, token.end) if token.text else (span[1], span[1])
    like = "unterminated" if token.kind is Kind.UNCLOSED else like
    found = token.text if len(token.text) <= 40 else token.text[:40] + "..."
    return Unreadable(
        span,
        at,
        found or "the end of the statement",
        expected,
        like,
        cursor.target,
        stop.begun,
    )


def _statement(cursor: Cursor, span: Offsets) -> Node | None:
    word, after = cursor.word, cursor.words[cursor.i + 1]
    if word == "ALTER" and after in ("TABLE", "VIEW"):
        return alter_table(cursor, span)
    if word == "ALTER" and after == "ICEBERG" and cursor.words[cursor.i + 2] == "TABLE":
        cursor.partition = True
        cursor.i += 1
        cursor.stop("`TABLE`", "other-table")
    if word in ("CREATE", "REPLACE"):
        return _create(cursor, span)
    if word == "DROP":
        return drop(cursor, span)
    if word == "CALL":
        return call(cursor, span)
    if word == "EXECUTE":
        return immediate(cursor, span, _inner)
    if word == "EXPLAIN":
        return explain(cursor, span, _read)
    if word == "BEGIN":
        return compound(cursor, span, _inner)
    if word == "INSERT":
        return insert(cursor, span)
    if word == "USE" or (word == "SET" and after == "CATALOG"):
        return use(cursor, span)
    if word == "SET":
        return set_config(cursor, span)
    return hive_partitions(cursor, span)


def _create(cursor: Cursor, span: Offsets) -> Node | None:
    start = cursor.i
    words = cursor.words[start : start + 5]
    if "TABLE" in words and "VIEW" not in words[: words.index("TABLE")]:
        node = create_table(cursor)
        if node is not None:
            return node
        cursor.i = start
    without_table(cursor)
    creating_verb(cursor)
    cursor.take("GLOBAL")
    temporary = cursor.take("TEMPORARY") or cursor.take("TEMP")
    if not cursor.take("VIEW"):
        return None
    if cursor.at("IF", "NOT", "EXISTS"):
        cursor.i += 3
    return CreateView(span, cursor.table(), temporary)


def _inner(script: str, tokens: list[Token], span: Offsets) -> Node:
    """A statement inside another one."""
    node = _read(script, tokens, span)
    return (_slipped(tokens, span) or node) if isinstance(node, Other) else node
