"""Spark's errors as diagnostics: one sentence, the span in the cell, the help and, where it is safe, a fix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.notebook.cells import parameter_values, parameters
from spark_iceberg_sql.notebook.cells.cell import Cell
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.notebook.cells.statements import table_of_call
from spark_iceberg_sql.notebook.errors import syntax_help
from spark_iceberg_sql.notebook.errors.error_spans import UNKNOWN_SNAPSHOT, error_span
from spark_iceberg_sql.notebook.errors.spark_errors import ParsedError, parse_error
from spark_iceberg_sql.notebook.errors.syntax_help import READS, STARTS, WRITES
from spark_iceberg_sql.notebook.session_names import SessionNames, table_names
from spark_iceberg_sql.similar_names import LIKELY, similar_name
from spark_iceberg_sql.spark.gate import statement_help
from spark_iceberg_sql.syntax import spark_mistakes
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted
from spark_iceberg_sql.syntax.metadata_tables import METADATA_TABLES
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import MistakeHelp, RefusedStatement

_COLUMNS = 20  # that are named
_SNAPSHOTS = 3  # whose ids are named
_Help = tuple[str | None, Edit | None]
_HELP_SENTENCE = re.compile(r"^(?:Use|Add|Please|Change|Correct|To) ")
_QUOTED_PATH = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
_UNLOADED = re.compile(r"Couldn't load table '")  # of a procedure
_NO_EARLIER_SNAPSHOT = re.compile(r"Cannot find a snapshot older than|no valid snapshot older than")
_WRITE_CLAUSE = re.compile(r"[,;:] write (?P<call>\w+\(.*\))$")


def error_diagnostics(
    spark: SparkSession, error: BaseException, cell: Cell, statement: Statement, variables: Mapping[str, Any]
) -> list[Diagnostic]:
    """The diagnostics of an error about a statement of a cell.

    statement: with offsets into the cell's SQL. variables: Python variables, by name.
    """
    report = error.report if isinstance(error, IcebergSqlError) else None
    if report is not None and report.diagnostics:
        return [_shifted(d, cell, statement) for d in report.diagnostics]
    parsed_error = parse_error(error)
    span = error_span(parsed_error, statement)
    names = SessionNames(spark)
    mistake = _mistake(names, parsed_error, statement, span)
    sentence = parsed_error.sentence
    if mistake is not None:
        answer: _Help = mistake.help, Edit(*mistake.edit) if mistake.edit is not None else None
        span, sentence = mistake.span or span, mistake.message or sentence
    else:
        answer = _help(names, parsed_error, statement, span, variables)
    help, edit = answer
    if parsed_error.condition == "UNBOUND_SQL_PARAMETER" and _is_question_mark(statement, span):
        sentence = "`?` has no value"
    is_syntax = parsed_error.condition == "PARSE_SYNTAX_ERROR"
    if edit is not None and is_syntax and not syntax_help.parses(spark, statement, edit):
        edit = None  # there is another mistake
    fix = Fix("rewrite", (edit,)) if edit is not None else None
    return [cell.diagnostic(parsed_error.condition, sentence, span, help, fix)]


def _mistake(
    names: SessionNames, parsed_error: ParsedError, statement: Statement, span: tuple[int, int]
) -> MistakeHelp | None:
    """The help for an ordinary mistake: of the list that `spark.sql` has, too."""
    condition, parameters = parsed_error.condition, parsed_error.parameters
    if is_remote(names.spark):  # the catalogs are the server's
        return spark_mistakes.help_of(RefusedStatement(condition, parameters, statement.tokens, statement.script, span))
    source = CellStatement(names, statement)
    return statement_help.help_of(source, condition, parameters, span)


class CellStatement(statement_help.SessionStatement):
    """A statement of a cell, whose tables may be views."""

    def __init__(self, names: SessionNames, statement: Statement) -> None:
        super().__init__(names.spark, statement)
        self._names = names

    def columns(self) -> list[str]:
        """The names of the columns of its tables and views."""
        return [column for column, _ in self._names.columns_of(self.statement.tokens)]


def _shifted(diagnostic: Diagnostic, cell: Cell, statement: Statement) -> Diagnostic:
    """A diagnostic on the statement, moved to the cell's SQL; without its fix, which is for another text."""
    start = min(statement.start + diagnostic.span.start, statement.end)
    end = min(statement.start + diagnostic.span.end, statement.end)
    return cell.diagnostic(diagnostic.code, diagnostic.message, (start, max(start, end)), diagnostic.help)


