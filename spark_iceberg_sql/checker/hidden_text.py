"""Notes for statements that Spark may run, but that no variant of a script contains.

A template's marks in SQL comments or strings, a placeholder of the settings, or the limit on variants hides them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.checker.reporting import Verdict
from spark_iceberg_sql.checker.unresolved import FILLED_IN, not_checked, sure
from spark_iceberg_sql.diagnostics import Diagnostic, Lines
from spark_iceberg_sql.files.filled_in import as_written, placeholders_in
from spark_iceberg_sql.files.source_map import Joined, Offsets, Piece, join
from spark_iceberg_sql.files.templates import choices, template_spans, untried
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.lexer import Kind, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

_PLACEHOLDER = "let the placeholders in the settings match values, not keywords"
_ENCLOSED = "keep the template's comments and tags out of SQL comments and strings"
# Tokens in which a template's mark is no mark for Spark.
_NO_SQL = frozenset({Kind.COMMENT, Kind.STRING, Kind.DOUBLE, Kind.QUOTED})


def hidden_statements(
    script: Joined, texts: Sequence[Joined], verdict: Verdict, *, kept: bool
) -> Iterator[Diagnostic]:
    """A note for each statement that Spark may run, and that no variant of a script's templates contains.

    script: as written, with placeholders. variant_scripts: those that are checked. is_captured: a template
    stores the text for later, as part of another script.
    """
    hidden = [*_by_placeholders(script, texts), *_by_number(script)]
    if not kept:
        hidden += _by_marks(script)
    if not hidden:
        return
    lines = Lines(script.sql)
    for (start, end), why, help_ in hidden:
        message = f"not checked: {why}"
        span = lines.span(start, end)
        note = sure(not_checked(message, span, help_), verdict)
        if note is not None:
            yield note


def _by_placeholders(script: Joined, texts: Sequence[Joined]) -> Iterator[tuple[Offsets, str, str]]:
    """Statements that exist only without the placeholders of the settings."""
    replaced = [
        (hole.start + offset, hole.end + offset, hole.text)
        for piece, offset in zip(script.pieces, script.offsets, strict=True)
        for hole in placeholders_in(piece)
    ]
    if not replaced:
        return
    every = [statement for text in texts for statement in statements(text.sql)]
    begun = {statement.start for statement in every}
    known = {statement.start for statement in every if _is_read(statement)}
    variants = [choices(as_written(piece)) for piece in script.pieces]
    for number in range(max(map(len, variants))):
        written = join(v[min(number, len(v) - 1)] for v in variants)
        for statement in statements(written.sql):
            start, end = statement.start, statement.end
            if start in known or statement.unclosed is not None or not _is_read(statement):
                continue
            known.add(start)
            first = max(bisect_left(replaced, (start, 0, "")) - 1, 0)
            over = next(
                (hole for hole in replaced[first : first + 2] if hole[1] > start), replaced[first]
            )
            if start in begun and over[0] <= start and end <= over[1]:
                continue  # nothing but a placeholder, which is noted as such
            yield (start, end), f"a placeholder in the settings replaces `{over[2]}`", _PLACEHOLDER


def _by_number(script: Joined) -> Iterator[tuple[Offsets, str, str]]:
    """Branches that are not checked because a template has too many."""
    for piece, offset in zip(script.pieces, script.offsets, strict=True):
        for start, end in untried(piece):
            why = f"`{piece.sql[start:end]}` is one of too many branches"
            yield (start + offset, end + offset), why, FILLED_IN


def _by_marks(script: Joined) -> Iterator[tuple[Offsets, str, str]]:
    """Statements between a template's marks of which the first is in an SQL comment or string."""
    for piece, offset in zip(script.pieces, script.offsets, strict=True):
        for start, end in _between_marks(piece):
            why = "template syntax in an SQL comment or string hides this statement"
            yield (start + offset, end + offset), why, _ENCLOSED


def _between_marks(piece: Piece) -> Iterator[Offsets]:
    spans = template_spans(piece.sql)
    if not spans:
        return
    # Without what is between the marks: a quote there neither begins nor ends a string.
    chars = list(piece.sql)
    for start, end in spans:
        chars[start:end] = (c if c in "\r\n" else " " for c in piece.sql[start:end])
    at = 0
    for token in tokenize("".join(chars)):
        while at < len(spans) and spans[at][0] <= token.start:
            at += 1
        first = at
        while at < len(spans) and spans[at][0] < token.end:
            at += 1
        if at == first or token.kind not in _NO_SQL:
            continue
        # As Spark reads it, which knows no templates.
        end = max(spans[at - 1][1], token.end)
        for statement in statements(piece.sql[token.start : end]):
            if _is_read(statement):
                yield token.start + statement.start, token.start + statement.end


def _is_read(statement: Statement) -> bool:
    """True if a rule may concern the statement."""
    return not isinstance(parser.read(statement), nodes.Other)
