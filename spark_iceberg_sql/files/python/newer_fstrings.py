"""F-strings and t-strings of Python 3.12 to 3.14, rewritten so that an older Python reads them (PEP 701, PEP 750).

A replacement field that reuses the quotes of its string, or holds a backslash or a comment, becomes a name of the same
length: every offset in the program stays as it is, and the field is a placeholder of the SQL either way.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex

_TOKEN = regex(r"#[^\r\n]*|([A-Za-z]{0,2})('''|\"\"\"|'|\")|\w+")
_FORMATTED = regex(r"(?:[ft]r?|r[ft])", re.IGNORECASE)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def with_older_fstrings(text: str) -> str:
    """The program with the fields that only a newer Python reads replaced by names, and `t` by `f` before a string."""
    chars = list(text)
    offset = 0
    while (token := _TOKEN.search(text, offset)) is not None:
        offset = token.end()
        if token[2] is None:
            continue
        if _FORMATTED.fullmatch(token[1]) is None:
            offset = _string_end(text, token)
            continue
        for index in range(token.start(1), token.end(1)):
            chars[index] = {"t": "f", "T": "F"}.get(chars[index], chars[index])
        offset, fields = _read_fields(text, token)
        for start, end in fields:
            if _is_newer(text[start:end], token[2]):
                # `!r` and `:>10` go with the rest of the field: the value is unknown anyway.
                chars[start:end] = "_" * (end - start)
    return "".join(chars)


def _is_newer(field: str, quote: str) -> bool:
    """True if an older Python refuses a field. One with a line break stays: lines may not move."""
    return not set("\r\n") & set(field) and (quote[0] in field or "\\" in field or "#" in field)


def _string_end(text: str, opening: re.Match[str]) -> int:
    """The offset after a plain string; the end of the text if it is open."""
    offset = opening.end()
    while offset < len(text) and not text.startswith(opening[2], offset):
        offset += 2 if text[offset] == "\\" else 1
    return min(offset + len(opening[2]), len(text))


def _read_fields(text: str, opening: re.Match[str]) -> tuple[int, list[tuple[int, int]]]:
    """The offset after a formatted string, and the ranges inside the brackets of its replacement fields."""
    offset, fields = opening.end(), []
    while offset < len(text) and not text.startswith(opening[2], offset):
        if text.startswith(("{{", "}}"), offset):
            offset += 2
        elif text.startswith("\\N{", offset) and "r" not in opening[1].lower():
            offset = text.find("}", offset) + 1 or len(text)
        elif text[offset] == "{":
            end = _field_end(text, offset)
            fields.append((offset + 1, end))
            offset = end + 1
        else:
            offset += 2 if text[offset] == "\\" else 1
    return min(offset + len(opening[2]), len(text)), fields


def _field_end(text: str, offset: int) -> int:
    """The offset of the bracket that closes the field that begins at an offset; strings in it are skipped."""
    closing: list[str] = []
    while offset < len(text):
        char = text[offset]
        if char in _CLOSING:
            closing.append(_CLOSING[char])
        elif closing and char == closing[-1]:
            closing.pop()
            if not closing:
                return offset
        elif char in "'\"":
            token = _TOKEN.match(text, offset)
            assert token is not None
            offset = _string_end(text, token) - 1
        offset += 1
    return offset
