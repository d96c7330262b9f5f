"""Handlers of LSP requests: diagnostics, hover, completion, inlay hints, code lenses, code actions.

They return the protocol's types; server.py registers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types as lsp

from spark_iceberg_sql.checker.files.add_suppressions import suppression_edit
from spark_iceberg_sql.checker.plan import Plan
from spark_iceberg_sql.checker.planner import plan
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report, Severity
from spark_iceberg_sql.editor.analysis import Analysis, Script
from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.fix_all import safe_fixes_edit
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.sql_completion import meaning, new_field_names, suggestions
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report.rule_pages import page, url_of
from spark_iceberg_sql.rules import registry
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.script import Statement

NAME = "iceberg-sql"
PLAN = f"{NAME}.plan"
FIX_ALL = f"{lsp.CodeActionKind.SourceFixAll.value}.{NAME}"
_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_KIND = {"transform": lsp.CompletionItemKind.Function, "column": lsp.CompletionItemKind.Field}
_PLANNED_CLAUSE = re.compile(r"\bPARTITION\s+FIELD\b|\bPARTITIONED\s+BY\b", re.IGNORECASE)


class RequestHandlers:
    """Handlers of requests about the open files; the result for a text that is not open is empty."""

    def __init__(self, files: OpenFiles) -> None:
        self._files = files

    def diagnostics(self, uri: str) -> list[lsp.Diagnostic]:
        """The findings in a text."""
        report = self._files.report_of(uri)
        if report is None:
            return []
        return [_diagnostic(self._files.documents[uri], diagnostic) for diagnostic in report]

    def hover(self, uri: str, position: lsp.Position) -> lsp.Hover | None:
        """The meaning of the term at a position, and the pages of the rules with findings there."""
        entry = self._files.analysis_of(uri)
        if entry is None:
            return None
        document, (analysis, part) = self._files.documents[uri], entry
        offset = document.offset(position)
        texts: list[str] = []
        start, end = offset, offset
        if (script_position := analysis.script_at(part, offset)) is not None:
            script, sql_offset = script_position
            statement, catalog = analysis.catalog_at(script, sql_offset)
            term = meaning(script.joined.sql, statement, sql_offset, catalog) if statement else None
            if term is not None:
                texts = [term.text]
                _, start, end = script.to_host(term.start, term.end)
        for diagnostic in analysis.reports[part]:
            if diagnostic.span.start <= offset <= diagnostic.span.end:
                texts += [page(rule) for rule in registry.ALL if rule.code == diagnostic.code]
                start, end = diagnostic.span.start, diagnostic.span.end
        if not texts:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(texts))
        return lsp.Hover(content, document.range(start, end))

    def completion(self, uri: str, position: lsp.Position, *, snippets: bool = True) -> list[lsp.CompletionItem]:
        """The completions at a position. snippets: the editor supports tab stops."""
        entry = self._files.analysis_of(uri)
        if entry is None:
            return []
        analysis, part = entry
        script_position = analysis.script_at(part, self._files.documents[uri].offset(position))
        if script_position is None:
            return []
        script, sql_offset = script_position
        statement, catalog = analysis.catalog_at(script, sql_offset)
        if statement is None:
            return []
        return [
            lsp.CompletionItem(
                label=visible(item.label),
                kind=_KIND[item.kind],
                detail=visible(item.detail),
                insert_text=item.insert if snippets else item.plain_text,
                insert_text_format=(
                    lsp.InsertTextFormat.Snippet if item.snippet and snippets else lsp.InsertTextFormat.PlainText
                ),
            )
            for item in suggestions(script.joined.sql, statement, sql_offset, catalog)
        ]

    def hints(self, uri: str, lsp_range: lsp.Range) -> list[lsp.InlayHint]:
        """The names that new partition fields will have."""
        entry = self._files.analysis_of(uri)
        if entry is None:
            return []
        document, (analysis, part) = self._files.documents[uri], entry
        start, end = document.offset(lsp_range.start), document.offset(lsp_range.end)
        hints: list[lsp.InlayHint] = []
        for script in analysis.scripts:

            def see(statement: Statement, catalog: Tables, script: Script = script) -> None:
                for sql_offset, name in new_field_names(script.joined.sql, statement, catalog):
                    in_part, _, offset = script.to_host(max(sql_offset - 1, 0), sql_offset)
                    if in_part == part and start <= offset <= end:
                        hints.append(
                            lsp.InlayHint(
                                document.position(offset),
                                f"→ {visible(name)}",
                                tooltip="the name of the partition field",
                                padding_left=True,
                            )
                        )

            if (sql_range := _sql_range(script, part, start, end)) is not None:
                analysis.visit(script, *sql_range, see)
        return hints

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """A code lens for each statement that may change a partitioning; `lens` adds its title."""
        entry = self._files.analysis_of(uri)
        if entry is None:
            return []
        document, (analysis, part) = self._files.documents[uri], entry
        lenses = []
        for script in analysis.scripts:
            last_row = -1
            for match in _PLANNED_CLAUSE.finditer(script.joined.sql):
                in_part, offset, _ = script.to_host(match.start(), match.end())
                row = document.position(offset).line if in_part == part else last_row
                if row != last_row:
                    last_row = row
                    lens_range = document.range(offset, offset)
                    lenses.append(lsp.CodeLens(lens_range, data={"uri": uri, "offset": offset}))
        return lenses

    def lens(self, lens: lsp.CodeLens) -> lsp.CodeLens:
        """The code lens with a summary of the effect of its statement."""
        data = lens.data if isinstance(lens.data, dict) else {}
        uri, offset = data.get("uri"), data.get("offset")
        change_plan = self._plan(uri, offset)
        title = _summary(change_plan) if change_plan is not None else "no plan"
        lens.command = lsp.Command(title, PLAN, arguments=[uri, offset])
        return lens

    def plan(self, uri: object, offset: object) -> str:
        """The plan of the statement at an offset."""
        change_plan = self._plan(uri, offset)
        return str(change_plan) if change_plan is not None else "no statement here can be planned"

    def _plan(self, uri: object, offset: object) -> Plan | None:
        if not isinstance(uri, str) or not isinstance(offset, int):
            return None
        entry = self._files.analysis_of(uri)
        script_position = entry[0].script_at(entry[1], offset) if entry is not None else None
        if entry is None or script_position is None:
            return None
        statement, catalog = entry[0].catalog_at(*script_position)
        try:
            return plan(catalog, statement.text) if statement is not None else None
        except IcebergSqlError:
            return None

    def actions(
        self, uri: str, lsp_range: lsp.Range, only: Sequence[Any] | None, *, resolves_later: bool = False
    ) -> list[lsp.CodeAction]:
        """Fixes and suppression comments for the findings in a range, and all safe fixes of the text.

        only: the requested kinds. resolves_later: the editor requests the edit of an action when it is chosen: all safe
        fixes take many checks to compute, and editors request actions whenever the cursor moves.
        """
        entry = self._files.analysis_of(uri)
        if entry is None:
            return []
        document, (analysis, part) = self._files.documents[uri], entry
        start, end = document.offset(lsp_range.start), document.offset(lsp_range.end)
        diagnostics = [d for d in analysis.reports[part] if d.span.start <= end and start <= d.span.end]
        actions: list[lsp.CodeAction] = []
        if _is_requested(only, lsp.CodeActionKind.QuickFix.value):
            actions += _fixes(document, diagnostics)
            actions += self._suppression_actions(document, analysis, part, diagnostics)
        if _is_requested(only, FIX_ALL) and any(d.fix and d.fix.safe for d in analysis.reports[part]):
            action = lsp.CodeAction("Apply all safe fixes of iceberg-sql", kind=FIX_ALL, data=uri)
            if resolves_later or self.resolve(action).edit is not None:
                actions.append(action)
        return actions

    def resolve(self, action: lsp.CodeAction) -> lsp.CodeAction:
        """The action with its edit, if it has none yet. action: its `data` is the URI of the text."""
        uri = action.data
        document = self._files.documents.get(uri) if isinstance(uri, str) else None
        if action.edit is None and document is not None:
            edit = safe_fixes_edit(document.text, lambda text: self._report(document.uri, text))
            action.edit = _edits(document, (edit,)) if edit is not None else None
        return action

    def _suppression_actions(
        self, document: Document, analysis: Analysis, part: int, diagnostics: list[Diagnostic]
    ) -> Iterator[lsp.CodeAction]:
        for diagnostic in {d.code: d for d in diagnostics}.values():
            edit = suppression_edit(
                analysis.source,
                part,
                analysis.reports[part],
                diagnostic,
                lambda text: self._files.analyze_with(document.uri, text),
            )
            if edit is not None:
                yield lsp.CodeAction(
                    title=f"Ignore {diagnostic.code} here ({diagnostic.name})",
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[_diagnostic(document, diagnostic)],
                    edit=_edits(document, (edit,)),
                )

    def _report(self, uri: str, text: str) -> Report | None:
        """The report of another text in place of an open one."""
        result = self._files.analyze_with(uri, text)
        return result[1] if result is not None else None


def _is_requested(only: Sequence[Any] | None, kind: str) -> bool:
    """True if an action's kind is among those that the editor requests, or below one of them."""
    kinds = [getattr(item, "value", item) for item in only or ()]
    return not kinds or any(kind == parent or parent == "" or kind.startswith(f"{parent}.") for parent in kinds)


