"""A picture of hidden partitioning: the same filter on a Hive table and on an Iceberg table."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql import markup

_WIDTH = 640
_ROW = 92
_BOX = 46


@dataclass(frozen=True, slots=True)
class HiddenPartitioning:
    """A picture of hidden partitioning compared with Hive's.

    column: the column that queries filter on. transform: of Iceberg's partition field. hive_column: the column that
    writers of a Hive table must fill. value: an example value of it.
    """

    column: str = "event_time"
    transform: str = "days"
    hive_column: str = "event_date"
    value: str = "2018-12-01"

    @property
    def _rows(self) -> tuple[tuple[str, tuple[str, str], tuple[str, str], tuple[str, str]], ...]:
        return (
            (
                "Hive: the partition is a column that users must fill and filter",
                ("each writer computes", f"{self.hive_column} = '{self.value}'"),
                ("a folder", f"{self.hive_column}={self.value}/"),
                ("each query repeats it", f"{self.column} AND {self.hive_column}"),
            ),
            (
                "Iceberg: the table derives the partition from the column",
                ("writers write", self.column),
                (f"{self.transform}({self.column})", f"= {self.value}"),
                ("queries filter", self.column),
            ),
        )

    def __str__(self) -> str:
        return "\n".join(f"{title}\n  {' -> '.join(' '.join(part) for part in parts)}" for title, *parts in self._rows)

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # type: ignore[attr-defined]

    def _repr_html_(self) -> str:
        parts = [self._row(i, *row) for i, row in enumerate(self._rows)]
        height = _ROW * len(parts)
        return markup.box(
            f'<svg width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" '
            f'aria-label="{markup.html_lines(self)}" font-size="12" fill="currentColor">{"".join(parts)}</svg>'
        )

    def _row(self, number: int, title: str, *boxes: tuple[str, str]) -> str:
        top = number * _ROW
        width = (_WIDTH - 2 * 40) // 3
        color = markup.READ if number else markup.NOTE
        elements = [f'<text x="0" y="{top + 16}" font-weight="bold">{markup.html_text(title)}</text>']
        for i, (first, second) in enumerate(boxes):
            x, y = i * (width + 40), top + 26
            elements.append(
                f'<rect x="{x + 1}" y="{y}" width="{width - 2}" height="{_BOX}" rx="5" fill="{color}" '
                f'fill-opacity=".12" stroke="{color}"/>'
                f'<text x="{x + width // 2}" y="{y + 19}" text-anchor="middle">{markup.html_text(first)}</text>'
                f'<text x="{x + width // 2}" y="{y + 36}" text-anchor="middle" font-family="monospace" '
                f'font-size="11">{markup.html_text(second)}</text>'
            )
            if i:
                middle = y + _BOX // 2
                elements.append(f'<path d="M{x - 36} {middle}h26m-6 -5l7 5l-7 5" fill="none" stroke="currentColor"/>')
        return "".join(elements)
