"""Handlers of LSP requests: diagnostics, hover, completion, inlay hints, code lenses, code actions.

They return the protocol's types; server.py registers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lsprotocol import types as lsp

from spark_iceberg_sql.checker.added_ignores import ignoring
from spark_iceberg_sql.checker.plan import Plan
from spark_iceberg_sql.checker.planner import plan
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Report, Severity
from spark_iceberg_sql.editor.actions import all_safe
from spark_iceberg_sql.editor.analysis import Analysis, Script
from spark_iceberg_sql.editor.completion import meaning, names_to_be, suggestions
from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.outgoing import visible
from spark_iceberg_sql.report.rule_pages import page, url_of
from spark_iceberg_sql.rules import registry
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
_PLANNED = re.compile(r"\bPARTITION\s+FIELD\b|\bPARTITIONED\s+BY\b", re.IGNORECASE)


class Answers:
    """Handlers of requests about the open files; the result for a text that is not open is empty."""

    def __init__(self, files: OpenFiles) -> None:
        self._files = files

    def diagnostics(self, uri: str) -> list[lsp.Diagnostic]:
        """The findings in a text."""
        report = self._files.report_of(uri)
        if report is None:
            return []
        return [_diagnostic(self._files.documents[uri], found) for found in report]

    def hover(self, uri: str, position: lsp.Position) -> lsp.Hover | None:
        """The meaning of the term at a position, and the pages of the rules with findings there."""
        found = self._files.place_of(uri)
        if found is None:
            return None
        document, (analysis, part) = self._files.documents[uri], found
        offset = document.offset(position)
        texts: list[str] = []
        start, end = offset, offset
        place = analysis.place(part, offset)
        if place is not None:
            script, at = place
            statement, known = analysis.known_at(script, at)
            term = meaning(script.joined.sql, statement, at, known) if statement else None
            if term is not None:
                texts = [term.text]
                _, start, end = script.host(term.start, term.end)
        for diagnostic in analysis.reports[part]:
            if diagnostic.span.start <= offset <= diagnostic.span.end:
                texts += [page(rule) for rule in registry.ALL if rule.code == diagnostic.code]
                start, end = diagnostic.span.start, diagnostic.span.end
        if not texts:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(texts))
        return lsp.Hover(content, document.range(start, end))

    def completion(
        self, uri: str, position: lsp.Position, *, snippets: bool = True
    ) -> list[lsp.CompletionItem]:
        """The completions at a position. snippets: the editor supports tab stops."""
        found = self._files.place_of(uri)
        if found is None:
            return []
        analysis, part = found
        place = analysis.place(part, self._files.documents[uri].offset(position))
        if place is None:
            return []
        script, at = place
        statement, known = analysis.known_at(script, at)
        if statement is None:
            return []
        return [
            lsp.CompletionItem(
                label=visible(item.label),
                kind=_KIND[item.kind],
                detail=visible(item.detail),
                insert_text=item.insert if snippets else item.plain,
                insert_text_format=(
                    lsp.InsertTextFormat.Snippet
                    if item.snippet and snippets
                    else lsp.InsertTextFormat.PlainText
                ),
            )
            for item in suggestions(script.joined.sql, statement, at, known)
        ]

    def hints(self, uri: str, place: lsp.Range) -> list[lsp.InlayHint]:
        """The names that new partition fields will have."""
        found = self._files.place_of(uri)
        if found is None:
            return []
        document, (analysis, part) = self._files.documents[uri], found
        start, end = document.offset(place.start), document.offset(place.end)
        hints: list[lsp.InlayHint] = []
        for script in analysis.scripts:

            def see(statement: Statement, known: Tables, script: Script = script) -> None:
                for at, name in names_to_be(script.joined.sql, statement, known):
                    in_part, _, offset = script.host(max(at - 1, 0), at)
                    if in_part == part and start <= offset <= end:
                        hints.append(_hint(document.position(offset), name))

            reach = _reach(script, part, start, end)
            if reach is not None:
                analysis.visit(script, *reach, see)
        return hints

    def lenses(self, uri: str) -> list[lsp.CodeLens]:
        """A code lens for each statement that may change a partitioning; `lens` adds its title."""
        found = self._files.place_of(uri)
        if found is None:
            return []
        document, (analysis, part) = self._files.documents[uri], found
        lenses = []
        for script in analysis.scripts:
            at = -1
            for match in _PLANNED.finditer(script.joined.sql):
                in_part, offset, _ = script.host(match.start(), match.end())
                row = document.position(offset).line if in_part == part else at
                if row != at:
                    at = row
                    place = document.range(offset, offset)
                    lenses.append(lsp.CodeLens(place, data={"uri": uri, "offset": offset}))
        return lenses

    def lens(self, lens: lsp.CodeLens) -> lsp.CodeLens:
        """The code lens with a summary of the effect of its statement."""
        data = lens.data if isinstance(lens.data, dict) else {}
        uri, offset = data.get("uri"), data.get("offset")
        made = self._plan(uri, offset)
        title = _summary(made) if made is not None else "no plan"
        lens.command = lsp.Command(title, PLAN, arguments=[uri, offset])
        return lens

    def plan(self, uri: object, offset: object) -> str:
        """The plan of the statement at an offset."""
        made = self._plan(uri, offset)
        return str(made) if made is not None else "no statement here can be planned"

    def _plan(self, uri: object, offset: object) -> Plan | None:
        if not isinstance(uri, str) or not isinstance(offset, int):
            return None
        found = self._files.place_of(uri)
        place = found[0].place(found[1], offset) if found is not None else None
        if found is None or place is None:
            return None
        statement, known = found[0].known_at(*place)
        try:
            return plan(known, statement.text) if statement is not None else None
        except IcebergSqlError:
            return None

    def actions(
        self, uri: str, place: lsp.Range, only: list[Any] | None, *, later: bool = False
    ) -> list[lsp.CodeAction]:
        """Fixes and suppression comments for the findings in a range, and all safe fixes of the text.

        only: the requested kinds. resolves_later: the editor requests the edit of an action when it is chosen:
        all safe fixes
        take many checks to compute, and editors request actions whenever the cursor moves.
        """
        found = self._files.place_of(uri)
        if found is None:
            return []
        document, (analysis, part) = self._files.documents[uri], found
        start, end = document.offset(place.start), document.offset(place.end)
        here = [d for d in analysis.reports[part] if d.span.start <= end and start <= d.span.end]
        actions: list[lsp.CodeAction] = []
        if _wanted(only, lsp.CodeActionKind.QuickFix.value):
            actions += _fixes(document, here)
            actions += self._ignores(document, analysis, part, here)
        if _wanted(only, FIX_ALL) and any(d.fix and d.fix.safe for d in analysis.reports[part]):
            action = lsp.CodeAction("Apply all safe fixes of iceberg-sql", kind=FIX_ALL, data=uri)
            if later or self.resolved(action).edit is not None:
                actions.append(action)
        return actions

    def resolved(self, action: lsp.CodeAction) -> lsp.CodeAction:
        """The action with its edit, if it has none yet. action: its `data` is the URI of the text."""
        uri = action.data
        document = self._files.documents.get(uri) if isinstance(uri, str) else None
        if action.edit is None and document is not None:
            edit = all_safe(document.text, lambda text: self._report(document.uri, text))
            action.edit = _edits(document, (edit,)) if edit is not None else None
        return action

    def _ignores(
        self, document: Document, analysis: Analysis, part: int, here: list[Diagnostic]
    ) -> Iterator[lsp.CodeAction]:
        for found in {d.code: d for d in here}.values():
            edit = ignoring(
                analysis.source,
                part,
                analysis.reports[part],
                found,
                lambda text: self._files.tried(document.uri, text),
            )
            if edit is not None:
                yield lsp.CodeAction(
                    title=f"Ignore {found.code} here ({found.name})",
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[_diagnostic(document, found)],
                    edit=_edits(document, (edit,)),
                )

    def _report(self, uri: str, text: str) -> Report | None:
        """The report of another text in place of an open one."""
        tried = self._files.tried(uri, text)
        return tried[1] if tried is not None else None


def _wanted(only: list[Any] | None, kind: str) -> bool:
    """True if an action's kind is among those that the editor requests, or below one of them."""
    asked = [getattr(wanted, "value", wanted) for wanted in only or ()]
    return not asked or any(kind == k or k == "" or kind.startswith(f"{k}.") for k in asked)


