"""Templates in SQL text: `{{ name }}`, `{% if %}`, `{name}`, `${name}`, `$name`, `%(name)s`."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.terms import Offsets

_MAX_WORD_LENGTH = 1000
# What programs put in the place of a word before Spark sees it, besides templates: `%(name)s`, `%s`, `:name`, `@name`,
# `&name`, `&&name.`, `<name>`, `[[ name ]]`, `#name#`, `@@name@@`, `?`.
_PLACEHOLDER = regex(r"%\(\w+\)[a-z]|%[sdr]\b|[:@]\w+|&&?\w+|<\w+>|\[\[\s*\w+\s*\]\]|#\w+#|@@\w+(?:@@)?|\?")


def placeholder_span(script: str, offset: int) -> Offsets | None:
    """The placeholder that begins at an offset at which the grammar does not accept its first character."""
    if script[offset] in ":@<" and re.match(r"\w", script[offset - 1 : offset]):
        return None  # `a:INT` and its like
    match = _PLACEHOLDER.match(script, offset)
    return (offset, match.end()) if match is not None else None


def has_template(script: str, tokens: list[Token]) -> bool:
    """True if a template is outside of strings, comments and quoted names."""
    start, end = tokens[0].start, tokens[-1].end
    if script.find("{", start, end) < 0 and script.find("$", start, end) < 0:
        return False
    return any(t.kind is TokenKind.STRAY and t.text in "{$" for t in tokens)


def merge_templates(script: str, tokens: list[Token]) -> tuple[list[Token], list[Offsets]]:
    """The tokens with each template and the words adjacent to it as one word, and the templates' spans.

    A control block (`{% ... %}`, `{# ... #}`) is no word: it is left out.
    """
    merged_tokens: list[Token] = []
    spans: list[Offsets] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        end = _template_end(tokens, i) if token.kind is TokenKind.STRAY and token.text in "{$" else i
        if end == i:
            if merged_tokens and _is_adjacent(merged_tokens[-1], token) and "{" in merged_tokens[-1].text + token.text:
                merged_tokens[-1] = _word_token(script, merged_tokens[-1].start, token.end)
            else:
                merged_tokens.append(token)
            i += 1
            continue
        span = (token.start, tokens[end - 1].end)
        spans.append(span)
        if not script.startswith(("{%", "{#"), token.start):
            if merged_tokens and _is_adjacent(merged_tokens[-1], token):
                merged_tokens[-1] = _word_token(script, merged_tokens[-1].start, span[1])
            else:
                merged_tokens.append(_word_token(script, *span))
        i = end
    return merged_tokens, spans


def _word_token(script: str, start: int, end: int) -> Token:
    return Token(TokenKind.WORD, script[start:end], start, end)


def _is_adjacent(left: Token, right: Token) -> bool:
    """True if a word continues without a blank; only up to a length, so that the time stays linear."""
    return (
        left.kind is TokenKind.WORD
        and left.end == right.start
        and left.end - left.start < _MAX_WORD_LENGTH
        and right.kind in (TokenKind.WORD, TokenKind.STRAY)
    )


def _template_end(tokens: list[Token], i: int) -> int:
    """The index behind the template that opens at token i; i itself if it does not close."""
    # `${name}`, `$name`; a `$` before anything else is no template.
    if tokens[i].text == "$":
        if i + 1 < len(tokens) and tokens[i + 1].start == tokens[i].end:
            if tokens[i + 1].text == "{":
                return _template_end(tokens, i + 1)
            if tokens[i + 1].kind is TokenKind.WORD:
                return i + 2
        return i
    depth = 0
    for j in range(i, min(i + 200, len(tokens))):
        if tokens[j].text == "{":
            depth += 1
        elif tokens[j].text == "}":
            depth -= 1
            if not depth:
                return j + 1
    return i
