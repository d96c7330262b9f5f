"""ClickHouse's CREATE TABLE ... ENGINE = Iceberg...(...) in Spark's words.

CREATE TABLE c.t (a Int64) ENGINE = IcebergLocal('/p')   CREATE TABLE c.t (a BIGINT NOT NULL) USING iceberg
CREATE TABLE c.t ENGINE = IcebergLocal('/p')             REFRESH TABLE c.t, which is attached
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.table_functions import FUNCTIONS
from spark_iceberg_sql.model.transforms import BY_CLICKHOUSE_FUNCTION
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.clickhouse_types import (
    SparkType,
    column_name,
    spark_type,
)
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.literal_calls import Call, literal_call

_ENGINES = frozenset(name.lower() for function in FUNCTIONS for name in function.names)
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_CLAUSES = (("PARTITION", "BY"), ("ORDER", "BY"), ("PRIMARY", "KEY"), ("SAMPLE", "BY"))


@dataclass(frozen=True, slots=True)
class Created:
    """A CREATE TABLE in Spark's syntax.

    text: the statement. call: the engine, as a call of a table function. name: the table's, its parts.
    has_columns: the statement has columns; otherwise the table must exist. ignored: sentences about clauses
    without effect.
    """

    text: str
    call: Call
    name: tuple[str, ...]
    new: bool
    ignored: tuple[str, ...]


def created(tokens: list[Token], collections: Collection[str]) -> Created | None:
    """The translation of a CREATE TABLE with one of ClickHouse's engines for Iceberg; None for any other statement.

    Raises IcebergSqlError for what has no equal.
    """
    engine = next((i for i in range(len(tokens)) if _is_engine(tokens, i)), None)
    if engine is None:
        return None
    at = 2
    again = [t.word for t in tokens[at : at + 3]] == ["IF", "NOT", "EXISTS"]
    at += 3 * again
    end = name_end(tokens, at)
    name = tuple(column_name(t) for t in tokens[at:end:2])
    written = "".join(t.text for t in tokens[at:end])
    call = literal_call(tokens, engine + 2, collections)
    close = closing(tokens, engine + 3)
    if end == at or call is None or close == len(tokens):
        raise IcebergSqlError(
            f"the arguments of ENGINE = {tokens[engine + 2].text} must be literals",
            help=f"write ENGINE = {tokens[engine + 2].text}('/path/of/the/table')",
        )
    if len(name) < 2:
        raise IcebergSqlError(
            f"`{written}` does not name a catalog, and Spark finds tables by their catalog",
            help=f"write CREATE TABLE lake.{written} ..., where `lake` is any new name",
        )
    columns: dict[str, tuple[str, SparkType]] = {}
    if tokens[end].text == "(":
        columns = _columns(tokens[end + 1 : closing(tokens, end)])
        end = closing(tokens, end) + 1
    if end != engine:
        raise IcebergSqlError(
            f"`{tokens[end].text}` is not supported before ENGINE", help="leave it out"
        )
    partitioning, comment, ignored = _clauses(tokens[close + 1 :], columns, written)
    for key, value in call.named:
        if columns and key.lower() == "format" and str(value).lower() not in ("parquet", "auto"):
            ignored.append(
                f"{key} = '{value}' is ignored; for that format of new files, run ALTER TABLE {written} SET "
                f"TBLPROPERTIES ('write.format.default' = '{str(value).lower()}')"
            )
    if not columns:
        return Created(f"REFRESH TABLE {written}", call, name, False, tuple(ignored))
    listed = ", ".join(text for text, _ in columns.values())
    text = f"CREATE TABLE {'IF NOT EXISTS ' if again else ''}{written} ({listed}) USING iceberg"
    text += f" PARTITIONED BY ({', '.join(partitioning)})" if partitioning else ""
    return Created(
        text + (f" COMMENT {comment}" if comment else ""), call, name, True, tuple(ignored)
    )


def _is_engine(tokens: list[Token], at: int) -> bool:
    return (
        [t.word for t in tokens[:2]] == ["CREATE", "TABLE"]
        and tokens[at].word == "ENGINE"
        and at + 3 < len(tokens)
        and tokens[at + 1].text == "="
        and tokens[at + 2].text.lower() in _ENGINES
        and tokens[at + 3].text == "("
    )


def name_end(tokens: list[Token], start: int) -> int:
    """The index after a name of parts with dots; `start` if there is none."""
    at = start
    while at < len(tokens) and tokens[at].kind in (Kind.WORD, Kind.QUOTED):
        if at + 1 < len(tokens) and tokens[at + 1].text == ".":
            at += 2
        else:
            return at + 1
    return start


def _columns(tokens: list[Token]) -> dict[str, tuple[str, SparkType]]:
    found = {}
    for written in between_commas(tokens):
        if len(written) < 2 or written[0].word in ("INDEX", "CONSTRAINT", "PROJECTION", "PRIMARY"):
            text = " ".join(t.text for t in written[:2])
            raise IcebergSqlError(
                f"`{text}` is neither a column definition nor supported by Iceberg",
                help="leave it out",
            )
        name = column_name(written[0])
        kind, rest = spark_type(name, written[1:])
        found[name] = (f"{quoted(name)} {kind.with_nulls}{comment_of(name, rest)}", kind)
    return found


def comment_of(column: str, tokens: list[Token]) -> str:
    """The COMMENT after a column's type, with a blank before it; empty without tokens."""
    if not tokens:
        return ""
    if len(tokens) == 2 and tokens[0].word == "COMMENT" and tokens[1].kind in STRINGS:
        return f" COMMENT {tokens[1].text}"
    raise IcebergSqlError(
        f"`{tokens[0].text}` of the column `{column}` has no equivalent in Iceberg",
        help="leave it out",
    )


