"""DDL in a template's own strings: `{% set ddl = "ALTER TABLE ..." %}`, hooks, `run_query("...")`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.files.ddl import TABLE_DDL
from spark_iceberg_sql.files.python.string_literals import read_literals
from spark_iceberg_sql.files.source_map import FragmentBuilder, SqlFragment
from spark_iceberg_sql.lazy import regex

# A string literal of Jinja.
STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
STRINGS = regex(STRING, re.DOTALL)
# The rest of the expression if only the beginning of the statement is a literal.
_PARTITION = regex(r"\bpartition", re.IGNORECASE)
# A string that is a message, not SQL.
_MESSAGE = regex(r"\b(?:log|print|warn|raise_\w+|exception)\s*\(\s*$")
_CONCATENATION = regex(rf"\s*[~+]\s*(?:[\w.()\[\]]+\s*[~+]\s*)?(?={STRING})", re.DOTALL)
_TRAILING_EXPRESSION = regex(r"\s*[~+]\s*[\w.()\[\]]+")
_METHOD = regex(r"\s*\.\s*\w")
_FORMATTED = regex(r"\s*(?:(\.\s*format\b)|%\s*[^}]|\|\s*format\b)")


def ddl_in_strings(fragment: SqlFragment, start: int, end: int) -> Iterator[SqlFragment]:
    """The partition DDL in the string literals of a range of a fragment, one fragment each.

    fragment: the SQL. start, end: a tag of the template in it. An expression that is joined to a literal is a
    placeholder.
    """
    text, offset = fragment.sql, start
    while (string := STRINGS.search(text, offset, end)) is not None:
        offset = string.end()
        if not TABLE_DDL.match(string.group()[1:].lstrip()) or _MESSAGE.search(
            text[max(start, string.start() - 40) : string.start()]
        ):
            continue
        builder = FragmentBuilder(fragment.unit_index)
        format_char = _format_char(text, offset, end)
        read_literals(text, string.start(), offset, builder, format_char=format_char)
        while (concatenation := _CONCATENATION.match(text, offset, end)) is not None:
            joined_expression = concatenation.group().strip(" ~+")
            if joined_expression:
                builder.add_placeholder(offset, concatenation.end(), joined_expression)
            following = STRINGS.match(text, concatenation.end(), end)
            if following is None:
                break
            offset = following.end()
            if _METHOD.match(text, offset, end):  # `', '.join(fields)`
                builder.add_placeholder(concatenation.end(), offset, following.group())
                break
            read_literals(text, following.start(), offset, builder, format_char=format_char)
        trailing_expression = _TRAILING_EXPRESSION.match(text, offset, end)
        if trailing_expression is not None:
            builder.add_placeholder(offset, trailing_expression.end(), trailing_expression.group().strip(" ~+"))
            offset = trailing_expression.end()
        string_fragment = builder.build()
        if _PARTITION.search(string_fragment.sql):
            yield SqlFragment(
                string_fragment.sql,
                # Offsets of the built fragment are in the template's text; the outer fragment maps them to the file.
                [fragment.starts[i] for i in string_fragment.starts],
                [fragment.ends[i] for i in string_fragment.ends],
                string_fragment.placeholders,
                fragment.unit_index,
            )


def _format_char(text: str, offset: int, end: int) -> str:
    """The format character of the string that ends at an offset, as `read_literals` takes it."""
    match = _FORMATTED.match(text, offset, end)
    if match is None:
        return ""
    return "{" if match[1] else "%"
