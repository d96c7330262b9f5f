"""Where Spark's parser stops in a statement, and what to write there: by Spark's own grammar.

A correction is offered only if the grammar has the whole statement with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.runtime import minor_version, spark_versions
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.syntax import routing, spark_mistakes
from spark_iceberg_sql.syntax.clickhouse import translation
from spark_iceberg_sql.syntax.lexer import TRIVIA, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.parser.typos import is_similar
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.spark_grammar.recognizer import END, Grammar, Recognizer, Stop, TooDeepError, grammar
from spark_iceberg_sql.syntax.spark_grammar.token_names import token_names
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import RefusedStatement
from spark_iceberg_sql.syntax.terms import Offsets

_MAX_CHARACTERS = 100_000  # of a statement that is read
_MAX_EXPECTED = 4  # tokens that are tried, where so few are expected
_MAX_SHOWN = 12  # tokens that a sentence names
_REACH = 3  # tokens before the one at which the parser stops where the mistake may be
_ODD = frozenset({"COMMA", "RIGHT_PAREN"})  # tokens that are often one too many
# Statements of queries and of rows. Other verbs may be those of a session's other extensions, such as Delta's.
_VERBS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "INSERT", "MERGE", "UPDATE", "DELETE", "("})
_KINDS = {"STRING_LITERAL": "a string", "INTEGER_VALUE": "a number"}
_VALUE = frozenset({"CASE", "IDENTIFIER", "INTEGER_VALUE", "LEFT_PAREN", "STRING_LITERAL"})  # how one may begin


@record(frozen=True, slots=True)
class RefusedSyntax:
    """span, message, help: of the finding. edit: the correction, if one is certain. is_command: whether another
    extension of a session may have the statement.
    """

    span: Offsets
    message: str
    help: str
    edit: Edit | None = None
    is_command: bool = False


def is_read_by_spark(statement: Statement) -> bool:
    """Whether Spark's own grammar reads a statement, and not Iceberg's."""
    keywords = [token.word for token in statement.tokens]
    return "CALL" not in keywords[:2] and not routing.has_iceberg_phrase(keywords)


def _is_translated(text: str) -> bool:
    """Whether an installed session runs a statement as another one: ClickHouse's, or AS OF behind a table by path."""
    try:
        return translation.translate(text) is not None
    except IcebergSqlError:
        return True


def refused_syntax(context: Context) -> RefusedSyntax | None:
    """Where Spark stops; None if its grammar has the statement, or if that is not language."""
    statement, engine = context.statement, context.catalog.engine
    if (engine is not None and engine.has_own_grammar) or len(statement.text) > _MAX_CHARACTERS:
        return None
    tokens = statement.tokens
    # A variable of SQLMesh or psql, or no SQL at all.
    has_stray = any(token.kind is TokenKind.STRAY for token in tokens)
    if has_stray or not statement.closed or not is_read_by_spark(statement):
        return None
    configured = context.catalog.spark
    # Where no version is configured, any may run it.
    versions = spark_versions.WITH_RUNTIME[::-1] if configured is None else (configured,)
    stop = _stop(versions[0], tokens)
    if stop is None or any(_stop(version, tokens) is None for version in versions[1:]):
        return None
    if _is_translated(statement.text):
        return None
    refused = _refusal(context.text, tokens, stop, versions[0])
    is_verb = statement.first in _VERBS or (refused.edit is not None and refused.edit.start == statement.start)
    return refused if is_verb else replace(refused, edit=None, is_command=True)


def is_refused_by_grammar(text: str, spark: Version | None) -> bool:
    """True if Spark's grammar has no such statement: of a version, or of none of all versions."""
    tokens = [token for token in tokenize(text) if token.kind not in TRIVIA]
    if any(token.kind is TokenKind.STRAY for token in tokens):
        return False
    versions = spark_versions.WITH_RUNTIME if spark is None else (spark,)
    return all(_stop(version, tokens) is not None for version in versions)


def _stop(version: Version, tokens: Sequence[Token]) -> Stop | None:
    language = grammar(version)
    try:
        return Recognizer(language, token_names(tokens, language.texts)).stop()
    except TooDeepError:
        return None


