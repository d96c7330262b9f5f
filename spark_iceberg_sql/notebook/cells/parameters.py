"""Python variables in a cell's SQL: `{name}` and `:name` are passed to Spark as values, never inserted into the text.

`{name}` becomes `:name`, or the name of a temporary view if the variable is a DataFrame, with the same number of
characters, so that offsets in the text do not change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spark_iceberg_sql.notebook.cells.parameter_values import NoValueError, is_frame, is_value, to_plain
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, TRIVIA, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

# `VERSION AS OF` is followed by a literal.
_VERSIONS = ("VERSION", "SYSTEM_VERSION")
# These are followed by a name, which cannot be a value.
_BEFORE_NAMES = frozenset({"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "VIEW", "DESCRIBE", "DESC"})


class VariableError(Exception):
    """A variable that cannot be used. start, end: its span in the text."""

    def __init__(self, start: int, end: int, message: str, help: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message, self.help = start, end, message, help


@dataclass(frozen=True, slots=True)
class BoundSql:
    """A cell's SQL as Spark accepts it, with its variables bound.

    text: as long as the cell's. values: of parameters. frames: DataFrames of Spark or pandas, by the name of the
    temporary view for each.
    """

    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    frames: Mapping[str, Any] = field(default_factory=dict)


def bind(text: str, variables: Mapping[str, Any]) -> BoundSql:
    """A cell's SQL with its variables. Raises VariableError.

    variables: by name. Quoted text and comments are left alone, and so is `${name}`, which Spark substitutes. Spark
    decides whether a `:name` is a parameter (`a:b` is a path in a variant): every one that is a variable is passed.
    """
    for statement in statements(text):
        _refuse_raw_text(statement)
    tokens = [token for token in tokenize(text) if token.kind not in TRIVIA]
    values: dict[str, Any] = {}
    frames: dict[str, Any] = {}
    parts, offset = [], 0
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.text == ":" and token.kind is TokenKind.MARK and following is not None:
            name = following.text
            if following.kind is TokenKind.WORD and name in variables and is_value(variables[name]):
                values[name] = to_plain(name, variables[name])
        is_substitution = i and tokens[i - 1].text == "$" and tokens[i - 1].end == token.start
        if token.kind is not TokenKind.STRAY or token.text != "{" or token.start < offset or is_substitution:
            continue
        name, end = _braced_name(text, tokens, i)
        value = _value(name, token.start, end, variables)
        has_frame = is_frame(value)
        _refuse_name_part(text, tokens, i, end, value)
        words = [previous.word for previous in tokens[max(i - 3, 0) : i]]
        if words[-2:] == ["AS", "OF"] and words[0] in _VERSIONS and type(value) is int and f"_{name}" not in variables:
            # Spark writes an integer as `1L`, which is no version; a string is, in one more character.
            values[f"_{name}"] = str(value)
            parts += [text[offset : token.start], f":_{name}"]
            offset = end
            continue
        replacement = f"__{name}" if has_frame else f":{name} "
        (frames if has_frame else values)[f"__{name}" if has_frame else name] = value
        # Padded to the same length: offsets in the bound text are those of the cell's SQL.
        parts += [text[offset : token.start], replacement.ljust(end - token.start)]
        offset = end
    return BoundSql("".join([*parts, text[offset:]]), values, frames)


def restore_braces(text: str, cell_sql: str) -> str:
    """A text derived from the bound one, with the cell's braces put back.

    cell_sql: the cell's SQL. If it has both `:name` and `{name}`, a `:name` may become `{name}`, which means the same.
    """
    for name in dict.fromkeys(re.findall(r"\{(\w+)\}", cell_sql)):
        text = text.replace(f":_{name}", f"{{{name}}}")
        text = text.replace(f":{name} ", f"{{{name}}}").replace(f"__{name}", f"{{{name}}}")
    return text


def _braced_name(text: str, tokens: list[Token], i: int) -> tuple[str, int]:
    """The name in the braces that open at token i, and the token where they close."""
    start = tokens[i].start
    following = tokens[i + 1 : i + 3]
    if [t.text for t in following[1:]] == ["}"] and following[0].kind is TokenKind.WORD:
        if following[0].text.isidentifier() and following[1].end - start == len(following[0].text) + 2:
            return following[0].text, following[1].end
        if following[0].text.isidentifier():
            help_text = f"write `{{{following[0].text}}}`"
            raise VariableError(start, following[1].end, "braces hold a variable's name, without spaces", help_text)
    closing = text.find("}", start)
    end = closing + 1 if closing >= 0 else start + 1
    if text.startswith("{{", start):
        inner = text[start + 2 : closing].strip() if closing >= 0 else ""
        if text.startswith("}}", closing):
            end += 1
        help_text = f"write `{{{inner}}}`" if inner.isidentifier() else "write `{name}`"
        raise VariableError(start, end, "templates are not supported here", help_text)
    raise VariableError(
        start,
        end,
        f"`{text[start:end]}` is not a variable's name",
        "assign the value to a variable, and write `{name}`; quoted text may contain braces",
    )


def _value(name: str, start: int, end: int, variables: Mapping[str, Any]) -> Any:
    if name not in variables:
        raise VariableError(start, end, f"there is no Python variable `{name}`", suggestion_for(name, variables))
    value = variables[name]
    if is_frame(value):
        return value
    try:
        return to_plain(name, value)
    except NoValueError as error:
        raise VariableError(start, end, str(error), error.help) from None


# After these keywords, SET takes an expression or a name, not raw text.
_GRAMMAR = frozenset({"TIME", "VAR", "VARIABLE", "CATALOG", "PATH"})


def _refuse_raw_text(statement: Statement) -> None:
    """Raise VariableError for a variable in text that Spark stores unparsed, such as `SET x = {v}`."""
    if statement.first not in ("SET", "RESET", "ADD", "LIST"):
        return
    tokens = statement.tokens
    has_grammar = statement.first == "SET" and len(tokens) > 2 and tokens[1].word in _GRAMMAR
    if has_grammar and tokens[2].text not in (".", "="):  # otherwise it is a setting of that name
        return
    for previous, token, following in zip(tokens, tokens[1:], tokens[2:], strict=False):
        has_brace = token.text == "{" and token.kind is TokenKind.STRAY and previous.text != "$"
        has_colon = token.text == ":" and following.kind is TokenKind.WORD and token.end == following.start
        is_joined = previous.end == token.start and previous.text != "="
        if not has_brace and (not has_colon or is_joined):
            continue
        end = (statement.script.find("}", token.start) + 1 or token.end) if has_brace else following.end
        placeholder = statement.script[token.start : end]
        equals = next((t for t in tokens if t.text == "="), None)
        key = statement.script[tokens[1].start : equals.start].strip() if equals else ""
        is_setting = statement.first == "SET" and equals is not None and equals.start < token.start
        raise VariableError(
            token.start,
            end,
            f"{statement.first} takes no variables: Spark would take the text `{placeholder}` itself",
            f"in a Python cell: spark.conf.set({key!r}, {following.text})" if is_setting else "write the value itself",
        )


def suggestion_for(name: str, variables: Mapping[str, Any]) -> str:
    """The help for a variable that does not exist."""
    similar = similar_names(name, [v for v in variables if not v.startswith("_")])
    usable = [v for v in similar if is_frame(variables[v]) or is_value(variables[v])]
    return f"write `{{{usable[0]}}}`" if usable else f"assign it in a cell above: {name} = ..."


def _refuse_name_part(text: str, tokens: list[Token], i: int, end: int, value: Any) -> None:
    """Raise VariableError if a value is used as part of a name."""
    start = tokens[i].start
    previous = tokens[i - 1] if i else None
    is_joined = previous is not None and previous.end == start and previous.kind in NAME_KINDS
    is_qualified = text[start - 1 : start] == "." or text[end : end + 1] == "."
    is_continued = end < len(text) and (text[end].isalnum() or text[end] in "_`")
    name = text[start + 1 : end - 1]
    if is_joined or is_continued or is_qualified:
        raise VariableError(
            start,
            end,
            f"`{text[start:end]}` is a value and cannot be part of a name",
            f"put the whole name into a variable and write `IDENTIFIER({{{name}}})`",
        )
    if isinstance(value, str) and previous is not None and previous.word in _BEFORE_NAMES:
        raise VariableError(
            start,
            end,
            f"`{text[start:end]}` is a string, but a name is required here",
            f"write `{previous.text} IDENTIFIER({{{name}}})`",
        )
