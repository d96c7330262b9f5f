"""Statements that begin or end at the wrong token: an unclosed quote, a missing `;`, DDL without its verb.

They contain partition DDL that never runs, although each may look like a query or a setting.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.files.ddl import TABLE_DDL
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token, TokenKind
from spark_iceberg_sql.syntax.nodes import (
    AddField,
    Compound,
    Create,
    DropField,
    InvalidStatement,
    Node,
    Other,
    ReplaceField,
    Templated,
)
from spark_iceberg_sql.syntax.parser.create import skip_create_verb
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.nested import TokenParser
from spark_iceberg_sql.syntax.placeholders import has_template
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import NamePath

# Spark's grammar accepts any tokens after these keywords.
_FREE_FORM = frozenset({"SET", "RESET", "ADD", "LIST", "REFRESH"})
# Other engines' statements in which CREATE TABLE is a privilege.
_PRIVILEGE_VERBS = frozenset({"GRANT", "REVOKE", "DENY"})
# Tokens after which some grammar allows a statement to begin.
_OPENERS = frozenset({
    "AS", "ATOMIC", "BEGIN", "DO", "ELSE", "EXPLAIN", "FROM", "IMMEDIATE", "LOOP", "OR", "REPEAT",
    "THEN", "SHOW", "(", "[", "=", ":", ":=",
})  # fmt: skip
_FIELD = regex(r"\bpartition\s+fields?\b", re.IGNORECASE)
_PARTITIONED = regex(r"\bpartitioned\s+by\b", re.IGNORECASE)
_TABLE_DDL_NODES = (Create, AddField, DropField, ReplaceField)
_FIELD_VERBS = ("ADD", "DROP", "REPLACE")
_NESTED_COMMENT = regex(r"/\*(?!\+)")


def unclosed_statement(statement: Statement) -> Node | None:
    """A statement with an unclosed quote or comment, which contains the rest of the text."""
    token = statement.unclosed
    if token is None:
        return None
    is_free_form = statement.first in _FREE_FORM
    if is_free_form and not (_FIELD.search(token.text) or _PARTITIONED.search(token.text)):
        return None
    opening_mark = token.text[:2] if token.text[0] == "/" else token.text[0]
    error_span = (token.start, token.start + len(opening_mark))
    if has_template(statement.script, statement.tokens):
        return Templated(statement.span, error_span)
    error_kind = "unterminated"
    if is_free_form:
        error_kind = "swallowed-in-quotes"
    elif opening_mark == "/*" and _NESTED_COMMENT.search(token.text, 2):
        error_kind = "nested-comment"
    return InvalidStatement(
        statement.span, error_span, opening_mark, f"`{'*/' if opening_mark == '/*' else opening_mark}`", error_kind
    )


def check_missing_semicolon(statement: Statement, node: Node, parse_tokens: TokenParser) -> Node:
    """The node, or the error if the `;` before a following DDL statement is missing.

    node: the statement as parsed. parse_tokens: parses the tokens from the following statement on.
    """
    script, first = statement.script, statement.first
    is_other = isinstance(node, Templated | Compound) or first in _PRIVILEGE_VERBS or first == "BEGIN"
    if is_other or not statement.may_contain("table"):
        return node
    if isinstance(node, _TABLE_DDL_NODES) and statement.text.lower().count("table") == 1:
        return node  # which is its own keyword
    if isinstance(node, InvalidStatement) and node.error_kind not in ("", "after-query"):
        return node  # only the first error is reported
    # The search starts after the first word, so that the statement's own CREATE or ALTER is not found.
    search_start = statement.start + len(first)
    if statement.compound or not TABLE_DDL.search(script, search_start, statement.end):
        return node
    tokens = statement.tokens
    keywords = [token.word for token in tokens]
    for i in range(1, len(tokens) - 2):
        token, previous_token = tokens[i], tokens[i - 1]
        is_explained = first == "EXPLAIN" and i <= 2
        if is_explained or previous_token.word in _OPENERS or not _is_table_ddl(keywords, i):
            continue
        if first in _FREE_FORM and "\n" not in script[previous_token.end : token.start]:
            continue
        inner_node = parse_tokens(script, tokens[i:], (token.start, statement.end))
        if isinstance(inner_node, Other) or (
            isinstance(node, InvalidStatement)
            and isinstance(parse_tokens(script, tokens[:i], (statement.start, previous_token.end)), InvalidStatement)
        ):
            return node
        if has_template(script, tokens[:i]):
            return Templated(statement.span, token.span)
        error_kind = "swallowed" if first in _FREE_FORM else "missing-semicolon"
        partial_create = inner_node if isinstance(inner_node, Create) else getattr(inner_node, "partial_create", None)
        return InvalidStatement(
            statement.span, token.span, token.text, "`;`", error_kind, table_of(inner_node), partial_create
        )
    return node


def table_of(node: Node) -> NamePath | None:
    """The table whose name a statement has, if it has one."""
    table = getattr(node, "table", None)
    return table if isinstance(table, NamePath) else None


def _is_table_ddl(keywords: list[str], i: int) -> bool:
    """True if a table's DDL begins at a token. keywords: the tokens' words."""
    return TABLE_DDL.match(" ".join(keywords[i : i + 5])) is not None


def invalid_beginning(statement: Statement, parse_tokens: TokenParser) -> Node | None:
    """The error for partition DDL that does not begin with ALTER TABLE, or is in parentheses.

    parse_tokens: parses the statement's tokens without the parentheses.
    """
    # Of PARTITION, the letters that have no other lower case.
    if statement.first in _PRIVILEGE_VERBS or not (statement.may_contain("part") or statement.may_contain("table")):
        return None
    if statement.first == "(" and TABLE_DDL.search(statement.script, *statement.span):
        return _parenthesised(statement, parse_tokens)
    if not _FIELD.search(statement.script, *statement.span):
        return None
    tokens = statement.tokens
    keywords = [token.word for token in tokens]
    verb = next(
        (
            i
            for i, word in enumerate(keywords[:-2])
            if word in _FIELD_VERBS and keywords[i + 1] == "PARTITION" and keywords[i + 2] in ("FIELD", "FIELDS")
        ),
        None,
    )
    if verb is None or (verb and statement.first in _FREE_FORM) or has_template(statement.script, tokens):
        return None
    last_token = tokens[verb - 1] if verb else tokens[verb]
    error_span = (tokens[0].start, last_token.end)
    name = _name_before(tokens, verb)
    text = statement.script[tokens[name].start : last_token.end] if name < verb else "..."
    opening_text = statement.script[error_span[0] : min(error_span[1], error_span[0] + 40)]
    return InvalidStatement(statement.span, error_span, opening_text, f"`ALTER TABLE {text}`", "not-alter-table")


def _name_before(tokens: list[Token], end: int) -> int:
    """The start index of the name that ends before a token."""
    index = end
    while index and tokens[index - 1].kind in NAME_KINDS:
        index -= 1
        if not index or tokens[index - 1].text != ".":
            break
        index -= 1
    return index


def _parenthesised(statement: Statement, parse_tokens: TokenParser) -> Node | None:
    tokens = statement.tokens
    first, last = 0, len(tokens)
    while first < last and tokens[first].text == "(":
        first += 1
        if tokens[last - 1].text == ")":
            last -= 1
    if first >= last - 2 or not _is_table_ddl([token.word for token in tokens], first):
        return None
    inner_node = parse_tokens(statement.script, tokens[first:last], (tokens[first].start, tokens[last - 1].end))
    if isinstance(inner_node, Other | Templated):
        return None
    return InvalidStatement(statement.span, tokens[0].span, "(", f"`{tokens[first].text}`", "statement-in-parentheses")


def reject_missing_table(cursor: Cursor) -> None:
    """Raise ParseError for CREATE db.t (...) USING iceberg, and for CREATE IF NOT EXISTS TABLE.

    `is_partition_ddl` is then set on the cursor.
    """
    start = cursor.index
    _, is_replace = skip_create_verb(cursor)
    cursor.take("EXTERNAL")
    verb = " ".join(cursor.words[start : cursor.index])
    if cursor.is_at("IF", "NOT", "EXISTS"):
        if cursor.words[cursor.index + 3] == "TABLE" or _has_clause(cursor):
            error_kind = "replace-if-not-exists" if is_replace else "if-not-exists-first"
            cursor.fail_in_ddl(f"`{verb} TABLE IF NOT EXISTS`", error_kind)
    elif cursor.at_name and _has_clause(cursor):
        name_index = cursor.index
        while cursor.at_name and cursor.words[cursor.index + 1] == ".":
            cursor.index += 2
        if cursor.at_name and cursor.words[cursor.index + 1] in ("(", "USING", "PARTITIONED"):
            text = cursor.script[cursor.tokens[name_index].start : cursor.token.end]
            cursor.index = name_index
            cursor.fail_in_ddl(f"`{verb} TABLE {text}`", "not-create-table")
    cursor.index = start


def _has_clause(cursor: Cursor) -> bool:
    """True if there is a clause outside brackets that only CREATE TABLE has."""
    depth = 0
    for i in range(cursor.index, cursor.count):
        word = cursor.words[i]
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth:
            continue
        if word == "PARTITIONED" and cursor.words[i + 1] == "BY":
            return True
        if word == "USING" and cursor.tokens[i + 1].kind is TokenKind.WORD:
            return True
    return False