def _refusal(text: str, tokens: Sequence[Token], stop: Stop, version: Version) -> RefusedSyntax:
    end = tokens[-1].end
    at = tokens[stop.token] if stop.token < len(tokens) else None
    span = at.span if at is not None else (end, end)
    mistake = spark_mistakes.help_of(RefusedStatement("PARSE_SYNTAX_ERROR", {}, tokens, text, span))
    newer = (v for v in (*spark_versions.WITH_RUNTIME, *spark_versions.LATER) if v > version)
    later = next((v for v in newer if _stop(v, tokens) is None), None)
    if later is not None:
        has_it = minor_version.text(later)
        if mistake is not None and mistake.span is not None:
            span = mistake.span
            at = next((token for token in tokens if token.start == span[0]), at)
        message = f"Spark {minor_version.text(version)} refuses {_named(at)}: Spark has the statement from {has_it} on"
        help_ = f'if Spark {has_it} runs it, write `spark = "{has_it}"` in the configuration'
        return RefusedSyntax(span, message, help_ if mistake is None else f"{mistake.help}; {help_}")
    message = f"Spark's parser stops at {_named(at)}"
    language = grammar(version)
    if mistake is not None:
        edit = (
            Edit(*mistake.edit)
            if mistake.edit is not None and _is_right(text, tokens, mistake.edit, language)
            else None
        )
        return RefusedSyntax(mistake.span or span, mistake.message or message, mistake.help, edit)
    correction = next(_corrections(tokens, stop, language), None)
    if correction is not None:
        corrected, help_, edit = correction
        return RefusedSyntax(corrected, message, help_, edit)
    return RefusedSyntax(span, message, _expectation(stop, language))


def _named(token: Token | None) -> str:
    if token is None:
        return "the end of the statement, which is not complete"
    return f"`{token.text if len(token.text) <= 40 else token.text[:40] + '...'}`"


def _corrections(tokens: Sequence[Token], stop: Stop, language: Grammar) -> Iterator[tuple[Offsets, str, Edit]]:
    """Corrections of one token with which the grammar has the statement: its place, what to write, the edit."""
    names = token_names(tokens, language.texts)
    for index in range(min(stop.token, len(tokens) - 1), max(stop.token - _REACH, 0) - 1, -1):
        token = tokens[index]
        for keyword in language.keywords if token.kind is TokenKind.WORD else ():
            is_other = language.texts[keyword] != names[index] and is_similar(token.word, keyword)
            if is_other and _has(language, [*names[:index], language.texts[keyword], *names[index + 1 :]]):
                yield token.span, f"write `{keyword}`", Edit(*token.span, keyword)
    for index in (stop.token - 1, stop.token):
        is_odd = 0 < index < len(tokens) and names[index] in _ODD
        if is_odd and _has(language, names[:index] + names[index + 1 :]):
            yield tokens[index].span, f"leave out the `{tokens[index].text}`", Edit(*tokens[index].span, "")
    missing = sorted(stop.expected) if len(stop.expected) <= _MAX_EXPECTED else ["RIGHT_PAREN"]
    for name in missing if stop.token else ():
        text = language.text_of(name)
        # Between two names a dot is always right, and never meant.
        if text in (None, ".") or not _has(language, [*names[: stop.token], name, *names[stop.token :]]):
            continue
        if stop.token < len(tokens):
            at = tokens[stop.token]
            yield at.span, f"write `{text}` before it", Edit(at.start, at.start, f"{text} ")
        else:
            end = tokens[-1].end
            yield (end, end), f"write `{text}` at the end", Edit(end, end, f" {text}" if text.isalpha() else text)


def _is_right(text: str, tokens: Sequence[Token], edit: tuple[int, int, str], language: Grammar) -> bool:
    """Whether the grammar has the statement after an edit."""
    start, end, replacement = edit
    edited = f"{text[tokens[0].start : start]}{replacement}{text[end : tokens[-1].end]}"
    return _has(
        language, token_names([token for token in tokenize(edited) if token.kind not in TRIVIA], language.texts)
    )


def _has(language: Grammar, names: Sequence[str]) -> bool:
    try:
        return Recognizer(language, names).stop() is None
    except TooDeepError:
        return False


def _expectation(stop: Stop, language: Grammar) -> str:
    if stop.expected >= _VALUE:
        return "write a value there"
    is_name = "IDENTIFIER" in stop.expected
    texts = ["a name"] if is_name else []
    texts += [kind for name, kind in _KINDS.items() if name in stop.expected]
    texts += [f"`{mark}`" for mark in ("(", ",", ")") if language.texts[mark] in stop.expected]
    # Wherever a name may be, most keywords may, too.
    texts += [word for word in language.keywords if language.texts[word] in stop.expected and not is_name]
    texts += ["the end"] if END in stop.expected else []
    enumerated = [*texts[:_MAX_SHOWN], *([] if len(texts) <= _MAX_SHOWN else ["..."])]
    return f"what may be there: {', '.join(enumerated)}" if enumerated else "leave it out"
