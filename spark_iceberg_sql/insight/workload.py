"""A workload: queries with weights, from texts, a file, or Spark's event logs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from numbers import Real
from pathlib import Path

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.insight import event_log
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize
from spark_iceberg_sql.syntax.script import statements

_QUERIES = ("SELECT", "WITH", "FROM", "(")
_READING = ("DELETE", "UPDATE", "MERGE")
_SUFFIX = ".sql"
_MAX_WEIGHT = 1e12  # so that a cost and its square stay numbers
_WRITING = ("INSERT", "CREATE", "REPLACE")  # these read if they have a query


@dataclass(frozen=True, slots=True)
class Query:
    """A query. text: its SQL. weight: how often it runs, relative to the others.

    write_keyword: the first word of a statement that reads and writes, such as DELETE; None for a query; empty for a
    statement of a script that does neither, or that cannot be read. number: which of all statements it is, from 1.
    """

    text: str
    weight: float = 1.0
    write_keyword: str | None = None
    number: int = field(default=0, compare=False)


def workload(
    queries: str | Iterable[str | tuple[str, float]],
    decompress: Callable[[Path], Path] | None = None,
    *,
    writing: bool = False,
) -> tuple[Query, ...]:
    """The queries of a workload; equal texts count as one query with the sum of their weights.

    queries: texts, or pairs of a text and a weight, or one string. A text is a script, the path of a file of them, or
    the path of an event log of Spark or of a folder of them, whose queries weigh as often as they ran. Statements that
    are not queries are skipped. decompress: as for `event_log.query_counts`. writing: whether to return the other
    statements, too, with their keyword; not those of event logs that do not read, which may be any text.
    Raises IcebergSqlError for a weight that is not positive or too large.
    """
    weights: dict[tuple[str, str | None], float] = {}
    numbers: dict[tuple[str, str | None], int] = {}
    counter = count(1)
    for word, weight in _weighted_entries(queries):
        if not 0 < weight <= _MAX_WEIGHT:
            raise IcebergSqlError(f"a query's weight must be a positive number up to {_MAX_WEIGHT:.0e}, not {weight}")
        from_log = _is_log(word)
        for text, run_count in _entry_texts(word, decompress):
            for statement, number in zip(_classified_statements(text), counter, strict=False):
                if statement[1] is None or (writing and not (from_log and not statement[1])):
                    weights[statement] = weights.get(statement, 0.0) + weight * run_count
                    numbers.setdefault(statement, number)
    return tuple(Query(text, weight, word, numbers[text, word]) for (text, word), weight in weights.items())


def skipped_statements(queries: str | Iterable[str | tuple[str, float]]) -> Iterator[str]:
    """The statements of scripts that `workload` skips, since they are not queries; none of event logs."""
    for entry, _ in _weighted_entries(queries):
        if _is_log(entry):
            continue
        for text in _entry_texts(entry, None):
            query_texts = set(_queries(text[0]))
            for statement in statements(text[0]):
                if statement.text.strip().rstrip(";").strip() not in query_texts:
                    yield statement.text


def _weighted_entries(queries: str | Iterable[str | tuple[str, float]]) -> Iterable[tuple[str, float]]:
    for item in [queries] if isinstance(queries, str) else queries:
        yield (item, 1.0) if isinstance(item, str) else _weighted_pair(item)


def _weighted_pair(item: object) -> tuple[str, float]:
    if isinstance(item, (tuple, list)) and len(item) == 2:
        text, weight = item
        if isinstance(text, str) and isinstance(weight, Real):
            try:
                return text, float(weight)
            except OverflowError:
                return text, math.inf
    raise IcebergSqlError(f"a query is a string, or a pair of a string and a weight, not {item!r}")


def _entry_texts(entry: str, decompress: Callable[[Path], Path] | None) -> Iterable[tuple[str, int]]:
    """A script, the text of the file it names, or the texts of the event log, with how often each ran."""
    if not _is_path(entry):
        return ((entry, 1),)
    if not event_log.is_event_log(Path(entry)):
        return ((decode(read_bytes(entry), entry)[0], 1),)
    counts = event_log.query_counts(Path(entry), decompress)
    if not any(True for text in counts for _ in _queries(text)):
        raise IcebergSqlError(
            f"the event log {entry} has {sum(counts.values()):,} SQL executions, but no query text",
            help="spark-sql and the Thrift server write it; in programs, set it before each query: "
            "spark.sparkContext.setJobDescription(text)",
        )
    return counts.items()


def _is_path(entry: str) -> bool:
    """True if a text names a file: one that exists, or `my queries.sql`, which is no statement."""
    if not entry.strip():
        return False
    if _exists(entry):
        return True
    if not entry.lower().endswith(_SUFFIX):
        return False
    first_word = entry.split(None, 1)[0].upper()
    return not any(map(str.isspace, entry)) or first_word not in (*_QUERIES, *_READING, *_WRITING)


def _is_log(entry: str) -> bool:
    return _is_path(entry) and event_log.is_event_log(Path(entry))


def _exists(entry: str) -> bool:
    try:
        return Path(entry).exists()
    except (OSError, ValueError):  # a text that no file can be named
        return False


def _queries(text: str) -> Iterator[str]:
    return (query for query, word in _classified_statements(text) if word is None)


def _classified_statements(text: str) -> Iterator[tuple[str, str | None]]:
    """The statements: with None for a query, the keyword if it reads and writes, an empty text otherwise."""
    for statement in statements(text):
        keywords = [t.text.upper() for t in tokenize(statement.text) if t.kind not in TRIVIA]
        first = _main_keyword(keywords)
        statement_text = statement.text.strip().rstrip(";").strip()
        if first in _QUERIES:
            yield statement_text, None
        elif first in _READING or (first in _WRITING and _has_query(keywords, first)):
            yield statement_text, first
        else:
            yield statement_text, ""


def _main_keyword(keywords: Sequence[str]) -> str:
    """The main keyword of a statement: its first one, or the one after WITH ... or FROM ..., such as INSERT."""
    first, depth = (keywords[0] if keywords else ""), 0
    for previous, word, following in zip(keywords, keywords[1:], [*keywords[2:], ""], strict=False):
        depth += {"(": 1, ")": -1}.get(previous, 0)
        if depth:
            continue
        # A table expression may have any name, but only its `)` comes right before the statement.
        starts_statement = previous == ")" and word in (*_QUERIES, *_READING, "INSERT")
        is_insert = word == "INSERT" and following in ("INTO", "OVERWRITE")
        if (first == "WITH" and starts_statement) or (first == "FROM" and (is_insert or word == "SELECT")):
            first = word
        if first not in ("WITH", "FROM"):
            break
    return first


def _has_query(keywords: Sequence[str], first: str) -> bool:
    if first == "INSERT":
        return "VALUES" not in keywords or "SELECT" in keywords
    return "TABLE" in keywords[:3] and "SELECT" in keywords  # a view or a function reads nothing yet
