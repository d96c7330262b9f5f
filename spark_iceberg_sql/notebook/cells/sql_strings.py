"""The SQL in a string that a Python cell passes to a function, as far as it is written: for completion."""

from __future__ import annotations

import re

# Functions whose string is SQL, and those whose string is the name of a table, after the session if they take one.
_SQL = ("sql", "explain", "spj", "plan", "check")
_TABLE = ("table", "describe", "tables", "health", "preview", "advise", "from_hive")
_CALL = re.compile(
    rf"\.(?P<function>{'|'.join((*_SQL, *_TABLE))})"
    r"""\(\s*(?:[A-Za-z_]\w*\s*,\s*)?[rRfF]{0,2}(?P<quote>"{3}|'{3}|["'])"""
)


def sql_in_string(code: str, offset: int) -> tuple[str, str] | None:
    """The SQL before and after an offset; None if the offset is not in such a string.

    code: a cell's Python. The name of a table is preceded by FROM, which is not in the string.
    """
    for call in reversed(list(_CALL.finditer(code, 0, offset))):
        end = _end_of_string(code, call.end(), call["quote"])
        if offset <= end:
            before = code[call.end() : offset]
            return (f"FROM {before}", "") if call["function"] in _TABLE else (before, code[offset:end])
    return None


def _end_of_string(code: str, start: int, quote: str) -> int:
    """The offset of the quotes that close a string, or of the end of its line, where it may not go on."""
    pattern = rf"(?:\\.|(?!{quote}).)*" if len(quote) == 3 else rf"(?:\\.|[^\\\n{quote}])*"
    match = re.compile(pattern, re.DOTALL).match(code, start)
    return match.end() if match is not None else start
