"""Python variables in a cell's SQL: `{name}` and `:name` are passed to Spark as values, never inserted into the text.

`{name}` becomes `:name`, or the name of a temporary view if the variable is a DataFrame, with the same number of
characters, so that offsets in the text do not change.
"""

from __future__ import annotations

import datetime
import decimal
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from spark_iceberg_sql.syntax.lexer import TRIVIA, Kind, Token, tokenize

_VALUES = (
    *(bool, int, float, str, bytes, bytearray, decimal.Decimal, type(None)),
    *(datetime.date, datetime.time, datetime.timedelta),
)
# These are followed by a name, which cannot be a value.
_BEFORE_NAMES = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "VIEW", "DESCRIBE", "DESC"})


class VariableError(Exception):
    """A variable that cannot be used. start, end: its span in the text."""

    def __init__(self, start: int, end: int, message: str, help: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message, self.help = start, end, message, help


@dataclass(frozen=True, slots=True)
class Filled:
    """A text as Spark accepts it.

    text: as long as the cell's. values: of parameters. frames: DataFrames of Spark or pandas, by the name of the
    temporary view for each.
    """

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Any] = field(default_factory=dict)


def filled(text: str, variables: Mapping[str, Any]) -> Filled:
    """A cell's SQL with its variables. Raises VariableError.

    variables: by name. Quoted text and comments are left alone, and so is `${name}`, which Spark substitutes. Spark
    decides whether a `:name` is a parameter (`a:b` is a path in a variant): every one that is a variable is
    passed.
    """
    tokens = [token for token in tokenize(text) if token.kind not in TRIVIA]
    values: dict[str, Any] = {}
    frames: dict[str, Any] = {}
    pieces, at = [], 0
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.text == ":" and token.kind is Kind.MARK and following is not None:
            name = following.text
            if following.kind is Kind.WORD and name in variables and is_value(variables[name]):
                values[name] = plain(variables[name])
        if token.kind is not Kind.STRAY or token.text != "{" or token.start < at:
            continue
        if i and tokens[i - 1].text == "$" and tokens[i - 1].end == token.start:
            continue
        name, end = _named(text, tokens, i)
        value = _value(name, token.start, end, variables)
        instead = f"__{name}" if is_frame(value) else f":{name} "
        _in_its_place(text, tokens, i, end, value)
        (frames if is_frame(value) else values)[f"__{name}" if is_frame(value) else name] = (
            value if is_frame(value) else plain(value)
        )
        pieces += [text[at : token.start], instead.ljust(end - token.start)]
        at = end
    return Filled("".join([*pieces, text[at:]]), values, frames)


def unfilled(text: str, written: str) -> str:
    """A text derived from the filled one, with the cell's braces put back.

    written: the cell's SQL. If it has both `:name` and `{name}`, a `:name` may become `{name}`, which means the same.
    """
    for name in dict.fromkeys(re.findall(r"\{(\w+)\}", written)):
        text = text.replace(f":{name} ", f"{{{name}}}").replace(f"__{name}", f"{{{name}}}")
    return text


def _named(text: str, tokens: list[Token], i: int) -> tuple[str, int]:
    """The name in the braces that open at token i, and the token where they close."""
    start = tokens[i].start
    rest = tokens[i + 1 : i + 3]
    if [t.text for t in rest[1:]] == ["}"] and rest[0].kind is Kind.WORD:
        if rest[0].text.isidentifier() and rest[1].end - start == len(rest[0].text) + 2:
            return rest[0].text, rest[1].end
        if rest[0].text.isidentifier():
            wanted = f"write `{{{rest[0].text}}}`"
            raise VariableError(
                start, rest[1].end, "braces hold a variable's name, without spaces", wanted
            )
    closing = text.find("}", start)
    end = closing + 1 if closing >= 0 else start + 1
    if text.startswith("{{", start):
        inner = text[start + 2 : closing].strip() if closing >= 0 else ""
        if text.startswith("}}", closing):
            end += 1
        wanted = f"write `{{{inner}}}`" if inner.isidentifier() else "write `{name}`"
        raise VariableError(start, end, "templates are not supported here", wanted)
    raise VariableError(
        start,
        end,
        f"`{text[start:end]}` is not a variable's name",
        "assign the value to a variable, and write `{name}`; quoted text may contain braces",
    )


def _value(name: str, start: int, end: int, variables: Mapping[str, Any]) -> Any:
    if name not in variables:
        raise VariableError(
            start, end, f"there is no Python variable `{name}`", near(name, variables)
        )
    value = variables[name]
    if not is_value(value) and not is_frame(value):
        raise VariableError(start, end, not_a_value(name, value), NO_VALUE)
    return value


NO_VALUE = "use a number, text, date, timestamp, list, dict or DataFrame"


def not_a_value(name: str, value: Any) -> str:
    """The message for a variable that has no SQL type."""
    return f"the variable `{name}` has the Python type {type(value).__name__}, which cannot be passed to SQL"


def near(name: str, variables: Mapping[str, Any]) -> str:
    """What to write for a variable that does not exist."""
    known = [v for v, value in variables.items() if is_value(value) or is_frame(value)]
    found = difflib.get_close_matches(name, [v for v in known if not v.startswith("_")], 1)
    return f"write `{{{found[0]}}}`" if found else f"assign it in a cell above: {name} = ..."


def _in_its_place(text: str, tokens: list[Token], i: int, end: int, value: Any) -> None:
    """Raises VariableError if a value is used as part of a name."""
    start = tokens[i].start
    before = tokens[i - 1] if i else None
    glued = before is not None and before.end == start and before.kind in (Kind.WORD, Kind.QUOTED)
    dotted = text[start - 1 : start] == "." or text[end : end + 1] == "."
    grows = end < len(text) and (text[end].isalnum() or text[end] in "_`")
    name = text[start + 1 : end - 1]
    if glued or grows or dotted:
        raise VariableError(
            start,
            end,
            f"`{text[start:end]}` is a value and cannot be part of a name",
            f"put the whole name into a variable and write `IDENTIFIER({{{name}}})`",
        )
    if isinstance(value, str) and before is not None and before.word in _BEFORE_NAMES:
        raise VariableError(
            start,
            end,
            f"`{text[start:end]}` is a string, but a name is required here",
            f"write `{before.text} IDENTIFIER({{{name}}})`",
        )


def is_frame(value: Any) -> bool:
    """Whether a variable is a DataFrame of Spark or pandas."""
    return isinstance(value, DataFrame) or _from(value, "pandas", "DataFrame")


def is_value(value: Any) -> bool:
    """Whether a variable can be a parameter."""
    if isinstance(value, list | tuple):
        return all(map(is_value, value))
    if isinstance(value, dict):
        return all(is_value(v) for item in value.items() for v in item)
    return isinstance(value, _VALUES) or _is_numpys(value)


def plain(value: Any) -> Any:
    """A value as Spark accepts it: numpy values as Python's, tuples as lists."""
    if _is_numpys(value):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    if _from(value, "pandas", "Timestamp"):
        return value.to_pydatetime()
    return value


def _is_numpys(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "tolist")


def _from(value: Any, package: str, name: str) -> bool:
    kind = type(value)
    return kind.__name__ == name and kind.__module__.partition(".")[0] == package


def parameter_at(text: str, start: int) -> Iterator[str]:
    """The name of the parameter that starts at an offset, if there is one."""
    for token in tokenize(text[start : start + 300])[1:2]:
        if token.kind is Kind.WORD:
            yield token.text