def _clauses(
    tokens: list[Token], columns: dict[str, tuple[str, SparkType]], name: str
) -> tuple[list[str], str | None, list[str]]:
    """The partition fields, the comment, and sentences about clauses without effect."""
    partitioning: list[str] = []
    comment = None
    ignored: list[str] = []
    at = 0
    while at < len(tokens):
        end = next((i for i in range(at + 1, len(tokens)) if _starts(tokens, i)), len(tokens))
        words, body = tuple(t.word for t in tokens[at : at + 2]), tokens[at + 2 : end]
        if words == _CLAUSES[0]:
            partitioning = [_term(term, columns) for term in _terms(body)]
        elif words in _CLAUSES[1:3]:
            terms = _terms(body)
            if terms:
                fields = ", ".join(" ".join(t.text for t in term) for term in terms)
                ignored.append(
                    f"{' '.join(words)} ({fields}) is ignored{_ordered(terms, columns, name)}"
                )
        elif words[0] == "COMMENT" and not body:
            comment = tokens[at + 1].text
        elif words[0] == "SETTINGS":
            pairs = between_commas(tokens[at + 1 : end])
            ignored += [f"SETTINGS {pair[0].text} is ignored" for pair in pairs if pair]
        else:
            raise IcebergSqlError(
                f"`{' '.join(words)}` is not supported for an Iceberg table",
                help="leave it out"
                + (", and INSERT the rows afterwards" if words[0] == "AS" else ""),
            )
        at = end
    return partitioning, comment, ignored


def _ordered(terms: list[list[Token]], columns: dict[str, tuple[str, SparkType]], name: str) -> str:
    """The advice with the statement that sorts by them; empty if Iceberg cannot."""
    written = []
    for term in terms:
        # ClickHouse has NULL last, in both directions.
        down = term[-1].word in ("DESC", "DESCENDING")
        core = term[:-1] if down or term[-1].word in ("ASC", "ASCENDING") else term
        try:
            one = _term(core, columns) if columns or len(core) > 1 else core[0].text
        except IcebergSqlError:
            return ""
        written.append(f"{one}{' DESC' if down else ''} NULLS LAST")
    order = ", ".join(written)
    return f"; to sort what is written, run ALTER TABLE {name} WRITE ORDERED BY {order}"


def _starts(tokens: list[Token], at: int) -> bool:
    words = tuple(t.word for t in tokens[at : at + 2])
    depth = sum({"(": 1, ")": -1}.get(t.text, 0) for t in tokens[:at])
    return depth == 0 and (words in _CLAUSES or words[0] in ("SETTINGS", "COMMENT", "TTL", "AS"))


def _terms(tokens: list[Token]) -> list[list[Token]]:
    if tokens and tokens[0].word == "TUPLE":
        tokens = tokens[1:]
    if tokens and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return [term for term in between_commas(tokens) if term]


def _term(tokens: list[Token], columns: dict[str, tuple[str, SparkType]]) -> str:
    """A partition field in Spark's words."""
    if len(tokens) == 1 and column_name(tokens[0]) in columns:
        return quoted(column_name(tokens[0]))
    function = tokens[0].text.lower()
    inside = between_commas(tokens[2:-1]) if len(tokens) > 3 and tokens[1].text == "(" else []
    sources = [column_name(a[0]) if len(a) == 1 else "" for a in inside]
    transform = BY_CLICKHOUSE_FUNCTION.get(function)
    if transform is not None and sources and sources[-1] in columns:
        column = quoted(sources[-1])
        if transform.parameter is not None and len(sources) == 2 and sources[0].isdecimal():
            return f"{transform.spelling}({sources[0]}, {column})"
        source_type = columns[sources[-1]][1]
        is_utc = source_type.text in _TIMES and source_type.has_utc_calendar
        if transform.parameter is None and len(sources) == 1 and is_utc:
            return transform.clause(column)
    wanted = sources[-1] if sources else column_name(tokens[0]) if len(tokens) == 1 else ""
    if wanted and wanted not in columns:
        near = next((c for c in columns if c.lower() == wanted.lower()), None)
        raise IcebergSqlError(
            f"PARTITION BY names the column `{wanted}`, which the table does not have",
            help=f"write {quoted(near) if near else 'one of ' + ', '.join(map(quoted, columns))}",
        )
    known = "a column, toYYYYMM(time), toDate(time), icebergBucket(16, column) or icebergTruncate(4, column)"
    text = "".join(t.text for t in tokens)
    raise IcebergSqlError(
        f"no Iceberg transform makes the same partitions as PARTITION BY `{text}`",
        help=f"write {known}; the days of a time are those of UTC",
    )
