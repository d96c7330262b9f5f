"""A document as a source file: each of its SQL blocks is a fragment, in the order of the text.

In: the text of a document. Out: a SourceFile, whose statements are checked as one script, as a reader runs them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

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
# The magic of a notebook's cell that a block was copied from: `%sql`, `%spark.sql`.
_MAGIC = regex(r"\s*%{1,2}(?:\w+\.)?(?:spark)?sql\b[^\n]*\n?")
# The first words of a statement. In a block, an author may leave the `;` out behind the one before it.
_BEGINNING = regex(
    r"(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|NAMESPACE|SCHEMA|DATABASE)|ALTER\s+TABLE|DROP\s+TABLE|INSERT\s+INTO"
    r"|DELETE\s+FROM|MERGE\s+INTO|CALL\s+\w|UPDATE\s+\w|SHOW\s|DESCRIBE\s|SELECT\s|WITH\s+\w+\s+AS)\b",
    re.IGNORECASE,
)
_BLANK_OR_COMMENT = regex(r"\s*(?:--[^\n]*)?\n?")
_SKIP_FILE = regex(r"(?:<!--|\{/\*|^\.\.)\s*iceberg-sql:\s*skip-file\b")
_CREATED = regex(r"\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w.`-]+)", re.IGNORECASE)
_LOSES_COLUMNS = regex(
    r"\balter\s+table\s+(?P<altered>[\w.`-]+)\s+(?:rename\s+column|drop\s+columns?|change|replace\s+columns)\b"
    r"|\bdrop\s+table\s+(?:if\s+exists\s+)?(?P<dropped>[\w.`-]+)",
    re.IGNORECASE,
)
_HEADING = regex(r"^ {0,3}#{1,6}[ \t]", re.MULTILINE)
# Names that stand for any table: under another heading they are another one.
_STAND_INS = regex(r"(?:[\w`-]+\.)*`?(?:my_?table|your_?table|table_?name|some_?table)`?", re.IGNORECASE)
# What stands for text that the author left out, `...` or `<table>`; a type's `<` follows a word.
_ELLIPSIS = regex(r"\.\.\.|\u2026|(?<![\w`])<[A-Za-z][\w -]*>")


def read_document(name: str, text: str, suffix: str) -> SourceFile:
    """The SQL blocks of a document. name: its path. suffix: of READERS."""
    lower_text = text.lower()
    has_sql = "sql" in lower_text and not ("skip-file" in lower_text and _SKIP_FILE.search(text) is not None)
    blocks = list(READERS[suffix](text)) if has_sql else []
    uses_spark = any(block.language in SPARK_LANGUAGES for block in blocks)
    parts = [part for block in blocks for part in _statements(text, block)]
    headings = [match.start() for match in _HEADING.finditer(text)]
    sections = [bisect_left(headings, part.lines[0][0]) for part in parts]
    fragments = tuple(_as_examples([_fragment(text, part) for part in parts], sections))
    return SourceFile(name, (TextUnit(text),), fragments, uses_spark=uses_spark, is_document=True)


def _statements(text: str, block: SqlBlock) -> Iterator[SqlBlock]:
    """The parts of a block, each from a statement behind a blank line or a comment, without a magic before them."""
    lines = list(block.lines)
    if _MAGIC.fullmatch(text, *lines[0]) is not None:
        del lines[0]
    start, last_code = 0, ""
    for number, (begin, end) in enumerate(lines):
        line = text[begin:end]
        if _BLANK_OR_COMMENT.fullmatch(line) is not None:
            continue
        is_apart = number > start and _BLANK_OR_COMMENT.fullmatch(text, *lines[number - 1]) is not None
        if is_apart and _BEGINNING.match(line.lstrip()) is not None and not last_code.endswith((";", "(", ",", "AS")):
            yield replace(block, lines=tuple(lines[start:number]))
            start = number
        last_code = line.rstrip()
    if lines[start:]:
        yield replace(block, lines=tuple(lines[start:]))


def _as_examples(fragments: Sequence[SqlFragment], sections: Sequence[int]) -> Iterator[SqlFragment]:
    """The fragments; one that creates a table of an earlier one is another example, before which that is unknown.

    So is a table after an example that drops it or takes a column from it: the next one may show the table as it was.
    sections: the number of headings before each.
    """
    created: set[str] = set()
    changed: set[str] = set()
    previous = 0
    for fragment, section in zip(fragments, sections, strict=True):
        names = {match[1].replace("`", "").lower() for match in _CREATED.finditer(fragment.sql)}
        stand_ins = {name for name in created if section > previous and _STAND_INS.fullmatch(name) is not None}
        unknown = tuple(sorted((names & created) | changed | stand_ins))
        created |= names
        changed = {
            (match["altered"] or match["dropped"]).replace("`", "").lower()
            for match in _LOSES_COLUMNS.finditer(fragment.sql)
        }
        previous = section
        yield replace(fragment, side_effects=unknown) if unknown else fragment


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
