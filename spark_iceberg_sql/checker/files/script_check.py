"""Checks a script of a file in each variant of its templates; findings are mapped to the file, each one once.

A fix is offered only if every variant with the same text around it, and the one in which every condition is false,
offers the same one.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

from spark_iceberg_sql.checker.engine import TextOrigin, check
from spark_iceberg_sql.checker.files.api_messages import in_api_terms
from spark_iceberg_sql.checker.files.file_scripts import unclosed_start
from spark_iceberg_sql.checker.files.fix_mapping import hull, map_fix
from spark_iceberg_sql.checker.files.hidden_text import hidden_statements, scripts_of_variants
from spark_iceberg_sql.checker.files.host_suppressions import HostSuppressions, is_in_literals
from spark_iceberg_sql.checker.files.placeholder_filter import PlaceholderFilter
from spark_iceberg_sql.checker.reporting import SeverityPolicy
from spark_iceberg_sql.checker.statement_cache import StatementCache
from spark_iceberg_sql.checker.suppressions import Suppression
from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Lines, Severity
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.files.source_map import COMPILED, JoinedScript, join_fragments
from spark_iceberg_sql.files.templates import minimal_variant, template_variants
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import BY_CODE

_DiagnosticKey = tuple[int, str, int, int]  # part, code and place


class _MappedDiagnostic(NamedTuple):
    """A diagnostic in offsets of the file, and its fix in offsets of the script."""

    diagnostic: Diagnostic
    fix: Fix | None


def check_script(
    script: JoinedScript,
    catalog: Tables,
    severity_policy: SeverityPolicy,
    lines: list[Lines],
    source: SourceFile,
    host_suppressions: HostSuppressions,
    *,
    is_captured: bool,
    statement_cache: StatementCache | None,
) -> tuple[int, list[tuple[int, Diagnostic]]]:
    """Check a script in each of its variants: the number of statements, and each diagnostic with its part.

    is_captured: the text is one that a template stores for later, and possibly only part of a statement.
    """
    variant_scripts = scripts_of_variants([template_variants(fragment) for fragment in script.fragments])
    number_of_variants = len(variant_scripts)

    suppressions = host_suppressions.suppressions_in(script)

    def check_variant(
        variant: JoinedScript, severity_policy: SeverityPolicy
    ) -> tuple[int, dict[_DiagnosticKey, _MappedDiagnostic]]:
        placeholder_filter = PlaceholderFilter(script, variant, severity_policy, is_filled_in=catalog.filled_in)
        origin = replace(
            origin_of(variant, source, suppressions), placeholder_ranges=placeholder_filter.placeholder_ranges
        )
        report = check(
            variant.sql, catalog, severity_policy=severity_policy, origin=origin, statement_cache=statement_cache
        )
        demoted_diagnostics = [placeholder_filter.demoted(diagnostic) for diagnostic in report]
        if is_captured and (unclosed := unclosed_start(variant.sql)) is not None:  # half a quoted text
            demoted_diagnostics = [
                d if d is None or d.span.start != unclosed else _unclosed_note(d, placeholder_filter)
                for d in demoted_diagnostics
            ]
        demoted_diagnostics += [
            *placeholder_filter.untouched_findings(catalog, origin),
            *(() if is_captured else placeholder_filter.whole_statement_notes()),
        ]
        mapped_by_key: dict[_DiagnosticKey, _MappedDiagnostic] = {}
        for diagnostic in demoted_diagnostics:
            if diagnostic is None:
                continue
            # An ignore comment that is unused here may be used in another choice.
            is_undecided = number_of_variants > 1 and BY_CODE[diagnostic.code].event is Event.UNUSED_IGNORE
            host_diagnostic = _map_diagnostic(diagnostic, script, variant, lines)
            if is_undecided or host_diagnostic is None:
                continue
            fragment, _ = variant.fragment_at(diagnostic.span.start)
            key = (fragment.unit_index, host_diagnostic.code, host_diagnostic.span.start, host_diagnostic.span.end)
            previous = mapped_by_key.setdefault(key, _MappedDiagnostic(host_diagnostic, diagnostic.fix))
            if fragment.api == COMPILED and previous.diagnostic.fix is None:
                # Only what is written can be fixed, not what dbt compiled.
                mapped_by_key[key] = _MappedDiagnostic(host_diagnostic, diagnostic.fix)
        return report.statements, mapped_by_key

    reports = [check_variant(variant, severity_policy) for variant in variant_scripts]
    count = max(statements for statements, _ in reports)
    variant_results = [
        (variant.sql, diagnostics) for variant, (_, diagnostics) in zip(variant_scripts, reports, strict=True)
    ]
    if any(mapped.diagnostic.fix is not None for _, diagnostics in variant_results for mapped in diagnostics.values()):
        # A fix must also be right where every condition of the template is false.
        minimal = join_fragments(map(minimal_variant, script.fragments))
        if minimal.sql not in [sql for sql, _ in variant_results]:
            variant_results.append(
                (minimal.sql, check_variant(minimal, copy(severity_policy))[1])
            )  # its notes do not count
    diagnostics: dict[_DiagnosticKey, Diagnostic] = {}
    for sql, mapped_by_key in variant_results[:number_of_variants]:
        for key, mapped in mapped_by_key.items():
            if key not in diagnostics:
                keeps_fix = _is_fix_of_all_variants(key, mapped, sql, variant_results)
                diagnostics[key] = mapped.diagnostic if keeps_fix else replace(mapped.diagnostic, fix=None)
    host_diagnostics = [(part, diagnostic) for (part, *_), diagnostic in diagnostics.items()]
    for note in hidden_statements(script, variant_scripts, severity_policy, is_captured=is_captured):
        fragment, _ = script.fragment_at(note.span.start)
        worded = _map_diagnostic(note, script, script, lines)
        host_diagnostics += [(fragment.unit_index, worded)] if worded is not None else []
    return count, host_diagnostics


def _is_fix_of_all_variants(
    key: _DiagnosticKey,
    mapped: _MappedDiagnostic,
    sql: str,
    variant_results: list[tuple[str, dict[_DiagnosticKey, _MappedDiagnostic]]],
) -> bool:
    """True if every variant with the same text around a fix offers the same fix.

    mapped: a diagnostic of one variant, and sql: that variant's text. variant_results: the texts and diagnostics of
    all.
    """
    if mapped.fix is None or mapped.diagnostic.fix is None:
        return True
    start, end = hull(mapped.fix.edits)
    text_range = slice(max(start - 1, 0), end + 1)
    return all(
        key in diagnostics and diagnostics[key].diagnostic.fix == mapped.diagnostic.fix
        for other_sql, diagnostics in variant_results
        if other_sql[text_range] == sql[text_range]
    )


def _unclosed_note(diagnostic: Diagnostic, placeholder_filter: PlaceholderFilter) -> Diagnostic | None:
    """The note about an unclosed quote in a text that a template captures; None if it is a note already."""
    return None if diagnostic.severity is Severity.NOTE else placeholder_filter.demote(diagnostic)


def origin_of(script: JoinedScript, source: SourceFile, suppressions: tuple[Suppression, ...]) -> TextOrigin:
    """The origin of a script in its file."""
    side_effects = tuple(
        (offset, tuple(map(split_name, names)) if names is not None else None) for offset, names in script.side_effects
    )
    in_strings = source.is_program and all(is_in_literals(fragment) for fragment in script.fragments if fragment.sql)
    return TextOrigin(
        source.uses_spark,
        source.uses_other_engine,
        source.is_program,
        side_effects,
        script.branch_ranges,
        suppressions,
        in_strings=in_strings,
        is_document=source.is_document,
    )


def _map_diagnostic(
    diagnostic: Diagnostic, script: JoinedScript, variant: JoinedScript, lines: list[Lines]
) -> Diagnostic | None:
    """The diagnostic of a script, in offsets and lines of the file."""
    fragment, offset = variant.fragment_at(diagnostic.span.start)
    end = min(diagnostic.span.end - offset, len(fragment.sql))
    span = lines[fragment.unit_index].span(*fragment.source_span(diagnostic.span.start - offset, end))
    host_diagnostic = replace(diagnostic, span=span, fix=map_fix(diagnostic.fix, script, variant))
    return in_api_terms(fragment, host_diagnostic)