def _is_question_mark(statement: Statement, span: tuple[int, int]) -> bool:
    return statement.script[span[0] : span[1]] == "?"


def _help(
    names: SessionNames,
    parsed_error: ParsedError,
    statement: Statement,
    span: tuple[int, int],
    variables: Mapping[str, Any],
) -> _Help:
    condition_name = parsed_error.condition.partition(".")[0]
    message_parameters = parsed_error.parameters
    if condition_name in ("UNRESOLVED_ROUTINE", "ROUTINE_NOT_FOUND"):
        return _function_help(names, parsed_error, statement, span)
    if condition_name == "UNRESOLVED_COLUMN":
        return _column_help(names, parsed_error, statement, span)
    if condition_name == "FAILED_TO_LOAD_ROUTINE" and statement.first == "CALL":
        return _catalog_help(names, statement)
    is_missing = condition_name in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
    if is_missing or _UNLOADED.search(parsed_error.sentence):
        return _table_help(names, parsed_error, statement, span, variables)
    if condition_name == "UNBOUND_SQL_PARAMETER":
        name = str(message_parameters.get("name", ""))
        if _is_question_mark(statement, span):
            return "write `{name}`, with the name of a Python variable", None
        if name in variables:
            if parameter_values.is_frame(variables[name]):
                return f"write `{{{name}}}`, since it is a DataFrame", None
            try:
                parameter_values.to_plain(name, variables[name])
            except parameter_values.NoValueError as error:
                return f"{error}: {error.help}", None
        return parameters.suggestion_for(name, variables).replace("{", ":").replace("}", ""), None
    if condition_name == "PARSE_SYNTAX_ERROR":
        return syntax_help.syntax_help(names.spark, statement, span)
    if condition_name == "UNRECOGNIZED_PARAMETER_NAME":
        argument_name = str(message_parameters.get("argumentName", "")).strip("`")
        argument = similar_name(argument_name, _proposals(message_parameters))
        return (f"write `{argument}`" if argument is not None else help_in_message(parsed_error)), None
    if UNKNOWN_SNAPSHOT.search(parsed_error.sentence):
        return _snapshot_help(names, statement), None
    if _NO_EARLIER_SNAPSHOT.search(parsed_error.sentence):
        return _first_snapshot_help(names, statement), None
    if write_match := _WRITE_CLAUSE.search(parsed_error.sentence):
        return f"write `{write_match['call']}`", _replacement(statement, span, write_match["call"])
    return help_in_message(parsed_error), None


def help_in_message(parsed_error: ParsedError) -> str | None:
    """The help in an error's own message: the sentence with the text to write, or else the first one."""
    if parsed_error.help:
        return parsed_error.help
    sentences = [sentence for sentence in parsed_error.other_sentences if _HELP_SENTENCE.match(sentence)]
    sentences.sort(key=lambda sentence: "`" not in sentence)
    return sentences[0][0].lower() + sentences[0][1:].rstrip(".") if sentences else None


def help_without_statement(parsed_error: ParsedError) -> str | None:
    """The help for an error of a call in Python, such as `spark.table`: a similar table, else that of the message."""
    parts = _missing_table(parsed_error)
    spark = SparkSession.getActiveSession()
    if parsed_error.condition == "TABLE_OR_VIEW_NOT_FOUND" and parts and spark is not None:
        similar = SessionNames(spark).table_like(parts, qualified_name(parts))
        return f"did you mean `{similar}`?" if similar is not None else None
    return help_in_message(parsed_error)


