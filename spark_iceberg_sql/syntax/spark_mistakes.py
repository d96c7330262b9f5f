"""Ordinary mistakes in statements that Spark refuses: what it makes of another engine's words, and what to write.

In: Spark's condition with its parameters, and the statement's tokens. Out: one sentence, and where the text to write
takes the place of other text, the edit. One function per mistake; none of them judges a statement that Spark accepts.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from spark_iceberg_sql.model.procedures import BY_NAME
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind

# The help for a column beside an aggregate.
GROUP_BY_ALL = "write `GROUP BY ALL` after FROM and WHERE: it groups by every column that is not aggregated"
_FORMATS = ("parquet", "csv", "json", "orc", "avro")


class MistakeHelp(NamedTuple):
    """What to write. edit: the start and end of the text to replace, and the new text; None if it is not certain."""

    help: str
    edit: tuple[int, int, str] | None = None


class RefusedStatement(NamedTuple):
    """A statement that Spark refuses.

    condition: Spark's name for the error, such as PARSE_SYNTAX_ERROR. parameters: of its message. tokens: without
    trivia. text: the script that they are offsets of.
    """

    condition: str
    parameters: Mapping[str, Any]
    tokens: Sequence[Token]
    text: str


def help_of(refused: RefusedStatement) -> MistakeHelp | None:
    """The help for the first mistake that fits."""
    helps = (mistake(refused) for mistake in _MISTAKES.get(refused.condition.partition(".")[0], ()))
    return next((found_help for found_help in helps if found_help is not None), None)


def top(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT TOP 10`."""
    for i, token in enumerate(refused.tokens[:-2]):
        number = refused.tokens[i + 2]
        if (token.word, refused.tokens[i + 1].word) == ("SELECT", "TOP") and number.kind is TokenKind.NUMBER:
            return MistakeHelp(f"leave out `TOP {number.text}`, and write `LIMIT {number.text}` at the end")
    return None


