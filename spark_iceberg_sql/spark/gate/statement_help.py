"""Help for statements that Spark refuses, the same for `spark.sql`, scripts, the command line and cells.

Spark's error keeps its class and its condition; the sentence and the statement to write come before its message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.errors.exceptions.captured import CapturedException

from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.facts.hidden_fields import (
    PARTITION_TABLES,
    column_names,
    hidden_field,
    hidden_field_help,
    value_call,
)
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.spark.bridge.jvm import sessions, shims
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax import spark_mistakes
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token
from spark_iceberg_sql.syntax.named_tables import table_names
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import MistakeHelp, RefusedStatement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAME = re.compile(r"`((?:[^`]|``)*)`")


def with_help(spark: SparkSession, error: Exception, text: object) -> Exception | None:
    """Spark's error with the help for a statement before its message; None if there is none.

    spark: the session. error: what Spark raised. text: the statement.
    """
    if not isinstance(error, CapturedException) or not isinstance(text, str):
        return None
    with suppress(*BRIDGE_ERRORS):
        script = statements(sessions.substitute_settings(spark, text))
        condition = shims.condition_of(error)
        if len(script) != 1 or condition is None:
            return None
        statement = script[0]
        parameters = error.getMessageParameters() or {}
        mistake = help_of(SessionStatement(spark, statement), condition, parameters, _span(error, statement))
        if mistake is None:
            return None
        return catalog_entries.with_explanation(error, spark_mistakes.explanation(mistake, statement))
    return None


class SessionStatement:
    """A statement and the tables of a session that it names, which are loaded where they matter."""

    def __init__(self, spark: SparkSession, statement: Statement) -> None:
        self._spark = spark
        self.statement = statement

    def _catalog(self) -> SessionTables:
        return SessionTables(self._spark, lambda _: self._spark.range(0))

    def tables(self) -> Iterator[tuple[tuple[str, ...], Table]]:
        """The names of the statement's tables, each with the table."""
        catalog = self._catalog()
        for parts in table_names(self.statement.tokens):
            table = catalog.get(parts)
            if isinstance(table, Table) and table.kind is RelationKind.METADATA:
                table = catalog.get(parts[:-1])
            if isinstance(table, Table):
                yield parts, table

    def full_name(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The full name of a table, given the current catalog and namespace."""
        return self._catalog().full_name(parts)

    def columns(self) -> Sequence[str]:
        """The names of the tables' columns."""
        return [field.name for _, table in self.tables() if table.schema is not None for field in table.schema.fields]


def help_of(
    source: SessionStatement, condition: str, parameters: Mapping[str, Any], span: tuple[int, int]
) -> MistakeHelp | None:
    """The help for a statement that Spark refuses; None if no mistake is known.

    condition, parameters: of Spark's error. span: what the error points at.
    """
    statement = source.statement
    refused = RefusedStatement(
        condition, parameters, statement.tokens, statement.script, span, source.columns, source.full_name
    )
    if condition.startswith("UNRESOLVED_COLUMN") and (hidden := _hidden_field(source, refused)) is not None:
        return hidden
    return spark_mistakes.help_of(refused)


def _hidden_field(source: SessionStatement, refused: RefusedStatement) -> MistakeHelp | None:
    """A partition field that is named like a column."""
    parts = _NAME.findall(str(refused.parameters.get("objectName", "")))
    if not parts:
        return None
    name = parts[-1].replace("``", "`")
    for path, table in source.tables():
        field = _field(table, name)
        if field is None:
            continue
        token = _token(refused.tokens, name, refused.span)
        if path[-1].lower() in PARTITION_TABLES and len(path) > 1 and table.name[-1].lower() != path[-1].lower():
            text = f"partition.{quoted(field.name)}"
            fact = f"`.{path[-1]}` has no column `{name}`: partition fields are in its column `partition`"
            return MistakeHelp(f"write `{text}`", _edit(token, text), token.span if token else None, fact)
        span = token.span if token else None
        if token is not None and _is_written(refused.words, refused.tokens.index(token)):
            fact = f"`{name}` is a partition field, which Iceberg computes from `{field.source}`: it cannot be written"
            return MistakeHelp(f"leave it out, and write `{field.source}`", None, span, fact)
        fact = f"`{name}` is a partition field, not a column"
        edit = _with_calls(refused, table) if len(parts) == 1 else None
        return MistakeHelp(hidden_field_help(field), edit, span, fact)
    return None


def _is_written(words: Sequence[str], index: int) -> bool:
    """True if the name at a token is what a statement assigns a value to, or one of its list of columns."""
    opening, depth = index, 0
    while opening >= 0 and depth >= 0:
        opening -= 1
        depth += {")": 1, "(": -1}.get(words[opening], 0) if opening >= 0 else 0
    if opening < 0:
        is_target = words[0] in ("UPDATE", "MERGE") and words[index + 1 : index + 2] == ["="]
        return is_target and words[index - 1] in ("SET", ",")
    is_list = words[0] == "INSERT" and {"SELECT", "VALUES", "FROM"}.isdisjoint(words[:opening])
    return is_list or (words[0] == "MERGE" and words[opening - 1] == "INSERT")


def _with_calls(refused: RefusedStatement, table: Table) -> tuple[int, int, str] | None:
    """The statement with a call for each partition field that it names; None unless all of these are expressions."""
    if refused.words.count("SELECT") > 1:
        return None  # a name may be that of a subquery's column
    columns = {column.lower() for column in refused.columns()}
    expressions = dict(column_names(refused.tokens, frozenset()))
    edits = []
    for index, token in enumerate(refused.tokens):
        name = token.text.strip("`")
        field = _field(table, name) if token.kind in NAME_KINDS and name.lower() not in columns else None
        if field is None:
            continue
        if index not in expressions or _is_written(refused.words, index):
            return None
        edits.append(Edit(*token.span, value_call(field)))
    if not edits:
        return None
    start, end = edits[0].start, edits[-1].end
    shifted = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
    return start, end, apply_edits(refused.text[start:end], shifted)


def _field(table: Table, name: str) -> PartitionField | None:
    is_column = table.schema is not None and table.schema.find_all((name,))
    return None if is_column else hidden_field(table.specs, name)


def _token(tokens: Sequence[Token], name: str, span: tuple[int, int]) -> Token | None:
    """The token of a name: in the span, or the only one."""
    same = [token for token in tokens if token.text.strip("`").lower() == name.lower()]
    inside = [token for token in same if span[0] <= token.start and token.end <= span[1]]
    return inside[-1] if inside else (same[0] if len(same) == 1 else None)


def _edit(token: Token | None, text: str) -> tuple[int, int, str] | None:
    return None if token is None else (token.start, token.end, text)


def _span(error: CapturedException, statement: Statement) -> tuple[int, int]:
    """What Spark's error points at, as offsets in the script; the first token if nothing."""
    first = statement.tokens[0]
    with suppress(*BRIDGE_ERRORS, AttributeError, NotImplementedError):
        for context in error.getQueryContext():
            if context.contextType().name == "SQL" and context.fragment():
                start = statement.start + int(context.startIndex())
                return start, start + len(str(context.fragment()))
    position = re.search(r"\(?line (\d+), pos(?:ition)? (\d+)\)?", shims.description(error))
    if position is not None:
        lines = statement.text.split("\n")
        row = int(position[1]) - 1
        if row < len(lines):
            offset = statement.start + sum(len(line) + 1 for line in lines[:row]) + int(position[2])
            token = next((token for token in statement.tokens if token.end > offset), statement.tokens[-1])
            return token.start, token.end
    return first.start, first.end
