"""Pieces of HTML for notebooks: no JavaScript, nothing from other servers, readable in light and dark themes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark_iceberg_sql.safe_output import visible, visible_lines

READ = "#3182bd"  # colours with a contrast of 3 to 1 and more on white and on black
ERROR = "#d9534f"
WARNING = "#b8860b"
NOTE = "#808080"
_STRING = "#2e8b57"


def _text_color(color: str) -> str:
    """A colour for text: mixed with the theme's own, for a contrast of 4.5 to 1; older browsers take it as it is."""
    return f"color:{color};color:color-mix(in srgb,{color} 65%,currentColor)"


# A scroll bar of its own is always visible, and so shows that a table is wider than the page.
# Twice the class, where a front end has its own rules: JupyterLab aligns all cells to the right.
_STYLE = f"""<style>
div.sis{{font:13px/1.5 system-ui,sans-serif;color:inherit;max-width:100%}}
div.sis,div.sis .scroll{{overflow-x:auto}}
div.sis::-webkit-scrollbar,div.sis .scroll::-webkit-scrollbar{{height:9px}}
div.sis::-webkit-scrollbar-thumb,div.sis .scroll::-webkit-scrollbar-thumb{{background:rgba(128,128,128,.6)}}
div.sis table{{border-collapse:collapse;width:max-content;font-size:12px;margin:2px 0;border:0;color:inherit}}
div.sis.sis table th,div.sis.sis table td{{padding:2px 10px;text-align:left;vertical-align:top;border:0;background:none;
border-bottom:1px solid rgba(128,128,128,.3);white-space:pre-wrap;overflow-wrap:break-word;max-width:40em}}
div.sis.sis table th.n,div.sis.sis table td.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
div.sis th small{{font-weight:normal;opacity:.7}}
div.sis th small,div.sis th br{{user-select:none;-webkit-user-select:none}}
div.sis pre.all{{user-select:all;-webkit-user-select:all;white-space:pre;max-height:20em;overflow:auto}}
div.sis .dim{{opacity:.7}}
div.sis pre{{margin:2px 0;padding:0;background:none;color:inherit;white-space:pre-wrap}}
div.sis code{{background:none;color:inherit}}
div.sis u{{text-decoration:underline wavy {ERROR};text-underline-offset:3px}}
div.sis .f{{border-left:3px solid {NOTE};padding:1px 10px;margin:4px 0}}
div.sis .error{{border-color:{ERROR}}}div.sis .warning{{border-color:{WARNING}}}
div.sis .sql-k{{{_text_color(READ)}}}div.sis .sql-s{{{_text_color(_STRING)}}}
div.sis .sql-n{{{_text_color(WARNING)}}}div.sis .sql-c{{{_text_color(NOTE)}}}
div.sis :focus-visible{{outline:2px solid {READ};outline-offset:1px}}
div.sis svg{{display:block;margin:4px 0;max-width:100%}}
</style>"""
_BLANK_SIGNS = {0x0A: 0x21B5, 0x09: 0x20}


def box(*inner: str) -> str:
    """A complete output: its style and its parts, which are HTML. Keys scroll a table wider than the page."""
    content = "".join(inner)
    has_keys = "<table" in content and 'class="scroll"' not in content
    attributes = ' role="group" tabindex="0" aria-label="table"' if has_keys else ""
    return f'{_STYLE}<div class="sis"{attributes}>{content}</div>'


def html_text(text: object, max_length: int | None = None) -> str:
    """Any text as one line of HTML: escaped, and truncated to a maximum length."""
    return _escaped(truncated(visible(str(text)), max_length))


def html_lines(text: object) -> str:
    """A text of several lines, such as a statement, as HTML."""
    return _escaped(visible_lines(str(text)))


def _escaped(text: str) -> str:
    from html import escape  # it brings tables that a check has no use for

    return escape(text)


def truncated(text: str, max_length: int | None) -> str:
    """A text of at most so many characters; `…` at the end stands for the rest."""
    return text if max_length is None or len(text) <= max_length else text[: max_length - 1] + "…"


def flat(text: str) -> str:
    """A value on one line, as short as may be: a sign for a line end, a blank for a tab."""
    return visible(text.translate(_BLANK_SIGNS))


def dim_line(text: str) -> str:
    """A line of dimmed text. text: HTML."""
    return f'<div class="dim">{text}</div>'


def attribute(text: str) -> str:
    """Any text as the value of an attribute in double quotes: escaped, and as it is for a script that reads it."""
    if visible(text) == text:
        return _escaped(text)
    return "".join(_escaped(sign) if visible(sign) == sign else f"&#{ord(sign)};" for sign in text)


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    right_aligned: Sequence[bool] = (),
    *,
    caption: str = "",
    visible: int | None = None,
) -> str:
    """A table. header, rows, caption: HTML. right_aligned: for each column. visible: how many rows are not hidden."""
    classes = [' class="n"' if i < len(right_aligned) and right_aligned[i] else "" for i in range(len(header))]
    # A cell without text is no header: a screen reader would read an empty one for each row.
    tags = ["th" if cell else "td" for cell in header]
    header_row = "".join(f"<{t}{k}>{cell}</{t}>" for t, k, cell in zip(tags, classes, header, strict=True))
    body = "".join(
        f"<tr{'' if visible is None or number < visible else ' hidden'}>"
        f"{''.join(f'<td{k}>{cell}</td>' for k, cell in zip(classes, row, strict=True))}</tr>"
        for number, row in enumerate(rows)
    )
    caption = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{caption}<thead><tr>{header_row}</tr></thead><tbody>{body}</tbody></table>"


def selectable(text: str) -> str:
    """A text that one click selects whole, as it is."""
    return f'<pre class="all">{_escaped(text)}</pre>'


def finding(severity: str, code: str, message: str, source: str, help: str | None) -> str:
    """A finding. source: its line, as HTML. The other arguments are plain text."""
    frame = f"<pre>{source}</pre>"
    remedy = f"<div><b>help:</b> {html_lines(help)}</div>" if help else ""
    header = f"<b>{html_text(severity)} {html_text(code)}</b> {html_text(message)}"
    return f'<div class="f {html_text(severity)}">{header}{frame}{remedy}</div>'


def underlined_line(number: int, text: str, start: int, end: int) -> str:
    """A source line with its number, the characters from start to end underlined."""
    underlined = f"<u>{html_text(text[start:end] or ' ')}</u>"
    return f"{number:>3} │ {html_text(text[:start])}{underlined}{html_text(text[end:])}"
