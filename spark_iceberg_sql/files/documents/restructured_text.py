"""The SQL blocks of reStructuredText: `.. code-block:: sql`, `.. code::`, `.. sourcecode::`.

A comment `.. iceberg-sql: ignore` above leaves a block out.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.files.documents.sql_block import LANGUAGES, SqlBlock, line_offsets
from spark_iceberg_sql.lazy import regex

_DIRECTIVE = regex(r"([ \t]*)\.\.[ \t]+(?:code-block|sourcecode|code)::[ \t]*([\w-]*)[ \t]*\r?\n?")
_OPTION = regex(r"[ \t]+:[\w-]+:")
_IGNORED = regex(r"[ \t]*\.\.[ \t]+iceberg-sql:[ \t]*ignore[ \t]*\r?\n?")


def restructured_text_blocks(text: str) -> Iterator[SqlBlock]:
    """The SQL blocks of a text, without those that a comment leaves out."""
    lines = line_offsets(text)
    number, is_ignored = 0, False
    while number < len(lines):
        start, end = lines[number]
        number += 1
        directive = _DIRECTIVE.fullmatch(text, start, end)
        if directive is None:
            if text[start:end].strip():
                is_ignored = _IGNORED.fullmatch(text, start, end) is not None
            continue
        while number < len(lines) and _OPTION.match(text, *lines[number]) is not None:
            number += 1
        first, indent = number, len(directive[1].expandtabs())
        while number < len(lines) and _belongs(text[slice(*lines[number])], indent):
            number += 1
        last = number
        while last > first and not text[slice(*lines[last - 1])].strip():
            last -= 1
        if last > first and directive[2].lower() in LANGUAGES and not is_ignored:
            yield SqlBlock(directive[2].lower(), tuple(lines[first:last]))
        is_ignored = False


def _belongs(line: str, indent: int) -> bool:
    """True for a blank line, or one that is indented further than the directive."""
    expanded = line.expandtabs()
    return not line.strip() or len(expanded) - len(expanded.lstrip()) > indent
