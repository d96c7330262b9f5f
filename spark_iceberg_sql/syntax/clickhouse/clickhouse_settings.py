"""SETTINGS of a statement in ClickHouse's syntax."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.functions.table_functions import ARGUMENT_NAMES
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.brackets import comma_ranges
from spark_iceberg_sql.syntax.clickhouse.clickhouse_tables import name_end
from spark_iceberg_sql.syntax.clickhouse.function_calls import argument_edit
from spark_iceberg_sql.syntax.lexer import Token, TokenKind

# With one of these, DROP TABLE deletes the files.
DELETES_DATA = frozenset({"iceberg_delete_data_on_drop", "data_lake_delete_data_on_drop"})
# Settings of ClickHouse's whose names are similar to those of arguments.
_ENGINE_SETTINGS = DELETES_DATA | {
    "iceberg_format_version",
    "iceberg_insert_max_bytes_in_data_file",
    "iceberg_insert_max_rows_in_data_file",
    "iceberg_metadata_async_prefetch_period_ms",
    "iceberg_metadata_compression_method",
    "iceberg_metadata_files_parallel_loading_threads",
    "iceberg_metadata_log_level",
    "iceberg_metadata_staleness_ms",
    "iceberg_partition_timezone",
    "iceberg_timezone_for_timestamptz",
    "session_timezone",
    "use_parquet_metadata_cache",
    "use_puffin_files_cache",
}
_AS_OF = {"snapshot_id": "VERSION AS OF {}", "timestamp_ms": "TIMESTAMP AS OF timestamp_millis({})"}


def is_settings(tokens: list[Token], index: int, end: int) -> bool:
    """True if SETTINGS name = value begins at a token."""
    return (
        tokens[index].word == "SETTINGS"
        and index + 3 < end + 1
        and index + 2 < len(tokens)
        and tokens[index + 1].kind is TokenKind.WORD
        and tokens[index + 2].text == "="
    )


def settings_edits(tokens: list[Token], calls: list[tuple[int, int]], ignored: list[str]) -> Iterator[Edit]:
    """SETTINGS of a statement: into its table functions, or AS OF behind its only table.

    Those of ClickHouse's engine have no effect; `ignored` gets a sentence about each.
    """
    call_ranges = [range(start, end) for start, end in calls]
    settings_index = next(
        (
            i
            for i in range(1, len(tokens))  # behind a statement
            if is_settings(tokens, i, len(tokens)) and not any(i in r for r in call_ranges)
        ),
        None,
    )
    if settings_index is None:
        return
    end = len(tokens)
    if tokens[0].word == "INSERT":  # they may stand before VALUES and SELECT
        end = next((i for i in range(settings_index, end) if tokens[i].word in ("VALUES", "SELECT", "WITH")), end)
    pairs = []
    for start, stop in comma_ranges(tokens, settings_index + 1, end):
        if stop - start < 3 or tokens[start + 1].text != "=":
            return
        value = " ".join(token.text for token in tokens[start + 2 : stop])
        pairs.append((tokens[start].text, value))
    arguments_set = [(name, value) for name, value in pairs if _is_argument(name)]
    ignored += [f"SETTINGS {name} is ignored" for name, _ in pairs if not _is_argument(name)]
    removal = Edit(tokens[settings_index - 1].end, tokens[end - 1].end, "")
    if calls or not arguments_set:
        yield removal
        named_arguments = ", ".join(f"{name} => {value}" for name, value in arguments_set)
        for opened, closed in calls if arguments_set else ():
            yield argument_edit(tokens, opened, closed, named_arguments)
        return
    as_of_clauses = [(_AS_OF.get(name.lower().removeprefix("iceberg_")), value) for name, value in arguments_set]
    tables = [i for i in range(settings_index) if tokens[i].word == "FROM" and name_end(tokens, i + 1) > i + 1]
    if len(as_of_clauses) == 1 and as_of_clauses[0][0] is not None and len(tables) == 1:
        yield removal
        end = tokens[name_end(tokens, tables[0] + 1) - 1].end
        yield Edit(end, end, " " + as_of_clauses[0][0].format(as_of_clauses[0][1]))


def _is_argument(name: str) -> bool:
    """True if a setting is an argument of the table functions, or may be a misspelt one."""
    if name.lower() in _ENGINE_SETTINGS:
        return False
    return name.lower() in ARGUMENT_NAMES or bool(similar_names(name.lower(), sorted(ARGUMENT_NAMES)))
