"""The tags of a template (Jinja, `${}`): start and end of each, outside of raw text and Jinja's strings."""

from __future__ import annotations

import re
from typing import NamedTuple

from spark_iceberg_sql.files.template_strings import STRING
from spark_iceberg_sql.lazy import regex

_OPENING = regex(r"\{[{%#]|\$\{")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}", "${": "}"}
_WITH_STRINGS = ("}}", "%}")
_IN_EXPRESSION = {closing: regex(rf"{STRING}|['\"]|{closing}", re.DOTALL) for closing in _WITH_STRINGS}
_LONGEST_STRING = 20_000  # an upper limit on the time for a text
RAW = regex(r"\{%[-+]?\s*raw\s*[-+]?%\}")
_END_RAW = regex(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_KEYWORD = regex(r"\{%[-+]?\s*(\w+)")


class Tag(NamedTuple):
    """A tag of a template. keyword: that of a `{% %}`, otherwise empty."""

    start: int
    end: int
    text: str
    keyword: str


def find_tags(text: str) -> list[Tag]:
    """The tags of a text, in order, none inside another; in linear time."""
    tag_list: list[Tag] = []
    # Keeps the search linear: without it, each of n unclosed tags would search the remaining text.
    missing_closings: set[str] = set()  # closing marks that do not occur any more
    offset = 0
    while (opening := _OPENING.search(text, offset)) is not None:
        start, closing = opening.start(), _CLOSING[opening.group()]
        close = -1 if closing in missing_closings else _closing_offset(text, closing, opening.end())
        if close < 0:
            missing_closings.add(closing)
            offset = opening.end()
            continue
        end = close + len(closing)
        tag_text = text[start:end]
        keyword = _KEYWORD.match(tag_text)
        word = keyword[1] if keyword is not None else ""
        if word == "raw" and RAW.fullmatch(tag_text) and "raw" not in missing_closings:
            end_raw = _END_RAW.search(text, end)
            if end_raw is None:
                missing_closings.add("raw")
            else:
                end = end_raw.end()
        # A `${` whose text spans lines or has another brace is no placeholder.
        elif closing == "}" and ("\n" in tag_text or "{" in tag_text[2:]):
            offset = opening.end()
            continue
        tag_list.append(Tag(start, end, text[start:end], word))
        offset = end
    return tag_list


def _closing_offset(text: str, closing: str, offset: int) -> int:
    """The offset of a tag's closing mark, outside of Jinja's strings; -1 if there is none."""
    first_closing = text.find(closing, offset)
    if first_closing < 0 or closing not in _WITH_STRINGS:
        return first_closing
    for match in _IN_EXPRESSION[closing].finditer(text, offset, first_closing + _LONGEST_STRING):
        if match.group() == closing:
            return match.start()
        if len(match.group()) == 1:
            break  # an unclosed quote
    return first_closing


def is_templated(text: str) -> bool:
    """True if a text contains any tag of a template engine."""
    return "{%" in text or "{{" in text or "${" in text or "{#" in text