def quoted_file(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM 'a.parquet'`."""
    for before, token in zip(refused.tokens, refused.tokens[1:], strict=False):
        if before.word in ("FROM", "JOIN") and token.kind in STRINGS:
            return MistakeHelp(f"read a file by its path: write {_file(token)}", (token.start, token.end, _file(token)))
    return None


def _file(token: Token) -> str:
    """A path in quotes as Spark reads it: by its ending, or as an Iceberg table."""
    path = token.text[1:-1]
    file_format = next((name for name in _FORMATS if re.search(rf"\.{name}(\.gz)?$", path.rstrip("/*"))), None)
    return f"iceberg('{path}')" if file_format is None else f"{file_format}.`{path}`"


def reading_function(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM read_parquet('a.parquet')`."""
    for i, token in enumerate(refused.tokens[:-3]):
        name, (bracket, path, end) = token.text.lower(), refused.tokens[i + 1 : i + 4]
        file_format = name.removeprefix("read_").removesuffix("_auto")
        is_call = (bracket.text, end.text) == ("(", ")") and path.kind in STRINGS
        if is_call and name.startswith("read_") and file_format in _FORMATS:
            call = f"{file_format}.`{path.text[1:-1]}`"
            return MistakeHelp(f"Spark reads a file by its format: write {call}", (token.start, end.end, call))
    return None


def at_time(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t AT (TIMESTAMP => ...)`."""
    tokens = refused.tokens
    for i, token in enumerate(tokens[:-4]):
        kind = tokens[i + 2].word
        if (token.word, tokens[i + 1].text) != ("AT", "(") or kind not in ("TIMESTAMP", "VERSION", "SNAPSHOT"):
            continue
        end = next((j for j in range(i + 3, len(tokens)) if tokens[j].text == ")"), None)
        start = next((j for j in range(i + 3, len(tokens)) if tokens[j].text not in ("=", ">", "=>", ":")), None)
        if start is not None and end is not None and start < end:
            value = refused.text[tokens[start].start : tokens[end - 1].end]
            clause = f"{'TIMESTAMP' if kind == 'TIMESTAMP' else 'VERSION'} AS OF {value}"
            return MistakeHelp(f"write `{clause}`", (token.start, tokens[end].end, clause))
    return None


def _python(refused: RefusedStatement) -> MistakeHelp | None:
    first = refused.tokens[0]
    code = refused.text[first.start : refused.tokens[-1].end]
    if not re.match(r"(import|from|def|for|print|with)\b|\w+\s*=[^=]|\w+(\.\w+)*\(|\w+(\.\w+)+$", code):
        return None
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return None
    return MistakeHelp("this is Python, not SQL: run it in a cell of its own, without the line of the magic")


def _view(refused: RefusedStatement) -> MistakeHelp | None:
    tokens = refused.tokens
    at = next((i for i, token in enumerate(tokens[:4]) if token.word == "VIEW"), None)
    if tokens[0].word != "CREATE" or at is None:
        return None
    start = tokens[at].start
    return MistakeHelp(
        "this catalog has no views: write `CREATE TEMPORARY VIEW`, or begin the name with `spark_catalog.default.`",
        (start, start, "TEMPORARY "),
    )


def _missing_group(refused: RefusedStatement) -> MistakeHelp | None:
    return MistakeHelp(GROUP_BY_ALL)


def _too_few_values(refused: RefusedStatement) -> MistakeHelp | None:
    columns, values = (
        re.findall(r"`((?:[^`]|``)*)`", str(refused.parameters.get(key, ""))) for key in ("tableColumns", "dataColumns")
    )
    missing = columns[len(values) :]
    if not missing or "NOT_ENOUGH" not in refused.condition:
        return None
    names = ", ".join(f"`{name}`" for name in missing)
    return MistakeHelp(f"there is no value for {names}: add one, such as NULL")


def _procedure(refused: RefusedStatement) -> MistakeHelp | None:
    tokens = refused.tokens
    end = next((i for i, token in enumerate(tokens) if token.text == "("), 0)
    if tokens[0].word != "CALL" or not end:
        return None
    name = tokens[end - 1]
    similar = difflib.get_close_matches(name.text.strip("`").lower(), BY_NAME, 1)
    if not similar or similar[0] == name.text.lower():
        return None
    return MistakeHelp(f"write `{similar[0]}`", (name.start, name.end, similar[0]))


def _argument(refused: RefusedStatement) -> MistakeHelp | None:
    proposals = re.findall(r"`([^`]*)`", str(refused.parameters.get("proposal", "")))
    token = argument_token(refused.parameters, refused.tokens)
    if token is None:
        return None
    similar = difflib.get_close_matches(token.text.strip("`").lower(), proposals, 1)
    return MistakeHelp(f"write `{similar[0]}`", (token.start, token.end, similar[0])) if similar else None


def argument_token(parameters: Mapping[str, Any], tokens: Sequence[Token]) -> Token | None:
    """The name before `=>` that a function or a procedure does not have; None if there is not exactly one like it.

    parameters: of Spark's message about it.
    """
    name = str(parameters.get("argumentName", "")).strip("`").lower()
    named = [
        token
        for token, arrow in pairwise(tokens)
        if token.text.strip("`").lower() == name and arrow.text.startswith("=")
    ]
    return named[0] if len(named) == 1 else None


_MISTAKES: dict[str, tuple[Callable[[RefusedStatement], MistakeHelp | None], ...]] = {
    "PARSE_SYNTAX_ERROR": (top, quoted_file, at_time, _python),
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": (reading_function,),
    "MISSING_CATALOG_ABILITY": (reading_function, _view),
    "UnsupportedOperationException": (_view,),
    "MISSING_GROUP_BY": (_missing_group,),
    "INSERT_COLUMN_ARITY_MISMATCH": (_too_few_values,),
    "FAILED_TO_LOAD_ROUTINE": (_procedure,),
    "ROUTINE_NOT_FOUND": (_procedure,),
    "UNRECOGNIZED_PARAMETER_NAME": (_argument,),
}
