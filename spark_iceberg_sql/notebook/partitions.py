"""The partitions that a scan read, as short text."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql import markup
from spark_iceberg_sql.spark.bridge.scan_files import Partition, TableRead, Value

_DROPPED = "void"  # the transform of a field that a later spec of format version 1 no longer has


def partitions_read(read: TableRead) -> str:
    """The partitions that a scan read, as short text: `ts_day = 2024-01-05, id_bucket: 3 of 4`.

    A field that some of the files read do not have is named with the number of those that have it.
    """
    ordered = sorted(read.partitions, key=lambda p: p.spec_id)
    fields = dict.fromkeys(_field(v) for p in ordered for v in p.values if v.transform != _DROPPED)
    if not fields:
        return ""
    every: list[str] = []
    some: list[str] = []
    for field in fields:
        if words := _values_read(read.partitions, field):
            files = sum(p.files_read for p in ordered if field in map(_field, p.values))
            plain = files == read.files
            (every if plain else some).append(words if plain else _of_some(files, read, words))
    chosen = sum(1 for p in read.partitions if p.files_read)
    if not chosen:
        return "no partitions"
    if not every and not some:
        return (
            ""
            if chosen == len(read.partitions)
            else f"{chosen:,} of {len(read.partitions):,} partitions"
        )
    return ", ".join([*(["partitions: " + ", ".join(every)] if every else []), *some])


def _of_some(files: int, read: TableRead, words: str) -> str:
    return f"{files:,} of {read.files:,} files by {words}"


def _field(value: Value) -> tuple[str, str]:
    """A partition field in all specs: another one may have had its name."""
    return value.name, value.transform


def _values_read(partitions: Sequence[Partition], field: tuple[str, str]) -> str:
    """The text for one field; empty if all its values were read."""
    name, _ = field
    every: dict[str, Value] = {}
    chosen: dict[str, Value] = {}
    for partition in partitions:
        for value in partition.values:
            if _field(value) == field:
                every[value.text] = value
                if partition.files_read:
                    chosen[value.text] = value
    if not chosen or len(chosen) == len(every):
        return ""
    if len(chosen) == 1:
        return f"{name} = {markup.truncated(next(iter(chosen)), 40)}"
    ordered, there = sorted(every.values(), key=order), sorted(chosen.values(), key=order)
    first = ordered.index(there[0])
    if (
        len(there) > 2
        and ordered[first : first + len(there)] == there
        and there[0].number is not None
    ):
        return f"{name} {there[0].text} to {there[-1].text}"
    if len(there) <= 3:
        return f"{name} in ({', '.join(markup.truncated(v.text, 20) for v in there)})"
    return f"{name}: {len(there):,} of {len(every):,}"


def order(value: Value) -> tuple[bool, float, str]:
    """The sort key of a partition value: numbers come first, by size; then null and text."""
    return value.number is None, value.number or 0.0, value.text
