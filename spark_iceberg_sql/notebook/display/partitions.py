"""The partitions that a scan read, as short text."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql import markup
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PartitionValue
from spark_iceberg_sql.spark.bridge.plans.scan_files import Partition, TableRead

_DROPPED = "void"  # the transform of a field that a later spec of format version 1 no longer has


def partitions_read(read: TableRead) -> str:
    """The partitions that a scan read, as short text: `ts_day = 2024-01-05, id_bucket: 3 of 4`.

    A field that some of the files read do not have is named with the number of those that have it.
    """
    ordered = sorted(read.partitions, key=lambda p: p.spec_id)
    fields = dict.fromkeys(_field(v) for p in ordered for v in p.values if v.transform != _DROPPED)
    if not fields:
        return ""
    full_fields: list[str] = []
    partial_fields: list[str] = []
    for field in fields:
        if text := _values_read(read.partitions, field):
            files = sum(p.files_read for p in ordered if field in map(_field, p.values))
            is_complete = files == read.files
            (full_fields if is_complete else partial_fields).append(
                text if is_complete else _partial_text(files, read, text)
            )
    read_count = sum(1 for p in read.partitions if p.files_read)
    if not read_count:
        return "no partitions"
    if not full_fields and not partial_fields:
        return "" if read_count == len(read.partitions) else f"{read_count:,} of {len(read.partitions):,} partitions"
    return ", ".join([*(["partitions: " + ", ".join(full_fields)] if full_fields else []), *partial_fields])


def _partial_text(files: int, read: TableRead, text: str) -> str:
    return f"{files:,} of {read.files:,} files by {text}"


def _field(value: PartitionValue) -> tuple[str, str]:
    """A partition field in all specs: another one may have had its name."""
    return value.name, value.transform


def _values_read(partitions: Sequence[Partition], field: tuple[str, str]) -> str:
    """The text for one field; empty if all its values were read."""
    name, _ = field
    values_by_text: dict[str, PartitionValue] = {}
    read_by_text: dict[str, PartitionValue] = {}
    for partition in partitions:
        for value in partition.values:
            if _field(value) == field:
                values_by_text[value.text] = value
                if partition.files_read:
                    read_by_text[value.text] = value
    if not read_by_text or len(read_by_text) == len(values_by_text):
        return ""
    if len(read_by_text) == 1:
        return f"{name} = {markup.truncated(next(iter(read_by_text)), 40)}"
    ordered, read_values = (sorted(values_by_text.values(), key=sort_key), sorted(read_by_text.values(), key=sort_key))
    first = ordered.index(read_values[0])
    if (
        len(read_values) > 2
        and ordered[first : first + len(read_values)] == read_values
        and read_values[0].number is not None
    ):
        return f"{name} {read_values[0].text} to {read_values[-1].text}"
    if len(read_values) <= 3:
        return f"{name} in ({', '.join(markup.truncated(v.text, 20) for v in read_values)})"
    return f"{name}: {len(read_values):,} of {len(values_by_text):,}"


def sort_key(value: PartitionValue) -> tuple[bool, float, str]:
    """The sort key of a partition value: numbers come first, by size; then null and text."""
    return value.number is None, value.number or 0.0, value.text
