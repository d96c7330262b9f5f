"""The value of a string literal in SQL text."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex

_ESCAPE = regex(r"\\(u[0-9A-Fa-f]{4}|[0-3][0-7]{2}|.)", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unescape(text: str) -> str:
    """The content of a string literal: without quotes, with doubled quotes and backslash escapes resolved."""
    if text[0] in "rR":
        return text[2:-1]
    quote = text[0]
    content = text[1:-1].replace(quote * 2, quote) if quote * 2 in text[1:-1] else text[1:-1]
    return _ESCAPE.sub(_unescaped, content) if "\\" in content else content


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    if len(code) == 3:
        return chr(int(code, 8))
    return _ESCAPED.get(code, code)