def _missing_table(parsed_error: ParsedError) -> tuple[str, ...]:
    """The parts of the name of a table or schema that does not exist."""
    parameters = parsed_error.parameters
    name_text = parameters.get("relationName") or parameters.get("schemaName") or parsed_error.sentence
    match = _QUOTED_PATH.search(str(name_text))
    return tuple(re.findall(r"`((?:[^`]|``)*)`", match[0])) if match is not None else ()


def _replacement(statement: Statement, span: tuple[int, int], text: str) -> Edit | None:
    """The edit that replaces a complete call or name with a text."""
    old_text = statement.script[span[0] : span[1]]
    return Edit(*span, text) if old_text != text and ("(" in old_text) == ("(" in text) else None


def _suggest(name: str, edit: Edit | None, statement: Statement) -> _Help:
    """The help for a name similar to one that does not exist. Where the statement writes, it only asks: the intended
    table may be missing, and the similar one may hold data that must stay.
    """
    keywords = [token.word for token in statement.tokens]
    if keywords[0] in READS and WRITES.isdisjoint(keywords):
        return f"write `{name}`", edit
    return f"did you mean `{name}`?", None


def _proposals(message_parameters: Mapping[str, Any]) -> list[str]:
    """The names that Spark suggests, without their backticks."""
    return re.findall(r"`([^`]*)`", str(message_parameters.get("proposal", "")))


def _function_help(
    names: SessionNames, parsed_error: ParsedError, statement: Statement, span: tuple[int, int]
) -> _Help:
    name = str(parsed_error.parameters.get("routineName", "")).replace("`", "").rpartition(".")[2]
    call = statement.script[span[0] : span[1]]
    if (package_function := names.function_like(name)) is not None:
        if package_function == name.lower():
            return "install the functions in this session: sis.install(spark)", None
        if (call_text := names.call(package_function, call)) is not None:
            return f"write `{call_text}`", _replacement(statement, span, call_text)
        return f"write `{package_function}(...)`", None
    similar = names.builtin_like(name)
    if similar is None:
        return None, None
    start = span[0] + call.lower().find(name.lower())
    edit = Edit(start, start + len(name), similar) if call.lower().startswith(name.lower()) else None
    # Another word in the name is another function: `array_length` is not `json_array_length`.
    is_misspelt = abs(len(similar) - len(name)) <= 1 and name[:1].lower() == similar[:1]
    return _suggest(similar, edit, statement) if is_misspelt else (f"did you mean `{similar}`?", None)


def _snapshot_help(names: SessionNames, statement: Statement) -> str | None:
    """The ids after VERSION AS OF that there are; None if the statement names no table or several."""
    tables = list(dict.fromkeys(table_names(statement.tokens)))
    snapshots = names.snapshots(tables[0], _SNAPSHOTS + 1) if len(tables) == 1 else []
    if not snapshots:
        return None
    ids = ", ".join(f"{number} ({committed})" for number, committed in snapshots[:_SNAPSHOTS])
    more = "; `.snapshots` has the earlier ones" if len(snapshots) > _SNAPSHOTS else ""
    return f"the ids of its snapshots are {ids}{more}"


def _first_snapshot_help(names: SessionNames, statement: Statement) -> str | None:
    """The time before which a table had no snapshot; None as for `_snapshot_help`."""
    called = table_of_call(statement)
    tables = list(dict.fromkeys(table_names(statement.tokens)))
    if called is not None:
        tables = [(called[0], *called[1]) if called[0] else called[1]]
    snapshots = names.snapshots(tables[0], 1, is_oldest=True) if len(tables) == 1 else []
    return f"its first snapshot is of {snapshots[0][1]}" if snapshots else None


