"""Clauses of other engines in a query that Spark certainly refuses.

In: a statement. Out: the first clause, and what to write. What Spark may accept is left to it: FROM inside a function
(`trim(BOTH FROM 'a')`), a `read_parquet` where the script creates functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token, TokenKind
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.spark_mistakes.iceberg_statements import delete_using, merge_aliases, metadata_table
from spark_iceberg_sql.syntax.spark_mistakes.query_clauses import top
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import MistakeHelp, RefusedStatement
from spark_iceberg_sql.syntax.spark_mistakes.relations import at_time, options_hint, quoted_file, reading_function
from spark_iceberg_sql.syntax.terms import Offsets

# What each such clause has in its text; so most queries need no tokens.
_CANDIDATE = regex(
    r"(?i)/\*\+|\btop\b|\bread_|\bat\b|\w\$[a-z]|\b(?:delete|merge)\b|\b(?:from|join)\s*(?:r?['\"]|--|/)"
)
# A path: it has folders, or the ending of a format that Spark reads.
_PATH = regex(r"/|\.(?:parquet|csv|json|orc|avro)(?:\.gz)?'$")


@record(frozen=True, slots=True)
class ForeignClause:
    """A clause of another engine. span: its offsets. replacement: the text to write there, if it is certain.

    is_ignored: Spark takes the statement, as if the clause were not there.
    """

    span: Offsets
    fact: str
    help: str
    replacement: str | None = None
    is_ignored: bool = False


def foreign_clause(statement: Statement) -> ForeignClause | None:
    """The first such clause of a query; None if there is none."""
    text = statement.script
    if text.isascii() and _CANDIDATE.search(text, statement.start, statement.end) is None:
        return None
    tokens = statement.tokens
    if (clause := _of_iceberg_tables(statement)) is not None:
        return clause
    for index, token in enumerate(tokens[:-1]):
        following = tokens[index + 1]
        if (token.word, following.word) == ("SELECT", "TOP"):
            mistake = top(_refused_from(tokens, index, text))
            if mistake is not None:
                return _clause(following.span, "Spark has no TOP", mistake)
        if token.word in ("FROM", "JOIN") and following.kind is TokenKind.STRING and _is_relation(tokens, index):
            mistake = quoted_file(_refused_from(tokens, index, text))
            if mistake is not None and _PATH.search(following.text) is not None:
                return _clause(following.span, "Spark does not read a file by a path in quotes", mistake)
            return ForeignClause(following.span, "a string literal is not a table", "write the name without quotes")
        if token.word in ("FROM", "JOIN") and following.word.startswith("READ_") and _is_relation(tokens, index):
            mistake = reading_function(_refused_from(tokens, index + 1, text))
            is_first = mistake is not None and mistake.edit is not None and mistake.edit[0] == following.start
            if mistake is not None and is_first and "function" not in text.lower():
                return _clause(following.span, f"Spark has no function `{following.text}`", mistake)
        if token.word == "AT" and following.text == "(" and _follows_table(tokens, index):
            mistake = at_time(_refused_from(tokens, index, text))
            if mistake is not None:
                return _clause(token.span, "Spark has no AT for a time or a version", mistake)
    return None


def _of_iceberg_tables(statement: Statement) -> ForeignClause | None:
    """`FROM t$files`, DELETE ... USING, and names of columns after an alias in MERGE."""
    refused = RefusedStatement("PARSE_SYNTAX_ERROR", {}, statement.tokens, statement.script)
    has_sign = any(token.text == "$" for token in statement.tokens)
    for mistake, fact in (
        (metadata_table if has_sign else None, "Spark has no `$` in the name of a metadata table"),
        (delete_using, "Spark has no DELETE ... USING"),
        (merge_aliases, "MERGE takes no names of columns after an alias"),
    ):
        mistake_help = mistake(refused) if mistake is not None else None
        if mistake_help is not None and mistake_help.span is not None:
            return _clause(mistake_help.span, fact, mistake_help)
    return _options_hint(refused) if "/*+" in statement.text else None


def _options_hint(refused: RefusedStatement) -> ForeignClause | None:
    """`/*+ OPTIONS('a' = 'b') */`, which Spark refuses, and `OPTIONS('a', 'b')`, a hint that it does not know."""
    hint = options_hint(refused)
    if hint is None or hint.span is None:
        return None
    tokens = [token for token in refused.tokens if hint.span[0] <= token.start < hint.span[1]]
    if any(token.text == "=" for token in tokens):
        return _clause(hint.span, "Spark has no hint OPTIONS", hint)
    is_option = any(token.kind is TokenKind.STRING for token in tokens)
    if not is_option or "=>" in [token.text for token in tokens]:
        return None
    return ForeignClause(hint.span, "Spark ignores a hint OPTIONS, whose options have no effect", hint.help, None, True)


def _refused_from(tokens: Sequence[Token], index: int, text: str) -> RefusedStatement:
    """The statement from a token on: what is before is not the mistake."""
    return RefusedStatement("PARSE_SYNTAX_ERROR", {}, tokens[index:], text)


def _clause(span: Offsets, fact: str, mistake: MistakeHelp) -> ForeignClause:
    if mistake.edit is None:
        return ForeignClause(span, fact, mistake.help)
    start, end, replacement = mistake.edit
    return ForeignClause((start, end), fact, mistake.help, replacement)


def _is_relation(tokens: Sequence[Token], index: int) -> bool:
    """True if a FROM or JOIN is of the statement or of a subquery, and not an argument of a function."""
    if tokens[index - 1].word == "DISTINCT":
        return False  # `a IS DISTINCT FROM 'b'`
    depth = 0
    for i in range(index - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(tokens[i].text, 0)
        if depth < 0:
            return tokens[i + 1].word in ("SELECT", "WITH")
    return True


def _follows_table(tokens: Sequence[Token], index: int) -> bool:
    """True if what is before a token is the name of a table after FROM or JOIN."""
    start = index - 1
    while start > 1 and tokens[start - 1].text == ".":
        start -= 2
    is_name = tokens[start].kind in NAME_KINDS
    return is_name and start > 0 and tokens[start - 1].word in ("FROM", "JOIN")
