"""SETTINGS of a statement in ClickHouse's syntax."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.model.schema import similar_names
from spark_iceberg_sql.model.table_functions import FUNCTIONS
from spark_iceberg_sql.syntax.clickhouse_tables import name_end
from spark_iceberg_sql.syntax.function_calls import Edit, added
from spark_iceberg_sql.syntax.lexer import Kind, Token

_AS_OF = {
    "snapshot_id": "VERSION AS OF {}",
    "timestamp_ms": "TIMESTAMP AS OF timestamp_millis({})",
}


def arguments(tokens: list[Token], start: int, end: int) -> list[tuple[int, int]]:
    """Index ranges between the commas of a bracket's own level."""
    found, depth, first = [], 0, start
    for at in range(start, end):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(tokens[at].text, 0)
        if tokens[at].text == "," and depth == 0:
            found.append((first, at))
            first = at + 1
    found.append((first, end))
    return found


def is_settings(tokens: list[Token], at: int, end: int) -> bool:
    """True if SETTINGS name = value begins at a token."""
    return (
        tokens[at].word == "SETTINGS"
        and at + 3 < end + 1
        and at + 2 < len(tokens)
        and tokens[at + 1].kind is Kind.WORD
        and tokens[at + 2].text == "="
    )


def settings(
    tokens: list[Token], calls: list[tuple[int, int]], ignored: list[str]
) -> Iterator[Edit]:
    """SETTINGS of a statement: into its table functions, or AS OF behind its only table.

    Those of ClickHouse's engine have no effect; `ignored` gets a sentence about each.
    """
    inside = [range(start, end) for start, end in calls]
    at = next(
        (
            i
            for i in range(1, len(tokens))  # behind a statement
            if is_settings(tokens, i, len(tokens)) and not any(i in r for r in inside)
        ),
        None,
    )
    if at is None:
        return
    end = len(tokens)
    if tokens[0].word == "INSERT":  # they may stand before VALUES and SELECT
        end = next(
            (i for i in range(at, end) if tokens[i].word in ("VALUES", "SELECT", "WITH")), end
        )
    pairs = []
    for start, stop in arguments(tokens, at + 1, end):
        if stop - start < 3 or tokens[start + 1].text != "=":
            return
        value = " ".join(token.text for token in tokens[start + 2 : stop])
        pairs.append((tokens[start].text, value))
    ours = [(name, value) for name, value in pairs if _is_ours(name)]
    ignored += [f"SETTINGS {name} is ignored" for name, _ in pairs if not _is_ours(name)]
    gone = Edit(tokens[at - 1].end, tokens[end - 1].end, "")
    if calls or not ours:
        yield gone
        named = ", ".join(f"{name} => {value}" for name, value in ours)
        for opened, closed in calls if ours else ():
            yield added(tokens, opened, closed, named)
        return
    wanted = [(_AS_OF.get(name.lower().removeprefix("iceberg_")), value) for name, value in ours]
    tables = [i for i in range(at) if tokens[i].word == "FROM" and name_end(tokens, i + 1) > i + 1]
    if len(wanted) == 1 and wanted[0][0] is not None and len(tables) == 1:
        yield gone
        end = tokens[name_end(tokens, tables[0] + 1) - 1].end
        yield Edit(end, end, " " + wanted[0][0].format(wanted[0][1]))


def _is_ours(name: str) -> bool:
    """True if a setting is an argument of the table functions, or may be a misspelt one."""
    return name.lower() in _ARGUMENTS or bool(similar_names(name.lower(), sorted(_ARGUMENTS)))


_ARGUMENTS = frozenset(
    name for function in FUNCTIONS for a in function.arguments for name in (a.name, *a.aliases)
)
