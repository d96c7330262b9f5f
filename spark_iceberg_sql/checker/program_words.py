"""Diagnostics on calls that are equivalent to SQL, in terms of the API: `bucket(16, "id")`, not `bucket(16, id)`."""

from __future__ import annotations

import re

from spark_iceberg_sql.diagnostics import Diagnostic, Severity
from spark_iceberg_sql.facts.target import OF_A_QUERY
from spark_iceberg_sql.files.source_map import APPEND, COMPILED, Piece
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.sis002_not_checked import FILLED_IN, QUERY_WAYS, WAYS

# The help of notes, by the help for SQL.
_HELPS = {
    QUERY_WAYS: "give the DataFrame a schema in the program, or check in a Spark session",
    FILLED_IN: "write the value in the call, or check in a Spark session",
}
# The same for models, by the tool that makes their tables.
_DBT = {
    QUERY_WAYS: "enforce a contract with data types, cast the columns in the model, or run `dbt compile`",
    FILLED_IN: "run `dbt compile`, or check the SQL that dbt runs: `iceberg-sql check target/run`",
}
_TOOLS = {
    "dbt": _DBT,
    COMPILED: {
        **_DBT,
        QUERY_WAYS: "enforce a contract with data types, cast the columns in the model, or run `dbt docs generate`",
    },
    "sqlmesh": {
        QUERY_WAYS: "state the model's `columns`, or cast them in its query",
        FILLED_IN: "check the SQL of `sqlmesh render`",
    },
}
# Rules about table properties, which models may take from elsewhere.
_VERSIONS = frozenset({"SIS205", "SIS410"})
# Rules about what Spark refuses and pyiceberg accepts.
_SPARKS = frozenset({"SIS205", "SIS207", "SIS208", "SIS209", "SIS211", "SIS212", "SIS215"})
_WRONG_TARGET = "SIS412"
_FIELD_THERE = "SIS402"
_UNUSED_IGNORE = "SIS003"
# Rules that depend on the columns of the query.
_OF_COLUMNS = ("SIS2", "SIS6")
_IF_NOT_EXISTS = "CREATE TABLE IF NOT EXISTS"
# The rules whose finding `Piece.said` may replace: unknown transform, unknown column.
_REPLACED = ("SIS101", "SIS201")
_QUOTED = regex(r"`([^`]*)`")
_CHANGE = regex(r"(?:ALTER TABLE \S+ )?(ADD|DROP) PARTITION FIELD (.+?)(?: AS (\w+))?")
_CALL = regex(r"(\w+)\((?:(\d+), )?([^()]*)\)")
_NOT_IN_PROGRAM = "the program does not define them"
_PROPERTY = regex(r"`'([^']*)' = '([^']*)'`")


def applies(piece: Piece, code: str) -> bool:
    """Whether a rule applies to a piece."""
    ignores = piece.api == "DataFrameWriter" and piece.sql.startswith(_IF_NOT_EXISTS)
    if code == _WRONG_TARGET and ignores:
        return False  # the save mode `ignore`
    if piece.api and code == _WRONG_TARGET and piece.arms:
        return False  # `if not spark.catalog.tableExists(...)`, or try and except
    if piece.api == COMPILED and code == _UNUSED_IGNORE:
        return False  # the query is there twice, as written and as compiled
    if piece.api in _TOOLS:
        return code not in _VERSIONS and (code != _WRONG_TARGET or piece.api == "sqlmesh")
    return piece.api != "pyiceberg" or code not in _SPARKS


