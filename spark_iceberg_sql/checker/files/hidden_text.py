"""Notes for statements that Spark may run, but that no variant of a script contains.

A template's marks in SQL comments or strings, a placeholder of the settings, or the limit on variants hides them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.checker.files.placeholder_filter import FILLED_IN_HELP, not_checked, with_severity
from spark_iceberg_sql.checker.reporting import SeverityPolicy
from spark_iceberg_sql.diagnostics import Diagnostic, Lines
from spark_iceberg_sql.files.placeholder_patterns import placeholders_in, without_placeholders
from spark_iceberg_sql.files.source_map import JoinedScript, Offsets, SqlFragment, join_fragments
from spark_iceberg_sql.files.templates import skipped_branches, template_spans, template_variants
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

_PLACEHOLDER_HELP = "let the placeholders in the settings match values, not keywords"
_MARKS_HELP = "keep the template's comments and tags out of SQL comments and strings"
# Tokens in which a template's mark is no mark for Spark.
_OPAQUE_TOKENS = frozenset({TokenKind.COMMENT, TokenKind.STRING, TokenKind.DOUBLE, TokenKind.QUOTED})


def hidden_statements(
    script: JoinedScript, variant_scripts: Sequence[JoinedScript], severity_policy: SeverityPolicy, *, is_captured: bool
) -> Iterator[Diagnostic]:
    """A note for each statement that Spark may run, and that no variant of a script's templates contains.

    script: as written, with placeholders. variant_scripts: those that are checked. is_captured: a template stores the
    text for later, as part of another script.
    """
    hidden_ranges = [*_hidden_by_placeholders(script, variant_scripts), *_hidden_by_branch_limit(script)]
    hidden_ranges += _hidden_by_template_marks(script) if not is_captured else ()
    lines = Lines(script.sql)
    for (start, end), reason, help_ in hidden_ranges:
        note = not_checked(f"not checked: {reason}", lines.span(start, end), help_)
        yield from with_severity(note, severity_policy)


def _hidden_by_placeholders(
    script: JoinedScript, variant_scripts: Sequence[JoinedScript]
) -> Iterator[tuple[Offsets, str, str]]:
    """Statements that exist only without the placeholders of the settings."""
    replaced = [
        (placeholder.start + offset, placeholder.end + offset, placeholder.text)
        for fragment, offset in zip(script.fragments, script.offsets, strict=True)
        for placeholder in placeholders_in(fragment)
    ]
    if not replaced:
        return
    all_statements = [statement for text in variant_scripts for statement in statements(text.sql)]
    statement_starts = {statement.start for statement in all_statements}
    read_starts = {statement.start for statement in all_statements if _concerns_rules(statement)}
    variants = [template_variants(without_placeholders(fragment)) for fragment in script.fragments]
    for original in scripts_of_variants(variants):
        for statement in statements(original.sql):
            start, end = statement.start, statement.end
            if start in read_starts or statement.unclosed is not None or not _concerns_rules(statement):
                continue
            read_starts.add(start)
            index = max(bisect_left(replaced, (start, 0, "")) - 1, 0)
            covering = next(
                (placeholder for placeholder in replaced[index : index + 2] if placeholder[1] > start), replaced[index]
            )
            if start in statement_starts and covering[0] <= start and end <= covering[1]:
                continue  # nothing but a placeholder, which is noted as such
            yield ((start, end), f"a placeholder in the settings replaces `{covering[2]}`", _PLACEHOLDER_HELP)


def scripts_of_variants(variants: Sequence[Sequence[SqlFragment]]) -> list[JoinedScript]:
    """The scripts of the first variants of several fragments, of the second ones, and so on.

    variants: of each fragment; the last one stands for those that it lacks.
    """
    return [join_fragments(v[min(number, len(v) - 1)] for v in variants) for number in range(max(map(len, variants)))]


def _hidden_by_branch_limit(script: JoinedScript) -> Iterator[tuple[Offsets, str, str]]:
    """Branches that are not checked because a template has too many."""
    for fragment, offset in zip(script.fragments, script.offsets, strict=True):
        for start, end in skipped_branches(fragment):
            reason = f"`{fragment.sql[start:end]}` is one of too many branches"
            yield (start + offset, end + offset), reason, FILLED_IN_HELP


def _hidden_by_template_marks(script: JoinedScript) -> Iterator[tuple[Offsets, str, str]]:
    """Statements between a template's marks of which the first is in an SQL comment or string."""
    for fragment, offset in zip(script.fragments, script.offsets, strict=True):
        for start, end in _ranges_between_marks(fragment):
            reason = "template syntax in an SQL comment or string hides this statement"
            yield (start + offset, end + offset), reason, _MARKS_HELP


def _ranges_between_marks(fragment: SqlFragment) -> Iterator[Offsets]:
    spans = template_spans(fragment.sql)
    if not spans:
        return
    # Without what is between the marks: a quote there neither begins nor ends a string.
    chars = list(fragment.sql)
    for start, end in spans:
        chars[start:end] = (c if c in "\r\n" else " " for c in fragment.sql[start:end])
    index = 0
    for token in tokenize("".join(chars)):
        while index < len(spans) and spans[index][0] <= token.start:
            index += 1
        first_index = index
        while index < len(spans) and spans[index][0] < token.end:
            index += 1
        if index == first_index or token.kind not in _OPAQUE_TOKENS:
            continue
        # As Spark reads it, which knows no templates.
        end = max(spans[index - 1][1], token.end)
        for statement in statements(fragment.sql[token.start : end]):
            if _concerns_rules(statement):
                yield token.start + statement.start, token.start + statement.end


def _concerns_rules(statement: Statement) -> bool:
    """True if a rule may concern the statement."""
    return not isinstance(parser.parse(statement), nodes.Other)
