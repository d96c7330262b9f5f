"""A document as a source file: each of its SQL blocks is a fragment, in the order of the text.

In: the text of a document. Out: a SourceFile, whose statements are checked as one script, as a reader runs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from spark_iceberg_sql.files.documents.markdown import markdown_blocks
from spark_iceberg_sql.files.documents.restructured_text import restructured_text_blocks
from spark_iceberg_sql.files.documents.sql_block import SPARK_LANGUAGES, SqlBlock
from spark_iceberg_sql.files.source import SourceFile, TextUnit
from spark_iceberg_sql.files.source_map import FragmentBuilder, SqlFragment, range_fragment
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

# The reader of each kind of document, by its suffix.
READERS: dict[str, Callable[[str], Iterator[SqlBlock]]] = {
    ".md": markdown_blocks,
    ".markdown": markdown_blocks,
    ".mdx": markdown_blocks,
    ".rst": restructured_text_blocks,
}
_SKIP_FILE = regex(r"(?:<!--|\{/\*|^\.\.)\s*iceberg-sql:\s*skip-file\b")
_CREATED = regex(r"\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w.`-]+)", re.IGNORECASE)
# What stands for text that the author left out, `...` or `<table>`; a type's `<` follows a word.
_ELLIPSIS = regex(r"\.\.\.|\u2026|(?<![\w`])<[A-Za-z][\w -]*>")


def read_document(name: str, text: str, suffix: str) -> SourceFile:
    """The SQL blocks of a document. name: its path. suffix: of READERS."""
    lower_text = text.lower()
    has_sql = "sql" in lower_text and not ("skip-file" in lower_text and _SKIP_FILE.search(text) is not None)
    blocks = list(READERS[suffix](text)) if has_sql else []
    uses_spark = any(block.language in SPARK_LANGUAGES for block in blocks)
    fragments = tuple(_as_examples(_fragment(text, block) for block in blocks))
    return SourceFile(name, (TextUnit(text),), fragments, uses_spark=uses_spark)


def _as_examples(fragments: Iterable[SqlFragment]) -> Iterator[SqlFragment]:
    """The fragments; one that creates a table of an earlier one is another example, before which that is unknown."""
    created: set[str] = set()
    for fragment in fragments:
        names = {match[1].replace("`", "").lower() for match in _CREATED.finditer(fragment.sql)}
        repeated = tuple(sorted(names & created))
        created |= names
        yield replace(fragment, side_effects=repeated) if repeated else fragment


def _fragment(text: str, block: SqlBlock) -> SqlFragment:
    start, end = block.lines[0][0], block.lines[-1][1]
    if not block.is_quoted and _ELLIPSIS.search(text, start, end) is None:
        return range_fragment(text, start, end)
    builder = FragmentBuilder()
    for line_start, line_end in block.lines:
        offset = line_start
        for match in _ELLIPSIS.finditer(text, line_start, line_end):
            _add_verbatim(builder, text, offset, match.start())
            builder.add_placeholder(match.start(), match.end(), match.group())
            offset = match.end()
        _add_verbatim(builder, text, offset, line_end)
    return builder.build()


def _add_verbatim(builder: FragmentBuilder, text: str, start: int, end: int) -> None:
    for offset in range(start, end):
        builder.add(text[offset], offset, offset + 1)
