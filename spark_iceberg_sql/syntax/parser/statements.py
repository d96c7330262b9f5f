"""DROP, CALL and EXECUTE IMMEDIATE: statements that matter for what they leave behind."""

from __future__ import annotations

import re
from collections.abc import Callable

from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token, tokenize
from spark_iceberg_sql.syntax.literals import parts, unescape
from spark_iceberg_sql.syntax.nodes import (
    Call,
    DropNamespace,
    DropTable,
    DropView,
    Immediate,
    Name,
    Node,
    Offsets,
    Other,
    Templated,
)
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.typos import is_verb

_BEGUN = re.compile(r"\s*([A-Za-z]+)\b")
# First words of statements that leave something behind, besides CREATE and its like.
_CARRYING = (
    "BEGIN",
    "CALL",
    "EXECUTE",
    "EXPLAIN",
    "INSERT",
    "MSCK",
    "REPAIR",
    "SET",
    "TRUNCATE",
    "USE",
)
# The procedures that make tables or take them away, and the arguments, by name and place, that name them.
_PROCEDURES: dict[str, dict[str, int]] = {
    "register_table": {"table": 0},
    "snapshot": {"table": 1},
    "migrate": {"table": 0},
    "add_files": {"table": 0},
}


def drop(cursor: Cursor, span: Offsets) -> Node | None:
    """DROP TABLE, VIEW, NAMESPACE."""
    cursor.i += 1
    what = cursor.word
    if what not in ("TABLE", "VIEW", "NAMESPACE", "DATABASE", "SCHEMA"):
        return None
    cursor.i += 1
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.table()
    if what == "VIEW":
        return DropView(span, name)
    if what != "TABLE":
        return DropNamespace(span, name, cursor.take("CASCADE"))
    cursor.take("PURGE")
    return DropTable(span, name, if_exists) if cursor.done else None


def call(cursor: Cursor, span: Offsets) -> Node | None:
    """CALL catalog.system.procedure(...), where the procedure makes tables."""
    cursor.i += 1
    name = cursor.path("a procedure name").parts
    wanted = _PROCEDURES.get(name[-1].lower())
    if wanted is None or len(name) < 2 or name[-2].lower() != "system" or cursor.word != "(":
        return None
    cursor.i += 1
    tables: list[Name] = []
    for place, (key, value) in enumerate(_arguments(cursor)):
        if key in wanted if key else place in wanted.values():
            if len(value) != 1 or value[0].kind not in STRINGS:
                return Call(span, name[-1].lower(), name[:-2])
            tables.append(parts(unescape(value[0].text)))
    return Call(span, name[-1].lower(), name[:-2], tuple(tables) or None)


def _arguments(cursor: Cursor) -> list[tuple[str, list[Token]]]:
    """The arguments of a call, each with its name (or none) and its tokens."""
    found: list[tuple[str, list[Token]]] = []
    depth = 0
    key, value = "", list[Token]()
    while not cursor.done:
        word = cursor.word
        if word == ")" and not depth:
            break
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and not depth:
            found.append((key, value))
            key, value = "", []
        elif word == "=>" and not depth and len(value) == 1:
            key, value = value[0].text.strip("`").lower(), []
        else:
            value.append(cursor.token)
        cursor.i += 1
    return [*found, (key, value)]


def immediate(
    cursor: Cursor, span: Offsets, read: Callable[[str, list[Token], Offsets], Node]
) -> Node | None:
    """EXECUTE IMMEDIATE of a text: the statement in it; of anything else: not known."""
    cursor.i += 1
    if not cursor.take("IMMEDIATE") or cursor.done:
        return None
    token = cursor.token
    after = cursor.words[cursor.i + 1]
    at = (token.start, token.end)
    begun = _BEGUN.match(unescape(token.text)) if token.kind in STRINGS else None
    if begun is not None and not (is_verb(begun[1].upper()) or begun[1].upper() in _CARRYING):
        return None  # a query, however it goes on
    if token.kind not in STRINGS or after not in ("", "USING", "INTO"):
        return Templated(span, at, anything=True)
    quotes = 2 if token.text[:1] in "rR" else 1
    inner = token.text[quotes:-1]
    if set("\\{$" + token.text[-1]) & set(inner) or after:
        return Templated(
            span, at
        )  # a template, or characters that do not stand where they mean something
    start = token.start + quotes
    tokens = [t for t in tokenize(inner) if t.kind not in (Kind.SPACE, Kind.COMMENT, Kind.BOM)]
    tokens = [Token(t.kind, t.text, t.start + start, t.end + start) for t in tokens]
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        return None
    node = read(cursor.script, tokens, (tokens[0].start, tokens[-1].end))
    return None if isinstance(node, Other) else Immediate(span, node)