def _sql_range(script: Script, part: int, start: int, end: int) -> tuple[int, int] | None:
    """The range of a script that covers a range of a part."""
    ranges = [
        (offset, offset + len(fragment.sql))
        for fragment, offset in zip(script.joined.fragments, script.joined.offsets, strict=True)
        if fragment.unit_index == part and fragment.starts[0] <= end and start <= fragment.ends[-1]
    ]
    if not ranges:
        return None
    first, last = script.offset(part, start), script.offset(part, end)
    return (first if first is not None else ranges[0][0], last if last is not None else ranges[-1][1])


def _diagnostic(document: Document, diagnostic: Diagnostic) -> lsp.Diagnostic:
    help_ = f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
    url = url_of(diagnostic.code)
    return lsp.Diagnostic(
        range=document.range(diagnostic.span.start, diagnostic.span.end),
        message=f"{diagnostic.message}{help_}",
        severity=_SEVERITY[diagnostic.severity],
        code=diagnostic.code,
        code_description=lsp.CodeDescription(url) if url is not None else None,
        source=NAME,
    )


def _edits(document: Document, edits: tuple[Edit, ...]) -> lsp.WorkspaceEdit:
    changes = [lsp.TextEdit(document.range(e.start, e.end), e.text) for e in edits]
    return lsp.WorkspaceEdit(changes={document.uri: changes})


def _fixes(document: Document, diagnostics: list[Diagnostic]) -> Iterator[lsp.CodeAction]:
    for diagnostic in diagnostics:
        if diagnostic.fix is not None:
            yield lsp.CodeAction(
                title=f"{diagnostic.fix.title} ({diagnostic.code})",
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(document, diagnostic)],
                edit=_edits(document, diagnostic.fix.edits),
                is_preferred=diagnostic.fix.safe,
            )


def _summary(change_plan: Plan) -> str:
    """A one-line summary of a change plan."""
    if change_plan.unplanned is not None:
        return "plan: the table is unknown"
    if change_plan.after is None:
        return "plan: would be refused"
    changes = [
        f"{change.change} {change.field.name} ({change.field.field_id})"
        for change in change_plan.changes
        if change.change != "kept"
    ]
    return visible(f"plan: {', '.join(changes)}") if changes else "plan: no partition field changes"
