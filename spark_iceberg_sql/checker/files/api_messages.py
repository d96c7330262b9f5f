"""Rewords diagnostics on calls that stand for SQL in terms of the API: `bucket(16, "id")`, not `bucket(16, id)`."""

from __future__ import annotations

import re

from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.facts.target_context import QUERY_COLUMNS_REASON
from spark_iceberg_sql.files.source_map import COMPILED, MODELS, SqlFragment
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category
from spark_iceberg_sql.rules.registry import BY_CODE
from spark_iceberg_sql.rules.sis002_not_checked import OFFLINE_HELP, PLACEHOLDER_HELP, QUERY_HELP

# The help of notes, by the help for SQL.
_HELPS = {
    QUERY_HELP: "give the DataFrame a schema in the program, or check in a Spark session",
    PLACEHOLDER_HELP: "write the value in the call, or check in a Spark session",
}
# The same for models, by the tool that makes their tables.
_DBT_HELPS = {
    QUERY_HELP: "enforce a contract with data types, cast the columns in the model, or run `dbt compile`",
    PLACEHOLDER_HELP: "run `dbt compile`, or check the SQL that dbt runs: `iceberg-sql check target/run`",
}
_TOOL_HELPS = {
    "dbt": _DBT_HELPS,
    COMPILED: {
        **_DBT_HELPS,
        QUERY_HELP: "enforce a contract with data types, cast the columns in the model, or run `dbt docs generate`",
    },
    "sqlmesh": {
        QUERY_HELP: "state the model's `columns`, or cast them in its query",
        PLACEHOLDER_HELP: "check the SQL of `sqlmesh render`",
    },
}
_QUOTED = regex(r"`([^`]*)`")
_CHANGE = regex(r"(?:ALTER TABLE \S+ )?(ADD|DROP) PARTITION FIELD (.+?)(?: AS (\w+))?")
_CALL = regex(r"(\w+)\((?:(\d+), )?([^()]*)\)")
_UNDEFINED_COLUMNS = "the program does not define them"
_PROPERTY = regex(r"`'([^']*)' = '([^']*)'`")


def in_api_terms(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic | None:
    """A diagnostic, in offsets of the program, in terms of the API of its fragment."""
    if not fragment.api:
        return diagnostic
    rule = BY_CODE[diagnostic.code]
    if fragment.api in MODELS:
        if not rule.in_models:
            return None
        worded = _in_model(fragment, diagnostic, rule.category)
    else:
        if rule.spark_only and fragment.api == "pyiceberg":
            return None
        worded = _in_call(fragment, diagnostic)
    return rule.in_programs(fragment, worded) if rule.in_programs is not None else worded


def _in_model(fragment: SqlFragment, diagnostic: Diagnostic, category: Category) -> Diagnostic:
    help_ = _TOOL_HELPS[fragment.api].get(diagnostic.help or "", diagnostic.help)
    message = diagnostic.message
    if fragment.api == COMPILED and category in (Category.COLUMNS, Category.QUERY):
        message += " (in the SQL that dbt compiled)"
    return replace(diagnostic, message=message, help=help_)


def _in_call(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic:
    message, help_ = (diagnostic.message.replace(QUERY_COLUMNS_REASON, _UNDEFINED_COLUMNS), diagnostic.help)
    if help_ is not None:
        if help_ == QUERY_HELP and message == diagnostic.message:
            help_ = OFFLINE_HELP  # the table is unknown
        property_call = r'`tableProperty("\1", "\2")`' if fragment.api != "pyiceberg" else r'`{"\1": "\2"}`'
        help_ = _help_in_calls(_PROPERTY.sub(property_call, _HELPS.get(help_, help_)), fragment.api)
    if fragment.api == "DataFrameWriterV2":
        placeholders = {f"`{placeholder.text}`" for placeholder in fragment.placeholders}

        def written(match: re.Match[str]) -> str:
            call = _equivalent_call(match, fragment.api) if match.group() not in placeholders else None
            return call or match.group()

        message = _QUOTED.sub(written, message)
    return replace(diagnostic, message=message, help=help_)


def _help_in_calls(help_: str, api: str) -> str:
    """A help text with the API's calls in place of SQL clauses."""
    only_sql = False

    def written(match: re.Match[str]) -> str:
        nonlocal only_sql
        call = _equivalent_call(match, api)
        only_sql = only_sql or (call is None and match[1].startswith("truncate("))
        return call or match.group()

    text = _QUOTED.sub(written, help_)
    return f"{text}; DataFrame writers have no `truncate`: use CREATE TABLE" if only_sql else text


def _equivalent_call(match: re.Match[str], api: str) -> str | None:
    """The call that is equivalent to a clause in backticks; None if there is none."""
    change = _CHANGE.fullmatch(match[1]) if api == "pyiceberg" else None
    if change is not None and change[1] == "DROP":
        return f'`remove_field("{change[2]}")`'
    call = _CALL.fullmatch(change[2] if change is not None else match[1])
    transform = BY_SPELLING.get(call[1].lower()) if call is not None else None
    if call is None or transform is None:
        return None
    clause = _clause(transform, call[2], call[3].replace("`", ""), api)
    if change is not None:
        return f'`add_field({clause}, "{change[3]}")`' if change[3] else f"`add_field({clause})`"
    return f"`{clause}`" if clause is not None else None


def _clause(transform: Transform, number: str | None, column: str, api: str) -> str | None:
    if api == "pyiceberg":
        return f'"{column}", {transform.pyiceberg_class}({number or ""})'
    if not transform.spark_parses:
        return None
    (function,) = transform.spark_parses  # as pyspark.sql.functions.partitioning calls it
    clause = f'{function}({number}, "{column}")' if number else f'{function}("{column}")'
    return clause if api == "DataFrameWriterV2" else f"df.writeTo(...).partitionedBy({clause})"
