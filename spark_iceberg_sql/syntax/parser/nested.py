"""Statements that contain others: EXPLAIN, EXECUTE IMMEDIATE, BEGIN ... END."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.nodes import Compound, Explain, Immediate, Node, Other, Templated
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.typos import is_verb
from spark_iceberg_sql.syntax.terms import Offsets

# Parses one statement, given the script, the tokens and the span.
TokenParser = Callable[[str, list[Token], Offsets], Node]
# First keywords of the statements that concern tables; all others are not parsed.
TABLE_VERBS = frozenset([
    "ALTER", "BEGIN", "CREATE", "DROP", "EXPLAIN", "INSERT", "REPLACE", "SET", "USE", "MSCK",
    "REPAIR", "SHOW", "TRUNCATE", "CALL", "EXECUTE",
])  # fmt: skip
# Those that change tables; ALTER, CREATE, DROP and REPLACE are also recognized if misspelt.
_CHANGING_VERBS = TABLE_VERBS - {"SHOW"}
_FIRST_WORD = regex(r"\s*([A-Za-z]+)\b")
EXPLAIN_MODES = frozenset({"LOGICAL", "FORMATTED", "EXTENDED", "CODEGEN", "COST"})
OPENERS = frozenset(["ATOMIC", "BEGIN", "DO", "ELSE", "LOOP", "REPEAT", "THEN", ":"])


def explain(cursor: Cursor, span: Offsets, parse_tokens: TokenParser) -> Node:
    """EXPLAIN and the statement after it. parse_tokens: parses that statement's tokens."""
    while cursor.take("EXPLAIN"):
        if cursor.word in EXPLAIN_MODES:
            cursor.index += 1
    start = cursor.token.start
    if cursor.word == "BEGIN":
        return Explain(span, Other((start, span[1])))
    inner_node = parse_tokens(cursor.script, cursor.tokens[cursor.index : cursor.count], (start, span[1]))
    return Explain(span, inner_node)


def compound(cursor: Cursor, span: Offsets, parse_tokens: TokenParser) -> Node | None:
    """BEGIN ... END: the relevant statements in it, in order. parse_tokens: parses the tokens of one."""
    inner_nodes: list[Node] = []
    first = cursor.index
    for i in range(cursor.index, cursor.count + 1):
        if cursor.words[i] != ";" and i < cursor.count:
            continue
        begin = first
        for j in range(first, i):
            is_handler = cursor.words[j : j + 2] == ["ALTER", "TABLE"] and "HANDLER" in cursor.words[first:j]
            if cursor.words[j] in TABLE_VERBS and (j == first or cursor.words[j - 1] in OPENERS or is_handler):
                begin = j
                if cursor.words[j] != "BEGIN":
                    break
        tokens = cursor.tokens[begin:i]
        if tokens and cursor.words[begin] in TABLE_VERBS and cursor.words[begin] != "BEGIN":
            node = parse_tokens(cursor.script, tokens, (tokens[0].start, tokens[-1].end))
            if not isinstance(node, Other):
                inner_nodes.append(node)
        first = i + 1
    return Compound(span, tuple(inner_nodes))


def immediate(cursor: Cursor, span: Offsets, parse_tokens: TokenParser) -> Node | None:
    """EXECUTE IMMEDIATE of a literal: the statement in it; of any other expression: unknown.

    parse_tokens: parses that statement's tokens.
    """
    cursor.index += 1
    if not cursor.take("IMMEDIATE") or cursor.done:
        return None
    token = cursor.token
    next_word = cursor.words[cursor.index + 1]
    first_word = _FIRST_WORD.match(unescape(token.text)) if token.kind in STRINGS else None
    if first_word is not None and not (is_verb(first_word[1].upper()) or first_word[1].upper() in _CHANGING_VERBS):
        return None  # a query
    if token.kind not in STRINGS or next_word not in ("", "USING", "INTO"):
        return Templated(span, token.span, may_be_any=True)
    quote_length = 2 if token.text[:1] in "rR" else 1
    inner = token.text[quote_length:-1]
    if set("\\{$" + token.text[-1]) & set(inner) or next_word:
        # A template, or an escape: offsets in the literal differ from offsets in its value.
        return Templated(span, token.span)
    start = token.start + quote_length
    tokens = [t for t in tokenize(inner) if t.kind not in TRIVIA]
    tokens = [Token(t.kind, t.text, t.start + start, t.end + start) for t in tokens]
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        return None
    node = parse_tokens(cursor.script, tokens, (tokens[0].start, tokens[-1].end))
    return None if isinstance(node, Other) else Immediate(span, node)
