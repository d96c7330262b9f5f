"""The tags of a template (Jinja, `${}`): start and end of each, outside of raw text and Jinja's strings."""

from __future__ import annotations

import re
from typing import NamedTuple

from spark_iceberg_sql.files.template_strings import STRING
from spark_iceberg_sql.lazy import regex

_OPENING = regex(r"\{[{%#]|\$\{")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}", "${": "}"}
_WITH_STRINGS = ("}}", "%}")
_IN_EXPRESSION = {
    closing: regex(rf"{STRING}|['\"]|{closing}", re.DOTALL) for closing in _WITH_STRINGS
}
_LONGEST_STRING = 20_000  # an upper limit on the time for a text
RAW = regex(r"\{%[-+]?\s*raw\s*[-+]?%\}")
_END_RAW = regex(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_KEYWORD = regex(r"\{%[-+]?\s*(\w+)")


class Tag(NamedTuple):
    """A tag of a template. keyword: that of a `{% %}`, otherwise empty."""

    start: int
    end: int
    text: str
    word: str


def tags(text: str) -> list[Tag]:
    """The tags of a text, in order, none inside another; in linear time."""
    found: list[Tag] = []
    # Keeps the search linear: without it, each of n unclosed tags would search the remaining text.
    never: set[str] = set()  # closing marks that do not occur any more
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        start, closing = opening.start(), _CLOSING[opening.group()]
        close = -1 if closing in never else _close(text, closing, opening.end())
        if close < 0:
            never.add(closing)
            at = opening.end()
            continue
        end = close + len(closing)
        words = text[start:end]
        keyword = _KEYWORD.match(words)
        word = keyword[1] if keyword is not None else ""
        if word == "raw" and RAW.fullmatch(words) and "raw" not in never:
            end_raw = _END_RAW.search(text, end)
            if end_raw is None:
                never.add("raw")
            else:
                end = end_raw.end()
        # A `${` whose text spans lines or has another brace is no placeholder.
        elif closing == "}" and ("\n" in words or "{" in words[2:]):
            at = opening.end()
            continue
        found.append(Tag(start, end, text[start:end], word))
        at = end
    return found


def _close(text: str, closing: str, at: int) -> int:
    """The offset of a tag's closing mark, outside of Jinja's strings; -1 if there is none."""
    plain = text.find(closing, at)
    if plain < 0 or closing not in _WITH_STRINGS:
        return plain
    for found in _IN_EXPRESSION[closing].finditer(text, at, plain + _LONGEST_STRING):
        if found.group() == closing:
            return found.start()
        if len(found.group()) == 1:
            break  # an unclosed quote
    return plain


def is_templated(text: str) -> bool:
    """True if a text contains any tag of a template engine."""
    return "{%" in text or "{{" in text or "${" in text or "{#" in text
