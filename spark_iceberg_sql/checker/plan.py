"""The change plan of a statement: its effect on the partition specs of a table, as a record, as rows and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql import markup
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.model.spec import PartitionField, Spec, Specs
from spark_iceberg_sql.model.table import Name
from spark_iceberg_sql.quantities import size
from spark_iceberg_sql.report import full
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.safe_output import join_visible, visible_lines
from spark_iceberg_sql.syntax.identifiers import procedure_name, qualified_name, quoted, string_literal


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one partition field.

    change: `kept`, `added`, `added again` (with its old id), `dropped`, `voided` (version 1 replaces it with void) or
    `renamed`. field: the field afterwards; for a dropped field, the field before. was: the field before, if there was
    one.
    """

    change: str
    field: PartitionField
    was: PartitionField | None = None


@dataclass(frozen=True, slots=True)
class FilesUnderSpec:
    """The data files of a spec: their number and their size in bytes."""

    spec_id: int
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The effect of one statement on the partitioning of its table.

    statement: its text. table: the full name. before, after: all specs of the table; before is None if the table does
    not exist yet; after is None if the statement would be refused, or if its result cannot be predicted: unplanned
    gives the reason.
    report: the check's report. files: the current data files of each spec; None if they were not counted:
    why_no_files gives the reason.
    """

    statement: str
    table: Name
    before: Specs | None
    after: Specs | None
    report: Report
    files: tuple[FilesUnderSpec, ...] | None = None
    why_no_files: str | None = None
    unplanned: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """The change of each partition field, in the new spec's order, dropped fields last."""
        if self.after is None:
            return ()
        old = {f.field_id: f for f in self.before.spec.fields} if self.before else {}
        all_ids = {f.field_id for f in self.before.all_fields} if self.before else set()
        changes = [_change(field, old.get(field.field_id), all_ids) for field in self.after.spec.fields]
        new_ids = {field.field_id for field in self.after.spec.fields}
        changes += [Change("dropped", f, f) for f in old.values() if f.field_id not in new_ids]
        return tuple(changes)

    @property
    def staying(self) -> tuple[FilesUnderSpec, ...]:
        """The files that keep a spec other than the new default."""
        if self.after is None:
            return ()
        return tuple(f for f in self.files or () if f.spec_id != self.after.current)

    @property
    def rewrite(self) -> str | None:
        """The CALL that would rewrite the remaining files under the new spec; None if there are none."""
        if not self.staying or len(self.table) < 2:
            return None
        name = string_literal(qualified_name(procedure_name(self.table)))
        return (
            f"CALL {quoted(self.table[0])}.system.rewrite_data_files("
            f"table => {name}, options => map('rewrite-all', 'true'))"
        )

    @property
    def not_undone(self) -> tuple[str, ...]:
        """The effects that no later statement can undo."""
        return tuple(self._not_undone())

    def _not_undone(self) -> Iterator[str]:
        if self.after is None or self.before is None:
            return
        if self.after.format_version > self.before.format_version:
            yield f"format version {self.after.format_version}: a table cannot be downgraded"
        if self.after.current not in {spec.spec_id for spec in self.before.all_specs}:
            yield f"spec {self.after.current} remains one of the table's specs"
        for change in self.changes:
            if change.change == "voided":
                yield (
                    f"`{change.field.name}` stays in the spec as a void field: format version 1 never removes a field"
                )
            elif change.change == "dropped":
                yield (
                    f"the name `{change.field.name}` belongs to {change.field.clause}: "
                    "using it for another transform would break the metadata tables"
                )

    def rows(self) -> tuple[PlanRow, ...]:
        """The plan as rows, for SQL clients."""
        return tuple(self._rows())

    def _rows(self) -> Iterator[PlanRow]:
        for diagnostic in self.report:
            detail = f"{diagnostic.code}: {diagnostic.message}"
            if diagnostic.help:
                detail += f"; {diagnostic.help}"
            yield PlanRow(str(diagnostic.severity), detail=detail)
        if self.unplanned is not None:
            yield PlanRow("not planned", detail=self.unplanned)
        for part, specs in (("before", self.before), ("after", self.after)):
            if specs is not None:
                yield from (_field_row(part, specs.current, field) for field in specs.spec.fields)
        for change in self.changes:
            spec_id = self.after.current if self.after is not None else None
            yield replace(_field_row("change", spec_id, change.field), detail=change.change)
        for files in self.files or ():
            stay = "stay under this spec" if files in self.staying else "are under this spec"
            detail = f"{files.files} files, {size(files.size)}, {stay}"
            yield PlanRow("files", spec_id=files.spec_id, detail=detail)
        if self.why_no_files is not None:
            yield PlanRow("files", detail=f"not counted: {self.why_no_files}")
        if self.rewrite is not None:
            yield PlanRow("rewrite", detail=self.rewrite)
        for fact in self.not_undone:
            yield PlanRow("not undone", detail=fact)

    def __str__(self) -> str:
        header = visible_lines(self.statement), ""
        report_text = (full(self.report).rstrip("\n"), "") if len(self.report) else ()
        return "\n".join((*header, *report_text, join_visible(self._lines())))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return markup.box(*self._html())

    def _html(self) -> Iterator[str]:
        yield f"<pre>{html(self.statement)}</pre>"
        yield from self.report.html_parts()
        if self.unplanned is not None:
            yield markup.dim_line(f"not planned: {markup.html_text(self.unplanned)}")
            return
        if self.after is None:
            yield markup.dim_line("the statement would be refused: nothing would change")
            return
        old_spec = f"spec {self.before.current}" if self.before is not None else "no table"
        yield markup.dim_line(f"{old_spec} → spec {self.after.current}")
        rows = [
            [_SIGNS.get(c.change, "~"), str(c.field.field_id), c.field.name, _clause(c.field), c.change]
            for c in self.changes
        ]
        header = ["", "field id", "name", "clause", "change"]
        if rows:
            yield markup.table(header, [list(map(markup.html_text, row)) for row in rows])
        for row in self.rows():
            if row.part in ("files", "rewrite", "not undone"):
                spec = f" of spec {row.spec_id}" if row.spec_id is not None else ""
                yield markup.dim_line(f"{row.part}{spec}: {markup.html_text(row.detail)}")

    def _lines(self) -> Iterator[str]:
        if self.unplanned is not None:
            yield f"not planned: {self.unplanned}"
            return
        if self.after is None:
            yield "the statement would be refused: nothing would change"
            return
        yield from _spec_lines("before", self.before)
        yield from _spec_lines("after", self.after, {c.field.field_id: c for c in self.changes})
        for change in self.changes:
            if change.change == "dropped":
                yield f"  - {change.field.field_id}  {change.field.name}  {change.field.clause}  dropped"
        yield from self._file_lines()
        for fact in self.not_undone:
            yield f"not undone: {fact}"

    def _file_lines(self) -> Iterator[str]:
        if self.why_no_files is not None:
            yield f"files: not counted: {self.why_no_files}"
        for files in self.staying:
            yield f"files: {files.files} ({size(files.size)}) stay under spec {files.spec_id}"
        if self.files is not None and not self.staying:
            yield "files: none of the current snapshot stay under another spec"
        if self.rewrite is not None:
            yield f"rewrite: {self.rewrite}"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One row of `SELECT * FROM iceberg_plan('...')`.

    part: `error`, `warning`, `note`, `not planned`, `before`, `after`, `change`, `files`, `rewrite`, `not undone`.
    """

    part: str
    spec_id: int | None = None
    field_id: int | None = None
    name: str | None = None
    source: str | None = None
    transform: str | None = None
    detail: str | None = None

    def __str__(self) -> str:
        if self.name is None:
            spec = "" if self.spec_id is None else f"spec {self.spec_id}, "
            return f"{self.part}: {spec}{self.detail or ''}"
        spec = "" if self.spec_id is None else f"spec {self.spec_id}: "
        detail = f", {self.detail}" if self.detail else ""
        return f"{self.part}: {spec}{self.field_id} {self.name}, {self.transform} of {self.source}{detail}"


@dataclass(frozen=True, slots=True)
class PlannedRows:
    """The rows of a change plan that a Spark Connect server computed. statement: its text."""

    statement: str
    planned: tuple[PlanRow, ...]

    @property
    def ok(self) -> bool:
        """True if the statement would run."""
        return all(row.part != "error" for row in self.planned)

    def rows(self) -> tuple[PlanRow, ...]:
        """The same rows as those of a Plan."""
        return self.planned

    def __str__(self) -> str:
        return "\n".join((visible_lines(self.statement), "", join_visible(map(str, self.planned))))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _field_row(part: str, spec_id: int | None, field: PartitionField) -> PlanRow:
    return PlanRow(part, spec_id, field.field_id, field.name, field.source, str(field.transform))


def _change(field: PartitionField, old: PartitionField | None, all_ids: set[int]) -> Change:
    if old is None:
        return Change("added again" if field.field_id in all_ids else "added", field)
    if field.transform.is_void and not old.transform.is_void:
        return Change("voided", field, old)
    return Change("kept" if field.name == old.name else "renamed", field, old)


_SIGNS = {"": " ", "kept": " ", "added": "+", "added again": "+", "dropped": "-"}


def _spec_lines(title: str, specs: Specs | None, changes: dict[int, Change] | None = None) -> Iterator[str]:
    if specs is None:
        yield f"{title}: no table"
        return
    spec: Spec = specs.spec
    yield f"{title}: spec {spec.spec_id}, format version {specs.format_version}" + (
        "" if spec.fields else ", unpartitioned"
    )
    width = max((len(f.name) for f in spec.fields), default=0)
    clause_width = max((len(_clause(f)) for f in spec.fields), default=0)
    for field in spec.fields:
        change = changes.get(field.field_id) if changes else None
        change_name = change.change if change is not None else ""
        sign = _SIGNS.get(change_name, "~")
        if change_name == "kept":
            change_name = ""
        line = f"  {sign} {field.field_id}  {field.name:<{width}}  {_clause(field):<{clause_width}}  {change_name}"
        yield line.rstrip()


def _clause(field: PartitionField) -> str:
    return f"void({field.source})" if field.transform.is_void else field.clause
