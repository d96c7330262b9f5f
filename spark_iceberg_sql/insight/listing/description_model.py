"""A table's columns, specs and snapshots as records, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.listing.tables_model import time_text
from spark_iceberg_sql.quantities import plural, size
from spark_iceberg_sql.report.text_columns import text_columns
from spark_iceberg_sql.safe_output import join_visible, visible

_MAX_TEXT_LENGTH = 60  # characters of a value in plain text


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column.

    name: in SQL. type: in SQL. required: whether it is NOT NULL. comment: None without one. partition_fields: those of
    the current spec that are computed from it, as in PARTITIONED BY.
    """

    name: str
    type: str
    required: bool
    comment: str | None
    partition_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DescribedField:
    """A partition field. name: of the field, for DROP PARTITION FIELD. clause: as in PARTITIONED BY."""

    name: str
    clause: str


@dataclass(frozen=True, slots=True)
class DescribedSpec:
    """A partition spec that the table has, or had.

    fields: without those that version 1 keeps as void. added, dropped: the clauses by which it differs from the spec
    before it. files, bytes: the data files of the current snapshot that were written with it; None if not counted.
    """

    spec_id: int
    is_current: bool
    fields: tuple[DescribedField, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    files: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class DescribedSnapshot:
    """A snapshot. committed_at: in UTC. operation: Iceberg's name for it. change: what it changed, as text.
    references: the branches and tags at it, without `main`. is_current: whether a query reads it.
    """

    snapshot_id: int
    committed_at: str
    operation: str
    change: str
    references: tuple[str, ...]
    is_current: bool


@dataclass(frozen=True, slots=True, repr=False)
class Description(Result):
    """A table, from its metadata.

    table: its name or path, with the branch that the session reads. location: its folder. format_version: 1, 2 or 3.
    last_change: when its metadata changed, in UTC. rows, files, delete_files, bytes: of the current snapshot, as its
    writer counted them; None if it did not. The rows include those that delete files remove. comment: the table's; None
    without one. columns, specs: in their order. sort_order: as in WRITE ORDERED BY; empty without one. snapshots: the
    last ones, the newest first. snapshot_count: how many there are.
    """

    table: str
    location: str
    format_version: int
    last_change: str
    rows: int | None
    files: int | None
    delete_files: int | None
    bytes: int | None
    comment: str | None
    columns: tuple[DescribedColumn, ...]
    specs: tuple[DescribedSpec, ...]
    sort_order: str
    snapshots: tuple[DescribedSnapshot, ...]
    snapshot_count: int

    @property
    def _title(self) -> str:
        parts = [] if self.rows is None else [plural(self.rows, "row")]
        parts += [] if self.files is None else [plural(self.files, "data file")]
        parts += [plural(self.delete_files, "delete file")] if self.delete_files else []
        parts += [] if self.bytes is None else [size(self.bytes)]
        parts += [f"format version {self.format_version}", f"last change {time_text(self.last_change)} UTC"]
        return ", ".join(parts)

    @property
    def _facts(self) -> Iterator[tuple[str, str]]:
        if self.comment:
            yield "comment", self.comment
        yield "location", self.location
        if self.sort_order:
            yield "sorted by", self.sort_order

    @property
    def _snapshots_title(self) -> str:
        count = len(self.snapshots)
        return (
            "snapshots" if count == self.snapshot_count else f"snapshots, the last {count} of {self.snapshot_count:,}"
        )

    @property
    def _tables(self) -> Iterator[tuple[str, tuple[str, ...], tuple[bool, ...], list[tuple[str, ...]]]]:
        """The tables of which the output consists: title, header, which columns are right-aligned, rows."""
        yield (
            "columns",
            ("column", "type", "partition fields", "comment"),
            (False,) * 4,
            [_column_cells(column) for column in self.columns],
        )
        yield (
            "partition specs",
            ("spec", "fields", "change", "files", "size"),
            (False, False, False, True, True),
            [_spec_cells(spec) for spec in self.specs],
        )
        if self.snapshots:
            yield (
                self._snapshots_title,
                ("committed at (UTC)", "snapshot", "operation", "change", "references"),
                (False, True, False, False, False),
                [_snapshot_cells(snapshot) for snapshot in self.snapshots],
            )

    def __str__(self) -> str:
        lines = [f"{self.table}: {self._title}", *(f"{name}: {value}" for name, value in self._facts)]
        for title, header, right_aligned, rows in self._tables:
            texts = [[markup.truncated(visible(cell), _MAX_TEXT_LENGTH) for cell in row] for row in rows]
            lines += ["", title, *text_columns(header, texts, right_aligned)]
        if not self.snapshots:
            lines += ["", "no snapshots"]
        return join_visible(lines)

    def _repr_html_(self) -> str:
        facts = [f"<div>{name}: {markup.html_text(value)}</div>" for name, value in self._facts]
        tables = [
            f"<p><b>{title}</b></p>"
            + markup.table(header, [list(map(markup.html_text, row)) for row in rows], right_aligned)
            for title, header, right_aligned, rows in self._tables
        ]
        title = f"<p><b>{markup.html_text(self.table)}</b>: {self._title}</p>"
        return markup.box(title, *facts, *tables, *([] if self.snapshots else ["<p>no snapshots</p>"]))


def _column_cells(column: DescribedColumn) -> tuple[str, ...]:
    type_text = column.type + (" NOT NULL" if column.required else "")
    return column.name, type_text, ", ".join(column.partition_fields), column.comment or ""


def _spec_cells(spec: DescribedSpec) -> tuple[str, ...]:
    return (
        f"{spec.spec_id} (current)" if spec.is_current else str(spec.spec_id),
        ", ".join(f"{field.name} = {field.clause}" for field in spec.fields) or "unpartitioned",
        ", ".join([*(f"+ {clause}" for clause in spec.added), *(f"- {clause}" for clause in spec.dropped)]),
        "" if spec.files is None else f"{spec.files:,}",
        "" if spec.bytes is None else size(spec.bytes),
    )


def _snapshot_cells(snapshot: DescribedSnapshot) -> tuple[str, ...]:
    return (
        time_text(snapshot.committed_at),
        str(snapshot.snapshot_id),
        snapshot.operation,
        snapshot.change,
        ", ".join([*(["current"] if snapshot.is_current else []), *snapshot.references]),
    )
