"""Spark's errors as diagnostics: one sentence, the span in the cell, the help and, where it is safe, a fix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.notebook import parameters, values
from spark_iceberg_sql.notebook.cell import Cell
from spark_iceberg_sql.notebook.names import Names, value_of
from spark_iceberg_sql.notebook.places import place
from spark_iceberg_sql.notebook.spark_errors import Said, said
from spark_iceberg_sql.syntax import clickhouse
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.script import Statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KEYWORDS =(
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "INSERT", "INTO", "VALUES",
    "UPDATE", "DELETE", "MERGE", "CREATE", "TABLE", "ALTER", "DROP", "PARTITIONED", "USING",
    "DESCRIBE", "SHOW", "WITH", "JOIN", "UNION", "DISTINCT", "BETWEEN", "EXPLAIN", "CALL",
    "NAMESPACE", "REPLACE", "TRUNCATE",
)  # fmt: skip
_STARTS = frozenset(
    (
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "MERGE",
        "CREATE",
        "ALTER",
        "DROP",
        "DESCRIBE",
        "SHOW",
        "WITH",
        "CALL",
        "EXPLAIN",
        "USE",
        "SET",
    )
)
_READS = frozenset(
    ("SELECT", "FROM", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "USE", "(")
)
_WRITES = frozenset(("INSERT", "OVERWRITE", "DELETE", "UPDATE", "MERGE"))
_ADVICE = re.compile(r"^(?:Use|Add|Please|Change|Correct|To) ")
_WRITE = re.compile(r"[,;:] write (?P<call>\w+\(.*\))$")


def found(
    spark: SparkSession,
    error: BaseException,
    cell: Cell,
    statement: Statement,
    variables: Mapping[str, Any],
) -> list[Diagnostic]:
    """The diagnostics of an error about a statement of a cell.

    statement: with offsets into the cell's SQL. variables: Python variables, by name.
    """
    report = error.report if isinstance(error, IcebergSqlError) else None
    if report is not None and report.diagnostics:
        return [_moved(d, cell, statement) for d in report.diagnostics]
    words = said(error)
    span = place(words, statement)
    help, edit = _help(Names(spark), words, statement, span, variables)
    if words.condition == "UNBOUND_SQL_PARAMETER" and _is_mark(statement, span):
        words = replace(words, sentence="`?` has no value")
    fix = Fix("rewrite", (edit,)) if edit is not None else None
    return [cell.finding(words.condition, words.sentence, span, help, fix)]


def _moved(d: Diagnostic, cell: Cell, statement: Statement) -> Diagnostic:
    """A diagnostic on the statement, moved to the cell's SQL; without its fix, which is for another text."""
    start = min(statement.start + d.span.start, statement.end)
    end = min(statement.start + d.span.end, statement.end)
    return cell.finding(d.code, d.message, (start, max(start, end)), d.help)


def _is_mark(statement: Statement, span: tuple[int, int]) -> bool:
    return statement.script[span[0] : span[1]] == "?"


_Help = tuple[str | None, Edit | None]


def _help(
    names: Names,
    words: Said,
    statement: Statement,
    span: tuple[int, int],
    variables: Mapping[str, Any],
) -> _Help:
    kind = words.condition.partition(".")[0]
    parameters_of = words.parameters
    if kind in ("UNRESOLVED_ROUTINE", "ROUTINE_NOT_FOUND"):
        return _function(names, words, statement, span)
    if kind == "UNRESOLVED_COLUMN":
        return _column(names, words, statement, span)
    if kind in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"):
        return _table(names, words, statement, span, variables)
    if kind == "UNBOUND_SQL_PARAMETER":
        name = str(parameters_of.get("name", ""))
        if _is_mark(statement, span):
            return "write `{name}`, with the name of a Python variable", None
        if name in variables:
            if values.is_frame(variables[name]):
                return f"write `{{{name}}}`, since it is a DataFrame", None
            try:
                values.plain(name, variables[name])
            except values.NoValueError as error:
                return f"{error}: {error.help}", None
        return parameters.near(name, variables).replace("{", ":").replace("}", ""), None
    if kind == "PARSE_SYNTAX_ERROR":
        return _syntax(statement, span)
    if kind == "UNRECOGNIZED_PARAMETER_NAME":
        given = str(parameters_of.get("argumentName", "")).strip("`")
        near = difflib.get_close_matches(given, _quoted(parameters_of), 1)
        return (f"write `{near[0]}`" if near else advice(words)), None
    if written := _WRITE.search(words.sentence):
        return f"write `{written['call']}`", _replaced(statement, span, written["call"])
    return advice(words), None


def advice(words: Said) -> str | None:
    """The help in an error's own message: the sentence with the text to write, or else the first one."""
    advised = [sentence for sentence in words.more if _ADVICE.match(sentence)]
    advised.sort(key=lambda sentence: "`" not in sentence)
    return advised[0][0].lower() + advised[0][1:].rstrip(".") if advised else None


def _replaced(statement: Statement, span: tuple[int, int], text: str) -> Edit | None:
    """The edit that replaces a complete call or name with a text."""
    old = statement.script[span[0] : span[1]]
    return Edit(*span, text) if old != text and ("(" in old) == ("(" in text) else None


