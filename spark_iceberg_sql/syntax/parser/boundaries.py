"""Statements that begin or end at the wrong token: an unclosed quote, a missing `;`, DDL without its verb.

They contain partition DDL that never runs, although each may look like a query or a setting.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.files.ddl import TABLE_DDL
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import (
    AddField,
    Compound,
    Create,
    DropField,
    Node,
    Other,
    ReplaceField,
    Templated,
    Unreadable,
)
from spark_iceberg_sql.syntax.parser.create import creating_verb
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.nested import Reader
from spark_iceberg_sql.syntax.placeholders import has_template
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets, Ref

# Spark's grammar accepts any tokens after these keywords.
_FREE = frozenset({"SET", "RESET", "ADD", "LIST", "REFRESH"})
# Other engines' statements in which CREATE TABLE is a privilege.
_ABOUT = frozenset({"GRANT", "REVOKE", "DENY"})
# Tokens after which some grammar allows a statement to begin.
_OPENERS = frozenset({
    "AS", "ATOMIC", "BEGIN", "DO", "ELSE", "EXPLAIN", "FROM", "IMMEDIATE", "LOOP", "OR", "REPEAT",
    "THEN", "SHOW", "(", "[", "=", ":", ":=",
})  # fmt: skip
_FIELD = regex(r"\bpartition\s+fields?\b", re.IGNORECASE)
_PARTITIONED = regex(r"\bpartitioned\s+by\b", re.IGNORECASE)
_ITS_OWN = (Create, AddField, DropField, ReplaceField)
_FIELD_VERBS = ("ADD", "DROP", "REPLACE")
_NESTED = regex(r"/\*(?!\+)")


def unclosed(statement: Statement) -> Node | None:
    """A statement with an unclosed quote or comment, which contains the rest of the text."""
    token = statement.unclosed
    if token is None:
        return None
    free = statement.first in _FREE
    if free and not (_FIELD.search(token.text) or _PARTITIONED.search(token.text)):
        return None
    span = (statement.start, statement.end)
    mark = token.text[:2] if token.text[0] == "/" else token.text[0]
    at = (token.start, token.start + len(mark))
    if has_template(statement.script, statement.tokens):
        return Templated(span, at)
    like = "unterminated"
    if free:
        like = "swallowed-in-quotes"
    elif mark == "/*" and _NESTED.search(token.text, 2):
        like = "nested-comment"
    return Unreadable(span, at, mark, f"`{'*/' if mark == '/*' else mark}`", like)


def followed(statement: Statement, node: Node, read: Reader) -> Node:
    """The node, or the error if the `;` before a following DDL statement is missing.

    node: the statement as parsed. parse_tokens: parses the tokens from the following statement on.
    """
    script, first = statement.script, statement.first
    if not statement.says("table"):
        return node
    if isinstance(node, Templated | Compound) or first in _ABOUT or first == "BEGIN":
        return node
    if isinstance(node, _ITS_OWN) and statement.text.lower().count("table") == 1:
        return node  # which is its own keyword
    if isinstance(node, Unreadable) and node.like not in ("", "after-query"):
        return node  # only the first error is reported
    # The search starts after the first word, so that the statement's own CREATE or ALTER is not found.
    behind = statement.start + len(first)
    if statement.compound or not TABLE_DDL.search(script, behind, statement.end):
        return node
    tokens = statement.tokens
    words = [token.word for token in tokens]
    for i in range(1, len(tokens) - 2):
        token, before = tokens[i], tokens[i - 1]
        if not _begins(words, i) or before.word in _OPENERS:
            continue
        if first == "EXPLAIN" and i <= 2:
            continue
        if first in _FREE and "\n" not in script[before.end : token.start]:
            continue
        span = (statement.start, statement.end)
        inside = read(script, tokens[i:], (token.start, statement.end))
        if isinstance(inside, Other) or (
            isinstance(node, Unreadable)
            and isinstance(read(script, tokens[:i], (statement.start, before.end)), Unreadable)
        ):
            return node
        at = (token.start, token.end)
        if has_template(script, tokens[:i]):
            return Templated(span, at)
        like = "swallowed" if first in _FREE else "missing-semicolon"
        begun = inside if isinstance(inside, Create) else getattr(inside, "begun", None)
        table = getattr(inside, "table", None)
        ref = table if isinstance(table, Ref) else None
        return Unreadable(span, at, token.text, "`;`", like, ref, begun)
    return node


def _begins(words: list[str], i: int) -> bool:
    """True if a table's DDL begins at a token. keywords: the tokens' words."""
    return TABLE_DDL.match(" ".join(words[i : i + 5])) is not None


def misbegun(statement: Statement, read: Reader) -> Node | None:
    """The error for partition DDL that does not begin with ALTER TABLE, or is in parentheses.

    parse_tokens: parses the statement's tokens without the parentheses.
    """
    # Of PARTITION, the letters that have no other lower case.
    if statement.first in _ABOUT or not (statement.says("part") or statement.says("table")):
        return None
    span = (statement.start, statement.end)
    if statement.first == "(" and TABLE_DDL.search(statement.script, *span):
        return _parenthesised(statement, span, read)
    if not _FIELD.search(statement.script, *span):
        return None
    tokens = statement.tokens
    words = [token.word for token in tokens]
    verb = next(
        (
            i
            for i, word in enumerate(words[:-2])
            if word in _FIELD_VERBS
            and words[i + 1] == "PARTITION"
            and words[i + 2] in ("FIELD", "FIELDS")
        ),
        None,
    )
    if verb is None or (verb and statement.first in _FREE):
        return None
    if has_template(statement.script, tokens):
        return None
    last = tokens[verb - 1] if verb else tokens[verb]
    at = (tokens[0].start, last.end)
    name = _name_before(tokens, verb)
    text = statement.script[tokens[name].start : last.end] if name < verb else "..."
    found = statement.script[at[0] : min(at[1], at[0] + 40)]
    return Unreadable(span, at, found, f"`ALTER TABLE {text}`", "not-alter-table")


def _name_before(tokens: list[Token], end: int) -> int:
    """The start index of the name that ends before a token."""
    at = end
    while at and tokens[at - 1].kind in (Kind.WORD, Kind.QUOTED):
        at -= 1
        if not at or tokens[at - 1].text != ".":
            break
        at -= 1
    return at


def _parenthesised(statement: Statement, span: Offsets, read: Reader) -> Node | None:
    tokens = statement.tokens
    first, last = 0, len(tokens)
    while first < last and tokens[first].text == "(":
        first += 1
        if tokens[last - 1].text == ")":
            last -= 1
    if first >= last - 2 or not _begins([token.word for token in tokens], first):
        return None
    inside = read(statement.script, tokens[first:last], (tokens[first].start, tokens[last - 1].end))
    if isinstance(inside, Other | Templated):
        return None
    at = (tokens[0].start, tokens[0].end)
    return Unreadable(span, at, "(", f"`{tokens[first].text}`", "statement-in-parentheses")


def without_table(cursor: Cursor) -> None:
    """Raise ParseError for CREATE db.t (...) USING iceberg, and for CREATE IF NOT EXISTS TABLE.

    `is_partition_ddl` is then set on the cursor.
    """
    start = cursor.i
    _, replaces = creating_verb(cursor)
    cursor.take("EXTERNAL")
    verb = " ".join(cursor.words[start : cursor.i])
    if cursor.at("IF", "NOT", "EXISTS"):
        if cursor.words[cursor.i + 3] == "TABLE" or _has_clause(cursor):
            cursor.partition = True
            like = "replace-if-not-exists" if replaces else "if-not-exists-first"
            cursor.stop(f"`{verb} TABLE IF NOT EXISTS`", like)
    elif cursor.at_name and _has_clause(cursor):
        name = cursor.i
        while cursor.at_name and cursor.words[cursor.i + 1] == ".":
            cursor.i += 2
        if cursor.at_name and cursor.words[cursor.i + 1] in ("(", "USING", "PARTITIONED"):
            text = cursor.script[cursor.tokens[name].start : cursor.token.end]
            cursor.i, cursor.partition = name, True
            cursor.stop(f"`{verb} TABLE {text}`", "not-create-table")
    cursor.i = start


def _has_clause(cursor: Cursor) -> bool:
    """True if there is a clause outside brackets that only CREATE TABLE has."""
    depth = 0
    for i in range(cursor.i, cursor.count):
        word = cursor.words[i]
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth:
            continue
        if word == "PARTITIONED" and cursor.words[i + 1] == "BY":
            return True
        if word == "USING" and cursor.tokens[i + 1].kind is Kind.WORD:
            return True
    return False
