"""The output of a statement that ran: rows, a summary line, and the map of what was read."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.plan import size
from spark_iceberg_sql.insight.explain import Explanation
from spark_iceberg_sql.notebook import partitions, pictures, rows
from spark_iceberg_sql.outgoing import visible, visible_lines
from spark_iceberg_sql.spark.bridge.scan_files import TableRead
from spark_iceberg_sql.spark.bridge.writes import Written

_MOST_TABLES = 4
Bundle = dict[str, str]


def bundle(html: Sequence[str], text: Sequence[str]) -> Bundle:
    """An output for a notebook and for a terminal. html, text: its parts; empty ones are skipped."""
    return {
        "text/html": markup.box(*html),
        "text/plain": "\n".join(filter(None, text)),
    }


def of_rows(
    found: rows.Rows,
    counted: str,
    seconds: float,
    read: Sequence[TableRead],
    wrote: Written | None = None,
) -> Bundle:
    """The result of a query or a CALL.

    result: the rows shown. count_text: how many they are, as text. read: of each table. commit: by a CALL.
    """
    first = f"{counted} · {seconds:.1f} s"
    if said := _written(wrote) if wrote is not None else "":
        first += f" · {said}"
    lines, drawn, strips = _reads(read, first, "read")
    return bundle(
        [rows.html(found), *map(_small, lines), *drawn],
        [rows.text(found), *lines, *strips],
    )


def of_command(words: str, seconds: float, wrote: Written | None) -> Bundle:
    """The output of a statement without rows. title: its command, `ALTER TABLE`."""
    line = f"{words}: done · {seconds:.1f} s"
    if said := _written(wrote) if wrote is not None else "":
        line += f" · {said}"
    return bundle([_small(line)], [visible(line)])


def of_explained(
    read: Sequence[TableRead],
    explanation: Explanation | None,
    plan: str,
    above: Bundle | None = None,
) -> Bundle:
    """The output of an explained statement: what it would read.

    explanation: of its filters, or None. plan: Spark's plan as text. extra: an output to show above it, or
    None.
    """
    lines, drawn, strips = _reads(read, "", "would read")
    if not read and explanation is None and above is None:
        lines = ["would read no table"]
    details = (
        f"<details><summary>physical plan</summary><pre>{markup.html_lines(plan)}</pre></details>"
    )
    why = "" if explanation is None else explanation._repr_html_()
    first = above or {"text/html": "", "text/plain": ""}
    return bundle(
        [first["text/html"], *map(_small, lines), *drawn, why, details],
        [first["text/plain"], *lines, *strips, visible_lines(plan.strip())],
    )


def _small(line: str) -> str:
    return markup.dim_line(markup.html_text(line))


def _reads(
    read: Sequence[TableRead], first: str, verb: str
) -> tuple[list[str], list[str], list[str]]:
    """The lines, SVG maps and text maps of what was read; one line per table if there are several."""
    lines = [first] if first else []
    drawn, strips = [], []
    for table in read[:_MOST_TABLES]:
        words = f"{verb} {'at most ' if table.at_most else ''}{_files(table)}"
        if len(read) > 1:
            words += f" of {table.table}"
        if which := partitions.partitions_read(table):
            words += f", {which}"
        if len(read) == 1 and first:
            lines = [f"{first} · {words}"]
        else:
            lines.append(words)
        several = len({p.spec_id for p in table.partitions}) > 1
        partitioned = any(p.values for p in table.partitions)
        if table.counted and partitioned and (several or table.files != table.total_files):
            drawn.append(pictures.svg(table))
            strips.append(pictures.strip(table))
    if len(read) > _MOST_TABLES:
        lines.append(f"and {len(read) - _MOST_TABLES} other scans")
    return list(map(visible, lines)), drawn, strips


def _files(table: TableRead) -> str:
    """`4 of 160 files (2.1 of 88.0 MB)`."""
    if table.total_files is None:
        return f"{table.files:,} file{'' if table.files == 1 else 's'} ({size(table.size)})"
    sizes = size(table.size)
    if table.total_size is not None and table.size != table.total_size:
        every = size(table.total_size)
        some = sizes.split()[0] if sizes.split()[1] == every.split()[1] else sizes
        sizes = f"{some} of {every}"
    plural = "" if table.total_files == 1 else "s"
    return f"{table.files:,} of {table.total_files:,} file{plural} ({sizes})"


def _written(wrote: Written) -> str:
    counts = wrote.counts
    said = []
    added, removed = counts.get("added-records", 0), counts.get("deleted-records", 0)
    if wrote.operation == "replace" and added == removed:
        said += [f"rewrote {_number(added, 'row')}"] if added else []
    elif added and removed:  # whole files are rewritten: most of their rows may be unchanged
        said.append(f"replaced {_number(removed, 'row')} by {added:,}")
    elif added or removed:
        said.append(f"{'wrote' if added else 'removed'} {_number(added or removed, 'row')}")
    if files := counts.get("added-data-files"):
        written_size = size(counts.get("added-files-size", 0))
        said.append(f"{_number(files, 'new data file')} ({written_size})")
    if files := counts.get("deleted-data-files"):
        said.append(f"{_number(files, 'data file')} removed")
    if files := counts.get("added-delete-files"):
        said.append(_number(files, "new delete file"))
    if files := counts.get("removed-delete-files"):
        said.append(f"{_number(files, 'delete file')} removed")
    if wrote.snapshots > 1:
        said.append(f"in {wrote.snapshots:,} snapshots")
    elif partitions := counts.get("changed-partition-count"):
        said.append(f"in {_number(partitions, 'partition')}")
    if said and wrote.branch:
        said.append(f"on branch {wrote.branch}")
    if said and wrote.staged:
        said.append(f"staged as {wrote.staged}")
    return ", ".join(said)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
