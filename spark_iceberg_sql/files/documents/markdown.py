"""The fenced SQL blocks of Markdown and MDX, in lists and quotations, too (CommonMark: Fenced code blocks).

A comment `<!-- iceberg-sql: ignore -->`, in MDX `{/* ... */}`, on the line above leaves a block out.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.files.documents.sql_block import LANGUAGES, SqlBlock, line_offsets
from spark_iceberg_sql.lazy import regex

_QUOTATION = regex(r"(?:[ \t]*>)*[ \t]?")
# A list's mark may precede the fence. The language is the first word, `sql title="a.sql"`, or `{.sql}` of Pandoc.
_OPENING = regex(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[ \t]*\{?[ \t]*\.?([\w-]*)([^\r\n]*)")
_IGNORED = regex(r"[ \t]*(?:<!--|\{/\*)\s*iceberg-sql:\s*ignore\s*(?:-->|\*/\})")


def markdown_blocks(text: str) -> Iterator[SqlBlock]:
    """The SQL blocks of a Markdown text, without those that a comment leaves out. One without its end is none."""
    lines = line_offsets(text)
    number, is_ignored = 0, False
    while number < len(lines):
        start, end = lines[number]
        number += 1
        prefix = _QUOTATION.match(text, start, end)
        prefix_end = prefix.end() if prefix is not None and ">" in prefix.group() else start
        opening = _OPENING.match(text, prefix_end, end)
        if opening is None or (opening[1][0] == "`" and "`" in opening[3]):
            if text[start:end].strip():
                is_ignored = _IGNORED.match(text, prefix_end, end) is not None
            continue
        depth = text.count(">", start, prefix_end)
        first = number
        while number < len(lines) and not _closes(_content(text, *lines[number], depth), opening[1]):
            number += 1
        is_closed = number < len(lines)
        if is_closed and number > first and opening[2].lower() in LANGUAGES and not is_ignored:
            yield SqlBlock(
                opening[2].lower(),
                tuple((line_end - len(_content(text, line_start, line_end, depth)), line_end)
                      for line_start, line_end in lines[first:number]),
                is_quoted=depth > 0,
            )  # fmt: skip
        number, is_ignored = number + 1, False


def _content(text: str, start: int, end: int, depth: int) -> str:
    """A line without the marks of as many quotations."""
    for _ in range(depth):
        mark = text.find(">", start, end)
        if mark < 0 or text[start:mark].strip():
            break
        start = mark + 1
    return text[start:end]


def _closes(line: str, fence: str) -> bool:
    """True if a line ends the block that a fence begins: at least as many of the same mark, and nothing else."""
    marks = line.strip()
    return len(marks) >= len(fence) and not marks.strip(fence[0])
