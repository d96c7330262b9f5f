"""Python variables in a cell's SQL: `{name}` and `:name` are passed to Spark as values, never inserted into the text.

`{name}` becomes `:name`, or the name of a temporary view if the variable is a DataFrame, with the same number of
characters, so that offsets in the text do not change.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spark_iceberg_sql.notebook.values import NoValueError, is_frame, is_value, plain
from spark_iceberg_sql.syntax.lexer import TRIVIA, Kind, Token, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

# These are followed by a name, which cannot be a value.
_BEFORE_NAMES = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "VIEW", "DESCRIBE", "DESC"})


class VariableError(Exception):
    """A variable that cannot be used. start, end: its span in the text."""

    def __init__(self, start: int, end: int, message: str, help: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message, self.help = start, end, message, help


@dataclass(frozen=True, slots=True)
class Filled:
    """A cell's SQL as Spark accepts it, with its variables bound.

    text: as long as the cell's. values: of parameters. frames: DataFrames of Spark or pandas, by the name of
    the temporary view for each.
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
    for statement in statements(text):
        _refuse_in_raw_text(statement)
    tokens = [token for token in tokenize(text) if token.kind not in TRIVIA]
    values: dict[str, Any] = {}
    frames: dict[str, Any] = {}
    pieces, at = [], 0
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.text == ":" and token.kind is Kind.MARK and following is not None:
            name = following.text
            if following.kind is Kind.WORD and name in variables and is_value(variables[name]):
                values[name] = plain(name, variables[name])
        if token.kind is not Kind.STRAY or token.text != "{" or token.start < at:
            continue
        if i and tokens[i - 1].text == "$" and tokens[i - 1].end == token.start:
            continue
        name, end = _named(text, tokens, i)
        value = _value(name, token.start, end, variables)
        framed = is_frame(value)
        _in_its_place(text, tokens, i, end, value)
        instead = f"__{name}" if framed else f":{name} "
        (frames if framed else values)[f"__{name}" if framed else name] = value
        # Padded to the same length: offsets in the bound text are those of the cell's SQL.
        pieces += [text[at : token.start], instead.ljust(end - token.start)]
        at = end
    return Filled("".join([*pieces, text[at:]]), values, frames)


def unfilled(text: str, written: str) -> str:
    """A text derived from the bound one, with the cell's braces put back.

    cell_sql: the cell's SQL. If it has both `:name` and `{name}`, a `:name` may become `{name}`, which means
    the same.
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
    if is_frame(value):
        return value
    try:
        return plain(name, value)
    except NoValueError as error:
        raise VariableError(start, end, str(error), error.help) from None


# After these keywords, SET takes an expression or a name, not raw text.
_GRAMMAR = frozenset({"TIME", "VAR", "VARIABLE", "CATALOG", "PATH"})


def _refuse_in_raw_text(statement: Statement) -> None:
    """Raise VariableError for a variable in text that Spark stores unparsed, such as `SET x = {v}`."""
    if statement.first not in ("SET", "RESET", "ADD", "LIST"):
        return
    tokens = statement.tokens
    worded = statement.first == "SET" and len(tokens) > 2 and tokens[1].word in _GRAMMAR
    if worded and tokens[2].text not in (".", "="):  # otherwise it is a setting of that name
        return
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        braced = token.text == "{" and token.kind is Kind.STRAY and before.text != "$"
        marked = token.text == ":" and after.kind is Kind.WORD and token.end == after.start
        glued = before.end == token.start and before.text != "="
        if not braced and (not marked or glued):
            continue
        end = statement.script.find("}", token.start) + 1 if braced else after.end
        end = end or token.end
        written = statement.script[token.start : end]
        equals = next((t for t in tokens if t.text == "="), None)
        key = statement.script[tokens[1].start : equals.start].strip() if equals else ""
        setting = statement.first == "SET" and equals is not None and equals.start < token.start
        raise VariableError(
            token.start,
            end,
            f"{statement.first} takes no variables: Spark would take the text `{written}` itself",
            f"in a Python cell: spark.conf.set({key!r}, {after.text})"
            if setting
            else "write the value itself",
        )


def near(name: str, variables: Mapping[str, Any]) -> str:
    """The help for a variable that does not exist."""
    alike = difflib.get_close_matches(name, [v for v in variables if not v.startswith("_")])
    found = [v for v in alike if is_frame(variables[v]) or is_value(variables[v])]
    return f"write `{{{found[0]}}}`" if found else f"assign it in a cell above: {name} = ..."


def _in_its_place(text: str, tokens: list[Token], i: int, end: int, value: Any) -> None:
    """Raise VariableError if a value is used as part of a name."""
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
