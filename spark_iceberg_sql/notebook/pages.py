"""The pages of a result: rows of one run, kept in Python, so that no page runs the query again."""

from __future__ import annotations

from spark_iceberg_sql import markup
from spark_iceberg_sql.notebook import results, rows

NEXT = "%iceberg_sql --next"
_MORE = "%config IcebergSql.kept = {}"


class Pages:
    """The rows of a result that were fetched when it ran, and the page that is shown.

    all_rows: the fetched rows. page_size: the number of rows of a page.
    """

    def __init__(self, found: rows.Rows, size: int) -> None:
        self._found = found
        self._size = size
        self._start, self._end = 0, min(size, len(found.rows))

    @property
    def shown(self) -> rows.Rows:
        """The rows of the page."""
        return self._found.part(self._start, self._end)

    def counted(self, hint: bool = False) -> str:
        """The position of the page, as text: `3 rows`, `first 20 of 340 rows`, `rows 21 to 40 of 340`.

        with_hint: whether to add the command for the next page.
        """
        there = len(self._found.rows)
        if not there:
            said = "more than 0 rows" if self._found.more else "no rows"
        elif self._start:
            said = f"rows {self._start + 1:,} to {self._end:,} of {self._all()}"
        elif self._end < there or self._found.more:
            said = f"first {self._end:,} of {_rows(self._all())}"
        else:
            said = _rows(f"{there:,}")
        if self._found.columns > len(self._found.names):
            said += f", first {len(self._found.names)} of {self._found.columns:,} columns"
        return f"{said} (more: {NEXT})" if hint and self._end < there else said

    def turned(self, back: bool, number: int | None) -> results.Bundle:
        """Turn to the next page, or the previous one. row_count: of rows; None for the usual number."""
        # Turning never runs the query again: past the fetched rows there is only a message.
        there, size = len(self._found.rows), number or self._size
        if back and not self._start:
            return _line("there are no rows before the first")
        if not back and self._end >= there:
            return _line(*self._at_the_end())
        if back:
            self._start, self._end = max(0, self._start - size), self._start
        else:
            self._start, self._end = self._end, min(there, self._end + size)
        line = self.counted(hint=True)
        return results.bundle(
            [rows.html(self.shown), markup.dim_line(markup.html_text(line))],
            [rows.text(self.shown), line],
        )

    def copied(self) -> results.Bundle:
        """All rows that are kept as tab-separated values, which one click selects."""
        text = rows.tsv(self._found)
        missing = "; ".join(rows.incomplete(self._found))
        line = f"{_rows(f'{len(self._found.rows):,}')} as tab-separated values"
        note = f"{line}{': ' if missing else ''}{missing}"
        how = markup.dim_line(f"{markup.html_text(note)} · click, then copy")
        return results.bundle([how, markup.selectable(text)], [text.rstrip("\n"), note])

    def _all(self) -> str:
        return f"{'more than ' if self._found.more else ''}{len(self._found.rows):,}"

    def _at_the_end(self) -> list[str]:
        there = len(self._found.rows)
        if not self._found.more:
            last = f" after row {there:,}, the last" if there else ""
            return [f"there are no rows{last}"]
        if not there:
            return ["no rows were fetched, because of --limit 0"]
        return [
            f"only the first {_rows(f'{there:,}')} of this run are kept",
            f"help: {_MORE.format(10 * max(there, 100))}, and run the cell again",
        ]


def _rows(number: str) -> str:
    return f"{number} row{'' if number == '1' else 's'}"


def _line(*lines: str) -> results.Bundle:
    return results.bundle([markup.dim_line(markup.html_text(line)) for line in lines], lines)
