"""The totals of a table that the summary of its current snapshot has."""

from __future__ import annotations

from collections.abc import Mapping

from spark_iceberg_sql.records import record


@record(frozen=True, slots=True)
class SnapshotTotals:
    """A table's size, as the writer of its current snapshot counted it; None where it did not, or wrote no number.

    records: rows, those that delete files remove included. bytes: of data and delete files.
    """

    records: int | None
    data_files: int | None
    delete_files: int | None
    bytes: int | None


def snapshot_totals(summary: Mapping[str, str] | None) -> SnapshotTotals:
    """The totals in a snapshot's summary; all are 0 for None, a table without a snapshot."""
    if summary is None:
        return SnapshotTotals(0, 0, 0, 0)
    keys = ("total-records", "total-data-files", "total-delete-files", "total-files-size")
    return SnapshotTotals(*(_number(summary.get(key)) for key in keys))


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return None
