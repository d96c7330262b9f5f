"""Completion in SQL cells and strings: the live session's tables, columns, functions, transforms, partition fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher
from pyspark.sql import SparkSession

from spark_iceberg_sql.editor.sql_completion import suggestions
from spark_iceberg_sql.model.functions.metadata_functions import NAMES as TABLE_FUNCTIONS
from spark_iceberg_sql.model.transforms import BY_FUNCTION
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.notebook.cells.magic_options import OPTIONS
from spark_iceberg_sql.notebook.cells.sql_strings import sql_in_string
from spark_iceberg_sql.notebook.session_names import SessionNames
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_CELL = re.compile(r"\s*%%iceberg_sql\b[^\n]*\n")
_LINE = re.compile(r"%iceberg_sql\s+(?:--\w+\s+(?:\d+\s+)?)*")
_WORD = re.compile(r"[\w.`]*$")
_OPTION = re.compile(r"[-\w]*$")
_TABLE_KEYWORDS = frozenset(
    {"FROM", "JOIN", "INTO", "TABLE", "TABLES", "UPDATE", "USING", "DESCRIBE", "DESC", "OVERWRITE", "IN"}
)
_Suggestions = Iterator[tuple[str, str]]


class Completer:
    """The completer that IPython calls in SQL cells. shell: IPython's."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        # IPython identifies matchers by attributes, which a bound method cannot have.
        self.matches = context_matcher(identifier="iceberg_sql")(lambda context: self._matches(context))

    def _matches(self, context: CompletionContext) -> dict[str, Any]:
        sql_parts = _sql_around_cursor(context)
        if sql_parts is None:
            return {"completions": []}
        text, suffix = sql_parts
        pattern = _OPTION if text.lstrip().startswith("%%iceberg_sql") else _WORD
        word = (pattern.search(text) or [""])[0]
        try:
            kinds_by_text = dict(self._suggestions(text, suffix, word))
        except Exception:  # completion never raises: a stopped session completes nothing
            kinds_by_text = {}
        typed_part = word.rpartition(".")[2].strip("`").lower()
        completions = [
            SimpleCompletion(text=insert, type=kind)
            for insert, kind in kinds_by_text.items()
            if insert.strip("`").lower().startswith(typed_part)
        ]
        return {
            "completions": completions,
            "suppress": bool(completions) or "%iceberg_sql" in context.full_text,
            "ordered": True,
            "matched_fragment": word.rpartition(".")[2],
        }

    def _suggestions(self, text: str, suffix: str, word: str) -> _Suggestions:
        if re.search(r"%%iceberg_sql[^\n]*$", text):
            yield from ((option, "option") for option in OPTIONS)
            return
        spark = self._shell.user_ns.get("spark")
        if not isinstance(spark, SparkSession) and not is_remote(spark):
            spark = SparkSession.getActiveSession()
        if spark is None:
            return
        names = SessionNames(spark)
        sql_text = text + suffix
        statement = _statement(sql_text, len(text))
        typed_text = text[statement.head if statement else 0 : len(text) - len(word)]
        tokens = [token for token in tokenize(typed_text) if token.kind not in TRIVIA]
        previous = tokens[-1].word if tokens else ""
        if previous in _TABLE_KEYWORDS:
            yield from _table_suggestions(names, word)
            return
        if statement is None or is_remote(spark):
            return
        keywords = [token.word for token in tokens]
        if previous == "FIELD" and len(keywords) > 1 and keywords[-3:-2] in (["DROP"], ["REPLACE"]):
            for table in names.tables_of(statement.tokens):
                fields = table.specs.spec.fields if table.specs is not None else ()
                yield from ((quoted(field.name), "partition field") for field in fields)
            return
        catalog = SessionTables(spark, intercept.unchecked_sql(spark))
        proposals = suggestions(sql_text, statement, len(text) - len(word), catalog)
        if proposals:
            yield from ((s.insert if not s.snippet else s.label, s.kind) for s in proposals)
            return
        yield from ((quoted(name), kind) for name, kind in names.columns_of(statement.tokens))
        if "." not in word:
            yield from ((name, "function") for name in (*BY_FUNCTION, *TABLE_FUNCTIONS))


def _table_suggestions(names: SessionNames, word: str) -> _Suggestions:
    namespace = tuple(part.strip("`") for part in word.split(".")[:-1])
    if not namespace:
        yield from ((quoted(name), "catalog") for name in names.catalogs())
    yield from ((quoted(name), "namespace") for name in (names.namespaces(namespace) if namespace else ()))
    yield from ((quoted(name), "table") for name in names.tables(namespace))
    if not namespace:
        yield from ((name, "table function") for name in TABLE_FUNCTIONS)


def _sql_around_cursor(context: CompletionContext) -> tuple[str, str] | None:
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
    return (current[line.end() :], "") if line is not None else sql_in_string(context.full_text, offset)


def _statement(text: str, offset: int) -> Statement | None:
    """The statement that contains an offset."""
    return next((s for s in statements(text) if s.head <= offset <= s.tail), None)
