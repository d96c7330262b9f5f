"""The values of Python string literals, with the offset of each character.

`ast` gives the value of a literal but not the offsets of its characters (before Python 3.12 not even those of the
parts of an f-string), so the source text is scanned again.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.files.source_map import PieceMaker
from spark_iceberg_sql.lazy import regex

_OPENING = regex(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_BETWEEN = regex(r"(?:[ \t\f\r\n()]|\\\r?\n|#[^\r\n]*)+")
_LINE_END = regex(r"\r\n|\r")
_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_CODED = regex(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]+)\}|([0-7]{1,3})")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# Placeholders of `%` and `.format()`.
_PERCENT = regex(r"%(?:\([^)]*\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[diouxXeEfFgGcrsa]")
_FORMAT = regex(r"\{[^{}]*\}")


def read_literals(
    text: str, start: int, end: int, into: PieceMaker, *, formatted: str = "", own: bool = True
) -> None:
    """Add the adjacent string literals of `text[start:end]` to a fragment.

    builder: of the fragment. format_char: `%` or `{` if the program formats the literals with it, so that
    their format fields become placeholders. is_exclusive: True if only this fragment uses the literals.
    """
    at = start
    while at < end:
        between = _BETWEEN.match(text, at, end)
        if between is not None:
            at = between.end()
            continue
        opening = _OPENING.match(text, at, end)
        if opening is None:
            return
        into.literal(own=own)
        at = _literal(text, opening, end, into, formatted)


def _literal(text: str, opening: re.Match[str], end: int, into: PieceMaker, formatted: str) -> int:
    prefix, quote = opening[1].lower(), opening[2]
    raw, f_string = "r" in prefix, "f" in prefix
    at = opening.end()
    while at < end and not text.startswith(quote, at):
        char = text[at]
        if f_string and char in "{}":
            at = _brace(text, at, end, into)
        elif formatted and (hole := _placeholder(text, at, formatted)) is not None:
            stop, value = hole
            if value is None:
                into.hole(at, stop, text[at:stop])
            else:
                into.add(value, at, stop)
            at = stop
        elif char == "\\" and not raw:
            stop, value = _escape(text, at)
            into.add(value, at, stop)
            at = stop
        elif char == "\r":  # Python reads every line break as \n
            stop = at + (2 if text.startswith("\r\n", at) else 1)
            into.add("\n", at, stop)
            at = stop
        elif char == "\\":  # raw: a quote after it does not end the literal
            into.add(char, at, at + 1)
            if text[at + 1] in "'\"\\":
                into.add(text[at + 1], at + 1, at + 2)
                at += 1
            at += 1
        else:
            into.add(char, at, at + 1)
            at += 1
    return at + len(quote)


def _escape(text: str, at: int) -> tuple[int, str]:
    """The end of the escape at a backslash, and its value."""
    char = text[at + 1]
    if char in _ESCAPES:
        return at + 2, _ESCAPES[char]
    line_end = _LINE_END.match(text, at + 1)
    if line_end is not None:
        return line_end.end(), ""
    if char == "\n":
        return at + 2, ""
    coded = _CODED.match(text, at + 1)
    if coded is None:
        return at + 1, "\\"
    if coded[4] is not None:
        import unicodedata  # the command starts sooner

        return coded.end(), unicodedata.lookup(coded[4])
    if coded[5] is not None:
        return coded.end(), chr(int(coded[5], 8))
    return coded.end(), chr(int(coded[1] or coded[2] or coded[3], 16))


def _brace(text: str, at: int, end: int, into: PieceMaker) -> int:
    if text.startswith((text[at] * 2), at):
        into.add(text[at], at, at + 2)
        return at + 2
    stop = _hole_end(text, at, end)
    into.hole(at, stop, text[at:stop])
    return stop


def _hole_end(text: str, at: int, end: int) -> int:
    """The end of the replacement field at `offset`: brackets are matched, strings skipped."""
    closing: list[str] = []
    while at < end:
        char = text[at]
        if char in _CLOSING:
            closing.append(_CLOSING[char])
        elif closing and char == closing[-1]:
            closing.pop()
            if not closing:
                return at + 1
        elif char in "'\"":
            quote = char * 3 if text.startswith(char * 3, at) else char
            close = text.find(quote, at + len(quote), end)
            at = close + len(quote) - 1 if close >= 0 else end
        at += 1
    return end


def _placeholder(text: str, at: int, formatted: str) -> tuple[int, str | None] | None:
    """A format field: its end, and its text, or None for a placeholder."""
    char = text[at]
    if formatted == "{" and char in "{}":
        if text.startswith(char * 2, at):
            return at + 2, char
        found = _FORMAT.match(text, at)
    elif formatted == "%" and char == "%":
        if text.startswith("%%", at):
            return at + 2, "%"
        found = _PERCENT.match(text, at)
    else:
        return None
    return (found.end(), None) if found is not None else None
