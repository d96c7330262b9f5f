"""What is said of tables that a program makes in calls, in the words of these calls."""

from __future__ import annotations

import re
from dataclasses import replace

from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.files.source_map import Piece
from spark_iceberg_sql.model.transforms import BY_SPELLING, Transform

_WAYS = "give the DataFrame a schema in the program, or check in a session"
_TABLES = (
    "add its CREATE TABLE earlier, pass --ddl, --metadata or --catalog, or check in a Spark session"
)
# What Spark does not take, or takes in another way, and pyiceberg does.
_SPARKS = frozenset({"SIS205", "SIS207", "SIS208", "SIS209", "SIS211", "SIS212", "SIS215"})
# The rules that a reader of programs may know better about: unknown transform, unknown column.
_REPLACED = ("SIS101", "SIS201")
_QUOTED = re.compile(r"`([^`]*)`")
_CHANGE = re.compile(r"(?:ALTER TABLE \S+ )?(ADD|DROP) PARTITION FIELD (.+?)(?: AS (\w+))?")
_CALL = re.compile(r"(\w+)\((?:(\d+), )?([^()]*)\)")
# The functions that DataFrameWriterV2 takes, by the transforms' names.
_FUNCTIONS = {
    "year": "years",
    "month": "months",
    "day": "days",
    "hour": "hours",
    "bucket": "bucket",
}
_QUERY = "they come from a query"
_WRITTEN_OUT = "the program does not write them out"
_HELPS = (
    (re.compile(r"put the CREATE TABLE of what the query reads before, cast .*"), _WAYS),
    (
        re.compile(r"check the statement with the values filled in, .*"),
        "write the value in the call",
    ),
    (re.compile(r"in the query$"), "in the DataFrame"),
)
_PROPERTY = re.compile(r"`'([^']*)' = '([^']*)'`")


def applies(piece: Piece, code: str) -> bool:
    """Whether a rule is about what the piece stands for."""
    return piece.api != "pyiceberg" or code not in _SPARKS


def in_words_of(piece: Piece, diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic, placed in the program, in the words of the calls that its piece stands for."""
    if not piece.api:
        return diagnostic
    if diagnostic.code in _REPLACED:
        for said in piece.said:
            if (said.start, said.end) == (diagnostic.span.start, diagnostic.span.end):
                return replace(diagnostic, message=said.message, help=said.help, fix=None)
    message, help_ = diagnostic.message.replace(_QUERY, _WRITTEN_OUT), diagnostic.help
    if help_ is not None:
        for pattern, words in _HELPS:
            known = words is not _WAYS or _WRITTEN_OUT in message
            help_ = pattern.sub(words if known else _TABLES, help_)
        help_ = _PROPERTY.sub(
            r'`tableProperty("\1", "\2")`' if piece.api != "pyiceberg" else r'`{"\1": "\2"}`', help_
        )
        help_ = _in_calls(help_, piece.api)
    if piece.api == "DataFrameWriterV2":
        message = _QUOTED.sub(lambda found: _call(found, piece.api) or found.group(), message)
    return replace(diagnostic, message=message, help=help_)


def _in_calls(help_: str, api: str) -> str:
    """A help whose clauses are the API's calls."""
    only_sql = False

    def written(found: re.Match[str]) -> str:
        nonlocal only_sql
        call = _call(found, api)
        only_sql = only_sql or (call is None and found[1].startswith("truncate("))
        return call or found.group()

    text = _QUOTED.sub(written, help_)
    if only_sql:
        text += "; a DataFrame has no `truncate`: write it in the PARTITIONED BY of a CREATE TABLE"
    return text


def _call(found: re.Match[str], api: str) -> str | None:
    """A clause in backticks as a call; None where it is none, or the API has none for it."""
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
        name = f"{record.name.capitalize()}Transform({number or ''})"
        return f'"{column}", {name}'
    function = _FUNCTIONS.get(record.name)
    if function is None:
        return None
    clause = f'{function}({number}, "{column}")' if number else f'{function}("{column}")'
    return clause if api == "DataFrameWriterV2" else f"df.writeTo(...).partitionedBy({clause})"
