"""The output of a statement that ran: rows, a summary line, and the map of what was read."""

from __future__ import annotations

from collections.abc import Sequence

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.commit_text import commit_text
from spark_iceberg_sql.insight.explain.model import Explanation
from spark_iceberg_sql.notebook.display import partition_map, partitions, result_rows
from spark_iceberg_sql.quantities import duration, plural, size
from spark_iceberg_sql.safe_output import visible, visible_lines
from spark_iceberg_sql.spark.bridge.plans.scan_files import TableRead
from spark_iceberg_sql.spark.bridge.tables.commit_summaries import CommitSummary

_MAX_TABLES = 4
Bundle = dict[str, str]


def bundle(html: Sequence[str], text: Sequence[str]) -> Bundle:
    """An output for a notebook and for a terminal. html, text: its parts; empty ones are skipped."""
    return {"text/html": markup.box(*html), "text/plain": "\n".join(filter(None, text))}


def of_rows(
    result: result_rows.ResultRows,
    count_text: str,
    seconds: float,
    read: Sequence[TableRead],
    commit: CommitSummary | None = None,
    table_html: str | None = None,
) -> Bundle:
    """The result of a query or a CALL.

    result: the rows shown. count_text: how many they are, as text. read: of each table. commit: by a CALL.
    table_html: the table, if it has more than these rows.
    """
    first = f"{count_text} · {duration(seconds)}"
    if summary := commit_line(commit) if commit is not None else "":
        first += f" · {summary}"
    lines, maps, strips = _reads(read, first, "read")
    return bundle(
        [table_html or result_rows.html(result), *map(_line_html, lines), *maps],
        [result_rows.text(result), *lines, *strips],
    )


def of_command(title: str, seconds: float, commit: CommitSummary | None) -> Bundle:
    """The output of a statement without rows. title: its command, `ALTER TABLE`."""
    line = f"{title}: done · {duration(seconds)}"
    if summary := commit_line(commit) if commit is not None else "":
        line += f" · {summary}"
    return bundle([_line_html(line)], [visible(line)])


def of_explained(
    read: Sequence[TableRead], explanation: Explanation | None, plan: str, extra: Bundle | None = None
) -> Bundle:
    """The output of an explained statement: what it would read.

    explanation: of its filters, or None. plan: Spark's plan as text. extra: an output to show above it, or None.
    """
    lines, maps, strips = _reads(read, "", "would read")
    if not read and explanation is None and extra is None:
        lines = ["would read no table"]
    details = f"<details><summary>physical plan</summary><pre>{markup.html_lines(plan)}</pre></details>"
    explanation_html = "" if explanation is None else explanation._repr_html_()
    explanation_text = "" if explanation is None else str(explanation)
    first = extra or {"text/html": "", "text/plain": ""}
    return bundle(
        [first["text/html"], *map(_line_html, lines), *maps, explanation_html, details],
        [first["text/plain"], *lines, *strips, explanation_text, visible_lines(plan.strip())],
    )


def _line_html(line: str) -> str:
    return markup.dim_line(markup.html_text(line))


def _reads(read: Sequence[TableRead], first: str, verb: str) -> tuple[list[str], list[str], list[str]]:
    """The lines, SVG maps and text maps of what was read; one line per table if there are several."""
    lines = [first] if first else []
    maps, strips = [], []
    for table in read[:_MAX_TABLES]:
        text = f"{verb} {'at most ' if table.at_most else ''}{_files(table)}"
        if len(read) > 1:
            text += f" of {table.table}"
        if partitions_text := partitions.partitions_read(table):
            text += f", {partitions_text}"
        if len(read) == 1 and first:
            lines = [f"{first} · {text}"]
        else:
            lines.append(text)
        has_several_specs = len({p.spec_id for p in table.partitions}) > 1
        is_partitioned = any(p.values for p in table.partitions)
        if table.counted and is_partitioned and (has_several_specs or table.files != table.total_files):
            maps.append(partition_map.svg(table))
            strips.append(partition_map.text_strip(table))
    if len(read) > _MAX_TABLES:
        lines.append(f"and {len(read) - _MAX_TABLES} other scans")
    return list(map(visible, lines)), maps, strips


def _files(table: TableRead) -> str:
    """`4 of 160 files (2.1 of 88.0 MB)`."""
    if table.total_files is None:
        return f"{plural(table.files, 'file')} ({size(table.size)}){_reason(table)}"
    sizes = size(table.size)
    if table.total_size is not None and table.size != table.total_size:
        total_size_text = size(table.total_size)
        read_size_text = sizes.split()[0] if sizes.split()[1] == total_size_text.split()[1] else sizes
        sizes = f"{read_size_text} of {total_size_text}"
    return f"{table.files:,} of {plural(table.total_files, 'file')} ({sizes}){_reason(table)}"


def _reason(table: TableRead) -> str:
    return f" ({table.reason})" if table.reason else ""


def commit_line(commit: CommitSummary) -> str:
    """What a statement committed, and where, as text; empty if that has no figures."""
    parts = [commit_text(commit.operation, commit.counts, commit.snapshots)]
    if parts[0] and commit.branch:
        parts.append(f"on branch {commit.branch}")
    if parts[0] and commit.staged:
        parts.append(f"staged as {commit.staged}")
    return ", ".join(parts)
