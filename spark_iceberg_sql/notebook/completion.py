"""Completion in SQL cells: tables, columns, functions, transforms and partition fields of the live session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher
from pyspark.sql import SparkSession

from spark_iceberg_sql.editor.completion import suggestions
from spark_iceberg_sql.model.metadata_functions import NAMES as TABLE_FUNCTIONS
from spark_iceberg_sql.model.transforms import BY_FUNCTION
from spark_iceberg_sql.notebook.connect import is_remote
from spark_iceberg_sql.notebook.names import Names
from spark_iceberg_sql.notebook.options import OPTIONS
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_CELL = re.compile(r"\s*%%iceberg_sql\b[^\n]*\n")
_LINE = re.compile(r"%iceberg_sql\s+(?:--\w+\s+(?:\d+\s+)?)*")
_WORD = re.compile(r"[\w.`]*$")
_OPTION = re.compile(r"[-\w]*$")
_PLACES = frozenset(
    {"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "USING", "DESCRIBE", "DESC", "OVERWRITE", "IN"}
)
_Found = Iterator[tuple[str, str]]


class Completer:
    """The completer that IPython calls in SQL cells. shell: IPython's."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        # IPython identifies matchers by attributes, which a bound method cannot have.
        self.matches = context_matcher(identifier="iceberg_sql")(
            lambda context: self._matches(context)
        )

    def _matches(self, context: CompletionContext) -> dict[str, Any]:
        before = _sql(context)
        if before is None:
            return {"completions": []}
        text, rest = before
        shape = _OPTION if text.lstrip().startswith("%%iceberg_sql") else _WORD
        word = (shape.search(text) or [""])[0]
        try:
            offered = dict(self._offered(text, rest, word))
        except Exception:  # completion never raises: a stopped session completes nothing
            offered = {}
        last = word.rpartition(".")[2].strip("`").lower()
        found = [
            SimpleCompletion(text=insert, type=kind)
            for insert, kind in offered.items()
            if insert.strip("`").lower().startswith(last)
        ]
        return {
            "completions": found,
            "suppress": True,
            "ordered": True,
            "matched_fragment": word.rpartition(".")[2],
        }

    def _offered(self, text: str, rest: str, word: str) -> _Found:
        if re.search(r"%%iceberg_sql[^\n]*$", text):
            yield from ((option, "option") for option in OPTIONS)
            return
        spark = self._shell.user_ns.get("spark")
        if not isinstance(spark, SparkSession) and not is_remote(spark):
            spark = SparkSession.getActiveSession()
        if spark is None:
            return
        names = Names(spark)
        whole = text + rest
        statement = _statement(whole, len(text))
        typed = text[statement.head if statement else 0 : len(text) - len(word)]
        before = [token for token in tokenize(typed) if token.kind not in TRIVIA]
        previous = before[-1].word if before else ""
        if previous in _PLACES:
            yield from _tables(names, word)
            return
        if statement is None or is_remote(spark):
            return
        words = [token.word for token in before]
        if previous == "FIELD" and len(words) > 1 and words[-3:-2] in (["DROP"], ["REPLACE"]):
            for table in names.tables_of(statement.tokens):
                fields = table.specs.spec.fields if table.specs is not None else ()
                yield from ((field.name, "partition field") for field in fields)
            return
        known = SessionTables(spark, intercept.own_sql(spark))
        found = suggestions(whole, statement, len(text) - len(word), known)
        if found:
            yield from ((s.insert if not s.snippet else s.label, s.kind) for s in found)
            return
        for table in names.tables_of(statement.tokens):
            for field in table.schema.fields if table.schema is not None else ():
                yield field.name, str(field.type)
        if "." not in word:
            yield from ((name, "function") for name in (*BY_FUNCTION, *TABLE_FUNCTIONS))


def _tables(names: Names, word: str) -> _Found:
    above = tuple(part.strip("`") for part in word.split(".")[:-1])
    if not above:
        yield from ((name, "catalog") for name in names.catalogs())
    yield from ((name, "namespace") for name in (names.namespaces(above) if above else ()))
    yield from ((name, "table") for name in names.tables(above))
    if not above:
        yield from ((name, "table function") for name in TABLE_FUNCTIONS)


def _sql(context: CompletionContext) -> tuple[str, str] | None:
    """The SQL before and after the cursor; None if the cursor is not in SQL."""
    lines = context.full_text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: context.cursor_line]) + context.cursor_position
    cell = _CELL.match(context.full_text)
    if cell is not None and cell.end() <= offset:
        return context.full_text[cell.end() : offset], context.full_text[offset:]
    if context.full_text.lstrip().startswith("%%iceberg_sql"):
        return context.full_text[:offset], ""
    current = lines[context.cursor_line][: context.cursor_position]
    line = _LINE.search(current)
    return (current[line.end() :], "") if line is not None else None


def _statement(text: str, offset: int) -> Statement | None:
    """The statement that contains an offset."""
    return next((s for s in statements(text) if s.head <= offset <= s.tail), None)