def _likely(near: str, edit: Edit | None, statement: Statement) -> _Help:
    """The help for a name similar to one that does not exist. Where the statement writes, it only asks: the
    intended table may be missing, and the similar one may hold data that must stay.
    """
    words = [token.word for token in statement.tokens]
    if words[0] in _READS and _WRITES.isdisjoint(words):
        return f"write `{near}`", edit
    return f"did you mean `{near}`?", None


def _quoted(parameters_of: Mapping[str, Any]) -> list[str]:
    """The names that Spark suggests, without their backticks."""
    return re.findall(r"`([^`]*)`", str(parameters_of.get("proposal", "")))


def _function(names: Names, words: Said, statement: Statement, span: tuple[int, int]) -> _Help:
    name = str(words.parameters.get("routineName", "")).replace("`", "").rpartition(".")[2]
    call = statement.script[span[0] : span[1]]
    ours = names.function_like(name)
    if ours is not None:
        if ours == name.lower():
            return "install the functions in this session: sis.install(spark)", None
        written = names.call(ours, call)
        if written is not None:
            return f"write `{written}`", _replaced(statement, span, written)
        return f"write `{ours}(...)`", None
    near = names.builtin_like(name)
    if near is None:
        return None, None
    start = span[0] + call.lower().find(name.lower())
    edit = Edit(start, start + len(name), near) if call.lower().startswith(name.lower()) else None
    return _likely(near, edit, statement)


def _column(names: Names, words: Said, statement: Statement, span: tuple[int, int]) -> _Help:
    name = str(words.parameters.get("objectName", "")).replace("`", "").rpartition(".")[2]
    field = names.partition_field(statement, name)
    if field is not None:
        help = f"`{name}` is a partition field, not a column: filter on `{field.source}`, which also prunes"
        return f"{help}; its values are `{value_of(field)}`", None
    offered = _quoted(words.parameters)
    last = {proposal.rpartition(".")[2]: proposal for proposal in offered}
    near = difflib.get_close_matches(name, last, 1, 0.6)
    if near:
        old = statement.script[span[0] : span[1]]
        edit = Edit(span[1] - len(name), span[1], near[0]) if old.endswith(name) else None
        return _likely(near[0], edit, statement)
    columns = ", ".join(f"`{proposal}`" for proposal in list(last)[:6])
    return (f"the columns are {columns}" if columns else None), None


def _table(
    names: Names,
    words: Said,
    statement: Statement,
    span: tuple[int, int],
    variables: Mapping[str, Any],
) -> _Help:
    given = words.parameters.get("relationName") or words.parameters.get("schemaName") or ""
    parts = tuple(re.findall(r"`((?:[^`]|``)*)`", str(given)))
    if len(parts) == 1 and values.is_frame(variables.get(parts[0])):
        written = f"{{{parts[0]}}}"
        there = statement.script[span[0] : span[1]].strip("`") == parts[0]
        help = f"`{parts[0]}` is a Python variable: write `{written}`"
        return help, Edit(*span, written) if there else None
    if len(parts) == 1 and re.match(r"/|\w+://", parts[0]):
        return f"read a table by its path: write `iceberg('{parts[0]}')`", None
    near = names.table_like(parts, statement.script[span[0] : span[1]])
    if near is None:
        return None, None
    whole = (
        span[1] - span[0] > 0 and "table" in words.condition.lower() and _is_name(statement, span)
    )
    return _likely(near, Edit(*span, near) if whole else None, statement)


def _is_name(statement: Statement, span: tuple[int, int]) -> bool:
    tokens = [t for t in statement.tokens if span[0] <= t.start and t.end <= span[1]]
    return (
        len(tokens) % 2 == 1
        and all(t.text == "." for t in tokens[1::2])
        and tokens[0].word not in _STARTS
    )


def _syntax(statement: Statement, span: tuple[int, int]) -> _Help:
    tokens = statement.tokens
    at = next((i for i, t in enumerate(tokens) if t.start >= span[0]), len(tokens) - 1)
    if [t.word for t in tokens[:2]] == ["INSERT", "INTO"] and "FUNCTION" in (
        t.word for t in tokens[2:4]
    ):
        return clickhouse.INTO_FUNCTION, None
    token = tokens[at]
    line = statement.script[statement.script.rfind("\n", 0, token.start) + 1 : token.start]
    if at and not line.strip() and token.word in _STARTS:
        end = tokens[at - 1].end
        # Without its WHERE, it may change every row.
        if not _WRITES.isdisjoint(t.word for t in tokens[:at]):
            return "end the statement before it with `;`, if that is its end", None
        return "end the statement before it with `;`", Edit(end, end, ";")
    for comma, word in pairwise(tokens[: at + 1]):
        if (comma.text, word.word) == (",", "FROM"):  # Spark reads FROM as a column
            return "leave out the `,` before FROM", Edit(comma.start, comma.end, "")
    for word in (token, *tokens[max(0, at - 1) : at]):
        if near := _keyword(word):
            return f"write `{near}`", Edit(word.start, word.end, near)
    return None, None


def _keyword(token: Token) -> str | None:
    if token.kind is not Kind.WORD or token.word in _KEYWORDS:
        return None
    near = difflib.get_close_matches(token.word, _KEYWORDS, 1, 0.75)
    return near[0] if near else None
