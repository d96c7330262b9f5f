"""The values of Python string literals, with the offset of each character.

`ast` gives the value of a literal but not the offsets of its characters (before Python 3.12 not even those of the
parts of an f-string), so the source text is scanned again.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.files.source_map import FragmentBuilder
from spark_iceberg_sql.lazy import regex

_OPENING = regex(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_BETWEEN_LITERALS = regex(r"(?:[ \t\f\r\n()]|\\\r?\n|#[^\r\n]*)+")
_LINE_END = regex(r"\r\n|\r|\n")
_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_CODED_ESCAPE = regex(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\}|([0-7]{1,3})")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# Placeholders of `%` and `.format()`.
_PERCENT = regex(r"%(?:\([^)]*\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[diouxXeEfFgGcrsa]")
_FORMAT = regex(r"\{[^{}]*\}")


def read_literals(
    text: str, start: int, end: int, builder: FragmentBuilder, *, format_char: str = "", is_exclusive: bool = True
) -> None:
    """Add the adjacent string literals of `text[start:end]` to a fragment.

    builder: of the fragment. format_char: `%` or `{` if the program formats the literals with it, so that their format
    fields become placeholders. is_exclusive: True if only this fragment uses the literals.
    """
    offset = start
    while offset < end:
        between = _BETWEEN_LITERALS.match(text, offset, end)
        if between is not None:
            offset = between.end()
            continue
        opening = _OPENING.match(text, offset, end)
        if opening is None:
            return
        builder.begin_literal(is_exclusive=is_exclusive)
        offset = _read_literal(text, opening, end, builder, format_char)


def _read_literal(text: str, opening: re.Match[str], end: int, builder: FragmentBuilder, format_char: str) -> int:
    prefix, quote = opening[1].lower(), opening[2]
    is_raw, is_f_string = "r" in prefix, "f" in prefix
    offset = opening.end()
    while offset < end and not text.startswith(quote, offset):
        char = text[offset]
        if is_f_string and char in "{}":
            offset = _read_brace(text, offset, end, builder)
        elif format_char and (placeholder := _read_placeholder(text, offset, format_char)) is not None:
            stop, value = placeholder
            if value is None:
                builder.add_placeholder(offset, stop, text[offset:stop])
            else:
                builder.add(value, offset, stop)
            offset = stop
        elif char == "\\" and not is_raw:
            stop, value = _read_escape(text, offset)
            builder.add(value, offset, stop)
            offset = stop
        elif char == "\r":  # Python reads every line break as \n
            stop = offset + (2 if text.startswith("\r\n", offset) else 1)
            builder.add("\n", offset, stop)
            offset = stop
        elif char == "\\":  # raw: a quote after it does not end the literal
            builder.add(char, offset, offset + 1)
            if text[offset + 1] in "'\"\\":
                builder.add(text[offset + 1], offset + 1, offset + 2)
                offset += 1
            offset += 1
        else:
            builder.add(char, offset, offset + 1)
            offset += 1
    return offset + len(quote)


def _read_escape(text: str, offset: int) -> tuple[int, str]:
    """The end of the escape at a backslash, and its value."""
    char = text[offset + 1]
    if char in _ESCAPES:
        return offset + 2, _ESCAPES[char]
    if (line_end := _LINE_END.match(text, offset + 1)) is not None:
        return line_end.end(), ""
    coded = _CODED_ESCAPE.match(text, offset + 1)
    if coded is None:
        return offset + 1, "\\"
    if coded[4] is not None:
        import unicodedata  # the command starts sooner

        return coded.end(), unicodedata.lookup(coded[4])
    code_point = int(coded[5], 8) if coded[5] is not None else int(coded[1] or coded[2] or coded[3], 16)
    return coded.end(), chr(code_point)


def _read_brace(text: str, offset: int, end: int, builder: FragmentBuilder) -> int:
    if text.startswith((text[offset] * 2), offset):
        builder.add(text[offset], offset, offset + 2)
        return offset + 2
    stop = _placeholder_end(text, offset, end)
    builder.add_placeholder(offset, stop, text[offset:stop])
    return stop


def _placeholder_end(text: str, offset: int, end: int) -> int:
    """The end of the replacement field at `offset`: brackets are matched, strings skipped."""
    closing_brackets: list[str] = []
    while offset < end:
        char = text[offset]
        if char in _CLOSING:
            closing_brackets.append(_CLOSING[char])
        elif closing_brackets and char == closing_brackets[-1]:
            closing_brackets.pop()
            if not closing_brackets:
                return offset + 1
        elif char in "'\"":
            quote = char * 3 if text.startswith(char * 3, offset) else char
            close = text.find(quote, offset + len(quote), end)
            offset = close + len(quote) - 1 if close >= 0 else end
        offset += 1
    return end


def _read_placeholder(text: str, offset: int, format_char: str) -> tuple[int, str | None] | None:
    """A format field: its end, and its text, or None for a placeholder."""
    char = text[offset]
    if format_char == "{" and char in "{}":
        if text.startswith(char * 2, offset):
            return offset + 2, char
        match = _FORMAT.match(text, offset)
    elif format_char == "%" and char == "%":
        if text.startswith("%%", offset):
            return offset + 2, "%"
        match = _PERCENT.match(text, offset)
    else:
        return None
    return (match.end(), None) if match is not None else None
