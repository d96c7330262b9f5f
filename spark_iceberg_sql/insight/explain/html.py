"""An explanation as HTML for notebooks: a bar per conjunct, as long as the share of files that it keeps."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql import markup
from spark_iceberg_sql.insight.explain.model import (
    Explanation,
    Scan,
    conjunct_remarks,
    headline,
    kept_files_text,
    scan_remarks,
)

_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"
_BAR = (
    "display:inline-block;width:80px;height:0.7em;border:1px solid currentColor;margin-right:6px;"
    "background:linear-gradient(to right,currentColor {share:.0f}%,transparent {share:.0f}%)"
)


def html(explanation: Explanation) -> str:
    """The HTML; it sets no colours, so it is readable on light and dark backgrounds."""
    return "".join(_parts(explanation))


def _parts(explanation: Explanation) -> Iterator[str]:
    for scan in explanation.scans:
        yield f"<p><b>{markup.html_text(scan.table)}</b>: {markup.html_text(headline(scan))}</p>"
        if scan.conjuncts:
            yield "<table><tbody>"
            yield from _rows(scan)
            yield "</tbody></table>"
        for remark in scan_remarks(scan):
            yield f"<p>{markup.html_text(remark)}</p>"
    for note in explanation.notes:
        yield f"<p>note: {markup.html_text(note)}</p>"


def _rows(scan: Scan) -> Iterator[str]:
    for conjunct in scan.conjuncts:
        bar = ""
        if conjunct.files is not None and scan.total_files:
            bar = f'<span style="{_BAR.format(share=100 * conjunct.files / scan.total_files)}"></span>'
        remark_lines = "<br>".join(markup.html_text(line) for line in conjunct_remarks(conjunct))
        yield (
            f'<tr><td style="{_CELL};white-space:nowrap">{bar}{kept_files_text(conjunct)}</td>'
            f'<td style="{_CELL}"><code>{markup.html_text(conjunct.text)}</code></td>'
            f'<td style="{_CELL}">{remark_lines}</td></tr>'
        )
