"""Reports moved onto an edited text: credentials masked, or parameter markers instead of the checked values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Span, apply_edits
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.functions.table_functions import ALL_FUNCTIONS
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.script import statements

MASK = "***"
_CALLS = frozenset(name.upper() for f in ALL_FUNCTIONS if f.has_secrets for name in f.names)
CREDENTIAL_CALL = regex(rf"(?i)\b(?:{'|'.join(_CALLS)})\s*\(")
_SECRETS = (
    r"(?i)secret|passw|token|credential|connection.?string|//[^/@\s]*:[^/@\s]*@"
    r"|(?:access|account|api|private|encryption|signing|shared).?key"
)
SECRETS = regex(_SECRETS)
_KEY = regex(rf"{_SECRETS}|(?:\bkey|[-_.]key|[a-z]Key)\W*$")
_VALUE = regex(r"(?i)//[^/@\s]*:[^/@\s]*@|(?:key|secret|token|password|signature|\bsig)=")
_ANY_SECRET = regex(rf"{_SECRETS}|key")


def rebased(report: Report, edits: Sequence[Edit]) -> Report:
    """The report on its text with edits, which are in order; a fix that touches an edit is dropped."""
    if not edits:
        return report
    text = apply_edits(report.text, edits)
    lines = Lines(text)

    def placed(diagnostic: Diagnostic) -> Diagnostic:
        span = lines.span(*_shifted_range(diagnostic.span, edits))
        fix = _rebased_fix(diagnostic.fix, edits) if diagnostic.fix is not None else None
        return replace(diagnostic, span=span, fix=fix)

    return replace(report, text=text, diagnostics=tuple(map(placed, report)), lines=lines)


def inverse_edits(edits: Sequence[Edit], text: str) -> list[Edit]:
    """The edits that undo edits. text: as it was before them."""
    inverse, shift = [], 0
    for edit in edits:
        start = edit.start + shift
        inverse.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return inverse


def shifted_offset(offset: int, edits: Sequence[Edit], *, end: bool = False) -> int:
    """The new offset after edits. end: the offset ends a span, which then includes an edit that it cuts."""
    shift = 0
    for edit in edits:
        if offset <= edit.start and not (end and edit.start < offset):
            break
        if offset < edit.end:
            return edit.start + shift + (len(edit.text) if end else 0)
        shift += len(edit.text) - (edit.end - edit.start)
    return offset + shift


def _rebased_fix(fix: Fix, edits: Sequence[Edit]) -> Fix | None:
    if any(fix_edit.start < edit.end and edit.start < fix_edit.end for fix_edit in fix.edits for edit in edits):
        return None
    return replace(fix, edits=tuple(Edit(*_shifted_range(edit, edits), edit.text) for edit in fix.edits))


def _shifted_range(old: Span | Edit, edits: Sequence[Edit]) -> tuple[int, int]:
    return shifted_offset(old.start, edits), shifted_offset(old.end, edits, end=True)


def without_secrets(report: Report) -> Report:
    """The report with each value that may be a credential masked, in messages too."""
    edits = secrets_of(report.text)
    if not edits:
        return report
    secrets = {report.text[edit.start : edit.end] for edit in edits}
    # A shorter one may be part of other words.
    values = sorted((value for value in secrets if len(value) > 3), key=len, reverse=True)
    masked_report = rebased(report, edits)

    def silent(text: str | None) -> str | None:
        for value in values if text else ():
            for spelling in (value, visible(value)):  # a message has it without control characters
                text = text.replace(spelling, MASK)  # type: ignore[union-attr]
        return text

    return replace(
        masked_report,
        diagnostics=tuple(replace(d, message=silent(d.message) or "", help=silent(d.help)) for d in masked_report),
    )


def masked(text: str) -> str:
    """The text with `***` for each value that may be a credential."""
    return apply_edits(text, secrets_of(text))


def secrets_of(text: str) -> list[Edit]:
    """The edits that mask the values of a text that may be credentials.

    These are values of properties, options and arguments whose key looks like a secret's; passwords in URLs; unnamed
    arguments after the first of table functions that take credentials; the value that SET assigns to such a key.
    """
    if _ANY_SECRET.search(text) is None and _VALUE.search(text) is None and CREDENTIAL_CALL.search(text) is None:
        return []
    edits = []
    for statement in statements(text):
        spans = sorted(set(_secret_spans(statement.text, statement.tokens, statement.start)))
        edits += [Edit(start, end, MASK) for start, end in spans if start < end]
    return edits


def _secret_spans(text: str, tokens: list[Token], base_offset: int) -> Iterator[tuple[int, int]]:
    # SET takes its value as raw text, not as a string token: all after the first `=` is the value.
    if tokens and tokens[0].word == "SET" and "=" in text:
        start = text.index("=") + 1
        if _KEY.search(text[: start - 1].rstrip()) or _VALUE.search(text[start:]):
            yield base_offset + start, base_offset + len(text)
        return
    key = ""
    for previous, token in zip([None, *tokens], tokens, strict=False):
        if token.text in (",", "(") or token.word in _KEY_END_WORDS:
            key = ""
        elif token.kind in STRINGS:
            if (key and _KEY.search(key)) or _VALUE.search(token.text):
                yield token.start + 1, token.end - 1
            elif previous is None or previous.text in (",", "("):
                key = token.text
        elif token.kind is TokenKind.NUMBER and previous is not None:
            if (previous.text in ("=", "=>") or previous.kind in STRINGS) and _KEY.search(key):
                yield token.start, token.end
        elif token.text not in ("=", "=>"):
            key += token.text
    yield from credential_arguments(tokens)


# Words that end a key.
_KEY_END_WORDS = frozenset({"SELECT", "WHERE", "VALUES", "AND", "OR", "FROM", "AS", "LOCATION", "USING"})


def credential_arguments(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """The strings after the first argument of table functions that take credentials."""
    depth = 0
    for previous, opening, argument in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.text == "(" and (depth or previous.word in _CALLS):
            depth += 1
        elif opening.text == ")" and depth:
            depth -= 1
        if depth and opening.text == "," and argument.kind in STRINGS:
            yield argument.start + 1, argument.end - 1
