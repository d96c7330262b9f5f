"""The pages of a result: rows of one run, kept in Python, so that no page runs the query again."""

from __future__ import annotations

from spark_iceberg_sql import markup
from spark_iceberg_sql.notebook.display import result_bundles, result_rows, result_tables

NEXT = "%iceberg_sql --next"
_FEW = 5  # rows that are seen at a glance
_KEEP_MORE = "%config IcebergSql.kept = {}"


class Pages:
    """The rows of a result that were fetched when it ran, and the page that is shown.

    all_rows: the fetched rows. page_size: the number of rows of a page.
    """

    def __init__(self, all_rows: result_rows.ResultRows, page_size: int) -> None:
        self._all_rows = all_rows
        self._size = page_size
        self._start, self._end = 0, min(page_size, len(all_rows.rows))

    @property
    def visible_rows(self) -> result_rows.ResultRows:
        """The rows of the page."""
        return self._all_rows.slice_rows(self._start, self._end)

    def html_in_place(self) -> str | None:
        """The fetched rows as a table that its reader can sort, search and page; None for a few rows."""
        if not self._size or len(self._all_rows.rows) <= _FEW:
            return None
        is_kept = self._end < len(self._all_rows.rows)
        return result_tables.html(self._all_rows, self._size, NEXT if is_kept else self._keep_more())

    def position_text(self, with_hint: bool = False) -> str:
        """The position of the page, as text: `3 rows`, `first 20 of 340 rows`, `rows 21 to 40 of 340`.

        with_hint: whether to add the command for the next page.
        """
        total = len(self._all_rows.rows)
        if not total:
            position = "more than 0 rows" if self._all_rows.has_more else "no rows"
        elif self._start:
            position = f"rows {self._start + 1:,} to {self._end:,} of {self._total_text()}"
        elif self._end < total or self._all_rows.has_more:
            position = f"first {self._end:,} of {_rows(self._total_text())}"
        else:
            position = _rows(f"{total:,}")
        if self._all_rows.column_count > len(self._all_rows.names):
            position += f", first {len(self._all_rows.names)} of {self._all_rows.column_count:,} columns"
        return f"{position} (more: {NEXT})" if with_hint and self._end < total else position

    def turn_page(self, is_back: bool, row_count: int | None) -> result_bundles.Bundle:
        """Turn to the next page, or the previous one. row_count: of rows; None for the usual number."""
        # Turning never runs the query again: past the fetched rows there is only a message.
        total, size = len(self._all_rows.rows), row_count or self._size
        if is_back and not self._start:
            return _line("there are no rows before the first")
        if not is_back and self._end >= total:
            return _line(*self._end_lines())
        if is_back:
            self._start, self._end = max(0, self._start - size), self._start
        else:
            self._start, self._end = self._end, min(total, self._end + size)
        line = self.position_text(with_hint=True)
        return result_bundles.bundle(
            [result_rows.html(self.visible_rows), markup.dim_line(markup.html_text(line))],
            [result_rows.text(self.visible_rows), line],
        )

    def as_tsv(self) -> result_bundles.Bundle:
        """All rows that are kept as tab-separated values, which one click selects."""
        text = result_rows.tsv(self._all_rows)
        missing = "; ".join(result_rows.missing_parts(self._all_rows))
        line = f"{_rows(f'{len(self._all_rows.rows):,}')} as tab-separated values"
        note = f"{line}{': ' if missing else ''}{missing}"
        hint = markup.dim_line(f"{markup.html_text(note)} · click, then copy")
        return result_bundles.bundle([hint, markup.selectable(text)], [text.rstrip("\n"), note])

    def _keep_more(self) -> str:
        return _KEEP_MORE.format(10 * max(len(self._all_rows.rows), 100))

    def _total_text(self) -> str:
        return f"{'more than ' if self._all_rows.has_more else ''}{len(self._all_rows.rows):,}"

    def _end_lines(self) -> list[str]:
        total = len(self._all_rows.rows)
        if not self._all_rows.has_more:
            last = f" after row {total:,}, the last" if total else ""
            return [f"there are no rows{last}"]
        if not total:
            return ["no rows were fetched, because of --limit 0"]
        return [
            f"only the first {_rows(f'{total:,}')} of this run are kept",
            f"help: {self._keep_more()}, and run the cell again",
        ]


def _rows(number: str) -> str:
    return f"{number} row{'' if number == '1' else 's'}"


def _line(*lines: str) -> result_bundles.Bundle:
    return result_bundles.bundle([markup.dim_line(markup.html_text(line)) for line in lines], lines)