def _column_help(names: SessionNames, parsed_error: ParsedError, statement: Statement, span: tuple[int, int]) -> _Help:
    name = str(parsed_error.parameters.get("objectName", "")).replace("`", "").rpartition(".")[2]
    by_name = {proposal.rpartition(".")[2]: proposal for proposal in _proposals(parsed_error.parameters)}
    words = [token.text.strip("`").lower() for token in statement.tokens]
    if statement.first == "MERGE" and name.lower() not in words:  # `*` means it
        listed = ", ".join(f"`{column}`" for column in by_name)
        source = f", which has {listed}" if listed else ""
        return f"`*` takes each column of the table from the source{source}: add it there, or list the columns", None
    if (similar := similar_name(name, by_name)) is not None:
        old_text = statement.script[span[0] : span[1]]
        edit = Edit(span[1] - len(name), span[1], quoted(similar)) if old_text.endswith(name) else None
        return _suggest(similar, edit, statement)
    columns = list(dict.fromkeys(column for column, _ in names.columns_of(statement.tokens))) or list(by_name)
    listed = ", ".join(f"`{column}`" for column in columns[:_COLUMNS])
    more = f" and {len(columns) - _COLUMNS} more" if len(columns) > _COLUMNS else ""
    return (f"the columns are {listed}{more}" if columns else None), None


def _catalog_help(names: SessionNames, statement: Statement) -> _Help:
    """The help for a CALL of a catalog that the session does not have."""
    tokens = statement.tokens
    if len(tokens) < 4 or tokens[2].text != ".":
        return None, None
    catalogs = names.catalogs()
    similar = similar_name(tokens[1].text.strip("`"), catalogs)
    if similar is None or tokens[1].text.strip("`") in catalogs:
        return None, None
    return _suggest(quoted(similar), Edit(*tokens[1].span, quoted(similar)), statement)


def _table_help(
    names: SessionNames,
    parsed_error: ParsedError,
    statement: Statement,
    span: tuple[int, int],
    variables: Mapping[str, Any],
) -> _Help:
    called = table_of_call(statement)
    # A procedure's error names the table in several ways, or not at all.
    parts = called[1] if called is not None else _missing_table(parsed_error)
    if not parts:
        return help_in_message(parsed_error), None
    if called is not None:
        similar = names.table_like((called[0], *parts) if called[0] else parts, qualified_name(parts))
        return (f"did you mean `{similar}`?" if similar is not None else None), None
    if len(parts) == 1 and parameter_values.is_frame(variables.get(parts[0])):
        placeholder = f"{{{parts[0]}}}"
        is_bare_name = statement.script[span[0] : span[1]].strip("`") == parts[0]
        help = f"`{parts[0]}` is a Python variable: write `{placeholder}`"
        return help, Edit(*span, placeholder) if is_bare_name else None
    if len(parts) == 1 and re.match(r"/|\w+://", parts[0]):
        return f"read a table by its path: write `iceberg('{parts[0]}')`", None
    name_text = statement.script[span[0] : span[1]]
    metadata_table = similar_name(parts[-1].lower(), METADATA_TABLES, LIKELY)
    if len(parts) > 1 and metadata_table is not None and names.is_table(parts[:-1]):
        name = names.metadata_table(parts[:-1], metadata_table)
        return _suggest(name, Edit(*span, name) if name_text.endswith(parts[-1]) else None, statement)
    similar = names.table_like(parts, name_text)
    if similar is None:
        return None, None
    covers_name = span[1] - span[0] > 0 and "table" in parsed_error.condition.lower() and _is_name(statement, span)
    return _suggest(similar, Edit(*span, similar) if covers_name else None, statement)


def _is_name(statement: Statement, span: tuple[int, int]) -> bool:
    tokens = [t for t in statement.tokens if span[0] <= t.start and t.end <= span[1]]
    return len(tokens) % 2 == 1 and all(t.text == "." for t in tokens[1::2]) and tokens[0].word not in STARTS