def _reach(script: Script, part: int, start: int, end: int) -> tuple[int, int] | None:
    """The range of a script that covers a range of a part."""
    inside = [
        (offset, offset + len(piece.sql))
        for piece, offset in zip(script.joined.pieces, script.joined.offsets, strict=True)
        if piece.part == part and piece.starts[0] <= end and start <= piece.ends[-1]
    ]
    if not inside:
        return None
    first, last = script.offset(part, start), script.offset(part, end)
    return (
        first if first is not None else inside[0][0],
        last if last is not None else inside[-1][1],
    )


def _hint(position: lsp.Position, name: str) -> lsp.InlayHint:
    return lsp.InlayHint(
        position,
        f"→ {visible(name)}",
        padding_left=True,
        tooltip="the name of the partition field",
    )


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


def _fixes(document: Document, here: list[Diagnostic]) -> Iterator[lsp.CodeAction]:
    for found in here:
        if found.fix is not None:
            yield lsp.CodeAction(
                title=f"{found.fix.title} ({found.code})",
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(document, found)],
                edit=_edits(document, found.fix.edits),
                is_preferred=found.fix.safe,
            )


def _summary(made: Plan) -> str:
    """A one-line summary of a change plan."""
    if made.unplanned is not None:
        return "plan: the table is unknown"
    if made.after is None:
        return "plan: would be refused"
    said = [
        f"{change.change} {change.field.name} ({change.field.field_id})"
        for change in made.changes
        if change.change != "kept"
    ]
    return visible(f"plan: {', '.join(said)}") if said else "plan: no partition field changes"