def in_words_of(piece: Piece, diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic with the program's offsets, in terms of the API that its piece uses."""
    if not piece.api:
        return diagnostic
    if piece.api in _TOOLS:
        words = _TOOLS[piece.api].get(diagnostic.help or "", diagnostic.help)
        message = diagnostic.message
        if piece.api == COMPILED and diagnostic.code.startswith(_OF_COLUMNS):
            message += " (in the SQL that dbt compiled)"
        return replace(diagnostic, message=message, help=words)
    if piece.api == APPEND and diagnostic.code == _WRONG_TARGET:
        return _refused_append(diagnostic)
    in_spec = piece.api == "pyiceberg" and piece.sql.startswith("CREATE")
    if diagnostic.code == _FIELD_THERE and in_spec:  # a PartitionSpec may have two equal fields
        twice = "leave this field out: it has the same values as the other one"
        return replace(diagnostic, severity=Severity.WARNING, help=twice, fix=None)
    if diagnostic.code in _REPLACED:
        for said in piece.said:
            if (said.start, said.end) == (diagnostic.span.start, diagnostic.span.end):
                return replace(diagnostic, message=said.message, help=said.help, fix=None)
    message, help_ = diagnostic.message.replace(OF_A_QUERY, _NOT_IN_PROGRAM), diagnostic.help
    if help_ is not None:
        if help_ == QUERY_WAYS and message == diagnostic.message:
            help_ = WAYS  # the table is unknown
        help_ = _HELPS.get(help_, help_)
        if diagnostic.code == "SIS201":
            help_ = help_.replace(" in the query", " in the DataFrame")
        help_ = _PROPERTY.sub(
            r'`tableProperty("\1", "\2")`' if piece.api != "pyiceberg" else r'`{"\1": "\2"}`', help_
        )
        help_ = _in_calls(help_, piece.api)
    if piece.api == "DataFrameWriterV2":
        holes = {f"`{hole.text}`" for hole in piece.holes}  # the program's own words

        def written(found: re.Match[str]) -> str:
            return (
                found.group()
                if found.group() in holes
                else _call(found, piece.api) or found.group()
            )

        message = _QUOTED.sub(written, message)
    return replace(diagnostic, message=message, help=help_)


def _refused_append(diagnostic: Diagnostic) -> Diagnostic:
    """A `partitionBy` for a table that has another partitioning."""
    table = diagnostic.message.partition(" exists")[0]
    message = f"{table} is partitioned differently, and Spark refuses to append to it with this partitioning"
    help_ = "leave out `partitionBy`: the table's own partitioning applies"
    return replace(diagnostic, severity=Severity.ERROR, message=message, help=help_, fix=None)


def _in_calls(help_: str, api: str) -> str:
    """A help text with the API's calls in place of SQL clauses."""
    only_sql = False

    def written(found: re.Match[str]) -> str:
        nonlocal only_sql
        call = _call(found, api)
        only_sql = only_sql or (call is None and found[1].startswith("truncate("))
        return call or found.group()

    text = _QUOTED.sub(written, help_)
    if only_sql:
        text += "; DataFrame writers have no `truncate`: use CREATE TABLE"
    return text


def _call(found: re.Match[str], api: str) -> str | None:
    """The call that is equivalent to a clause in backticks; None if there is none."""
    change = _CHANGE.fullmatch(found[1]) if api == "pyiceberg" else None
    if change is not None and change[1] == "DROP":
        return f'`remove_field("{change[2]}")`'
    call = _CALL.fullmatch(change[2] if change is not None else found[1])
    record = BY_SPELLING.get(call[1].lower()) if call is not None else None
    if call is None or record is None:
        return None
    clause = _clause(record, call[2], call[3].replace("`", ""), api)
    if change is not None:
        name = f', "{change[3]}"' if change[3] else ""
        return f"`add_field({clause}{name})`"
    return f"`{clause}`" if clause is not None else None


def _clause(record: Transform, number: str | None, column: str, api: str) -> str | None:
    if api == "pyiceberg":
        return f'"{column}", {record.pyiceberg_class}({number or ""})'
    if not record.spark_parses:
        return None
    (function,) = record.spark_parses  # as pyspark.sql.functions.partitioning calls it
    clause = f'{function}({number}, "{column}")' if number else f'{function}("{column}")'
    return clause if api == "DataFrameWriterV2" else f"df.writeTo(...).partitionedBy({clause})"
