"""ClickHouse's CREATE TABLE ... ENGINE = Iceberg...(...) in Spark's words.

CREATE TABLE c.t (a Int64) ENGINE = IcebergLocal('/p')   CREATE TABLE c.t (a BIGINT NOT NULL) USING iceberg CREATE TABLE
c.t ENGINE = IcebergLocal('/p')             REFRESH TABLE c.t, which is attached
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.table_functions import BY_NAME
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_CLICKHOUSE_FUNCTION, BY_CLICKHOUSE_TRANSFORM, TRANSFORMS
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.clickhouse.clickhouse_types import SparkType, column_name, spark_type
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall, literal_call
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token

_CREATE = (["CREATE", "TABLE"], ["CREATE", "OR", "REPLACE", "TABLE"])
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_CLAUSES = (("PARTITION", "BY"), ("ORDER", "BY"), ("PRIMARY", "KEY"), ("SAMPLE", "BY"))


@dataclass(frozen=True, slots=True)
class CreateTranslation:
    """A CREATE TABLE in Spark's syntax.

    text: the statement. call: the engine, as a call of a table function. name: the table's, its parts.
    has_columns: the statement has columns; otherwise the table must exist. ignored: sentences about clauses without
    effect.
    """

    text: str
    call: LiteralCall
    name: tuple[str, ...]
    has_columns: bool
    ignored: tuple[str, ...]


def translate_create(tokens: list[Token], collections: Collection[str]) -> CreateTranslation | None:
    """The translation of a CREATE TABLE with one of ClickHouse's engines for Iceberg; None for any other statement.

    Raises IcebergSqlError for what has no equal.
    """
    engine = next((i for i in range(len(tokens)) if _is_engine(tokens, i)), None)
    if engine is None:
        return None
    if tokens[1].word == "OR":
        raise IcebergSqlError(
            f"CREATE OR REPLACE TABLE with ENGINE = {tokens[engine + 2].text} has no equivalent: the table at a path "
            "is not replaced",
            help="write CREATE TABLE IF NOT EXISTS, which keeps a table that is there",
        )
    name_start = 2
    if_not_exists = [t.word for t in tokens[name_start : name_start + 3]] == ["IF", "NOT", "EXISTS"]
    name_start += 3 * if_not_exists
    end = name_end(tokens, name_start)
    name = tuple(column_name(t) for t in tokens[name_start:end:2])
    table_text = "".join(t.text for t in tokens[name_start:end])
    call = literal_call(tokens, engine + 2, collections)
    engine_close = closing_index(tokens, engine + 3)
    if end == name_start or call is None or engine_close == len(tokens):
        raise IcebergSqlError(
            f"the arguments of ENGINE = {tokens[engine + 2].text} must be literals",
            help=f"write ENGINE = {tokens[engine + 2].text}('/path/of/the/table')",
        )
    if len(name) < 2:
        raise IcebergSqlError(
            f"`{table_text}` does not name a catalog, and Spark finds tables by their catalog",
            help=f"write CREATE TABLE lake.{table_text} ..., where `lake` is any new name",
        )
    columns: dict[str, tuple[str, SparkType]] = {}
    if tokens[end].text == "(":
        columns = _columns(tokens[end + 1 : closing_index(tokens, end)])
        end = closing_index(tokens, end) + 1
    if end != engine:
        raise IcebergSqlError(f"`{tokens[end].text}` is not supported before ENGINE", help="leave it out")
    partitioning, comment, ignored = _clauses(tokens[engine_close + 1 :], columns, table_text)
    for key, value in call.keywords:
        if columns and key.lower() == "format" and str(value).lower() not in ("parquet", "auto"):
            ignored.append(
                f"{key} = '{value}' is ignored; for that format of new files, run ALTER TABLE {table_text} SET "
                f"TBLPROPERTIES ('write.format.default' = '{str(value).lower()}')"
            )
    if not columns:
        return CreateTranslation(f"REFRESH TABLE {table_text}", call, name, False, tuple(ignored))
    column_list = ", ".join(text for text, _ in columns.values())
    text = f"CREATE TABLE {'IF NOT EXISTS ' if if_not_exists else ''}{table_text} ({column_list}) USING iceberg"
    text += f" PARTITIONED BY ({', '.join(partitioning)})" if partitioning else ""
    return CreateTranslation(text + (f" COMMENT {comment}" if comment else ""), call, name, True, tuple(ignored))


def _is_engine(tokens: list[Token], index: int) -> bool:
    return (
        [t.word for t in tokens[: 2 if index < 4 or tokens[1].word == "TABLE" else 4]] in _CREATE
        and tokens[index].word == "ENGINE"
        and index + 3 < len(tokens)
        and tokens[index + 1].text == "="
        and tokens[index + 2].text.lower() in BY_NAME
        and tokens[index + 3].text == "("
    )


def name_end(tokens: list[Token], start: int) -> int:
    """The index after a name of parts with dots; `start` if there is none."""
    index = start
    while index < len(tokens) and tokens[index].kind in NAME_KINDS:
        if index + 1 < len(tokens) and tokens[index + 1].text == ".":
            index += 2
        else:
            return index + 1
    return start


def _columns(tokens: list[Token]) -> dict[str, tuple[str, SparkType]]:
    columns_by_name = {}
    for definition in between_commas(tokens):
        if len(definition) < 2 or definition[0].word in ("INDEX", "CONSTRAINT", "PROJECTION", "PRIMARY"):
            text = " ".join(t.text for t in definition[:2])
            raise IcebergSqlError(
                f"`{text}` is neither a column definition nor supported by Iceberg", help="leave it out"
            )
        name = column_name(definition[0])
        column_type, remaining = spark_type(name, definition[1:])
        columns_by_name[name] = (f"{quoted(name)} {column_type.with_nulls}{comment_of(name, remaining)}", column_type)
    return columns_by_name


def comment_of(column: str, tokens: list[Token]) -> str:
    """The COMMENT after a column's type, with a blank before it; empty without tokens."""
    if not tokens:
        return ""
    if len(tokens) == 2 and tokens[0].word == "COMMENT" and tokens[1].kind in STRINGS:
        return f" COMMENT {tokens[1].text}"
    raise IcebergSqlError(
        f"`{tokens[0].text}` of the column `{column}` has no equivalent in Iceberg", help="leave it out"
    )


def _clauses(
    tokens: list[Token], columns: dict[str, tuple[str, SparkType]], name: str
) -> tuple[list[str], str | None, list[str]]:
    """The partition fields, the comment, and sentences about clauses without effect."""
    partitioning: list[str] = []
    comment = None
    ignored: list[str] = []
    index = 0
    while index < len(tokens):
        end = next((i for i in range(index + 1, len(tokens)) if _clause_begins(tokens, i)), len(tokens))
        clause_words, body = (tuple(t.word for t in tokens[index : index + 2]), tokens[index + 2 : end])
        if clause_words == _CLAUSES[0]:
            partitioning = [_term(term, columns) for term in _terms(body)]
        elif clause_words in _CLAUSES[1:3]:
            if terms := _terms(body):
                fields = ", ".join(" ".join(t.text for t in term) for term in terms)
                ignored.append(f"{' '.join(clause_words)} ({fields}) is ignored{_sort_advice(terms, columns, name)}")
        elif clause_words[0] == "COMMENT" and not body:
            comment = tokens[index + 1].text
        elif clause_words[0] == "SETTINGS":
            pairs = between_commas(tokens[index + 1 : end])
            ignored += [f"SETTINGS {pair[0].text} is ignored" for pair in pairs if pair]
        else:
            raise IcebergSqlError(
                f"`{' '.join(clause_words)}` is not supported for an Iceberg table",
                help="leave it out" + (", and INSERT the rows afterwards" if clause_words[0] == "AS" else ""),
            )
        index = end
    return partitioning, comment, ignored


def _sort_advice(terms: list[list[Token]], columns: dict[str, tuple[str, SparkType]], name: str) -> str:
    """The advice with the statement that sorts by them; empty if Iceberg cannot."""
    order_terms = []
    for term in terms:
        # ClickHouse has NULL last, in both directions.
        is_descending = term[-1].word in ("DESC", "DESCENDING")
        term_tokens = term[:-1] if is_descending or term[-1].word in ("ASC", "ASCENDING") else term
        try:
            term_text = _term(term_tokens, columns) if columns or len(term_tokens) > 1 else term_tokens[0].text
        except IcebergSqlError:
            return ""
        order_terms.append(f"{term_text}{' DESC' if is_descending else ''} NULLS LAST")
    return f"; to sort what is written, run ALTER TABLE {name} WRITE ORDERED BY {', '.join(order_terms)}"


def _clause_begins(tokens: list[Token], index: int) -> bool:
    clause_words = tuple(t.word for t in tokens[index : index + 2])
    depth = sum({"(": 1, ")": -1}.get(t.text, 0) for t in tokens[:index])
    return depth == 0 and (clause_words in _CLAUSES or clause_words[0] in ("SETTINGS", "COMMENT", "TTL", "AS"))


def _terms(tokens: list[Token]) -> list[list[Token]]:
    if tokens and tokens[0].word == "TUPLE":
        tokens = tokens[1:]
    if tokens and tokens[0].text == "(" and closing_index(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return [term for term in between_commas(tokens) if term]


def _term(tokens: list[Token], columns: dict[str, tuple[str, SparkType]]) -> str:
    """A partition field in Spark's words."""
    if len(tokens) == 1 and column_name(tokens[0]) in columns:
        return quoted(column_name(tokens[0]))
    function = tokens[0].text.lower()
    arguments = between_commas(tokens[2:-1]) if len(tokens) > 3 and tokens[1].text == "(" else []
    sources = [column_name(a[0]) if len(a) == 1 else "" for a in arguments]
    transform = BY_CLICKHOUSE_TRANSFORM.get(function)
    if transform is None and (transform := BY_CLICKHOUSE_FUNCTION.get(function)) is not None and sources:
        # Its days are those of the column's zone; identity has none.
        source_type = columns[sources[-1]][1] if sources[-1] in columns else None
        is_utc = source_type is not None and source_type.text in _TIMES and source_type.has_utc_calendar
        transform = transform if is_utc or transform.is_identity else None
    if transform is not None and sources and sources[-1] in columns:
        column = quoted(sources[-1])
        if transform.parameter is not None and len(sources) == 2 and sources[0].isdecimal():
            return transform.clause(column, int(sources[0]))
        if transform.parameter is None and len(sources) == 1:
            return transform.clause(column)
    missing_column = sources[-1] if sources else column_name(tokens[0]) if len(tokens) == 1 else ""
    if missing_column and missing_column not in columns and not missing_column.isdecimal():
        similar = next((c for c in columns if c.lower() == missing_column.lower()), None)
        raise IcebergSqlError(
            f"PARTITION BY names the column `{missing_column}`, which the table does not have",
            help=f"write {quoted(similar) if similar else 'one of ' + ', '.join(map(quoted, columns))}",
        )
    transform_calls = [f"{t.clickhouse_transforms[0]}({_arguments(t)})" for t in TRANSFORMS if t.clickhouse_transforms]
    supported_terms = f"a column, {', '.join(transform_calls[:-1])} or {transform_calls[-1]}"
    text = "".join(t.text for t in tokens)
    raise IcebergSqlError(
        f"no Iceberg transform makes the same partitions as PARTITION BY `{text}`",
        help=f"write {supported_terms}; the days of a time are those of UTC",
    )


def _arguments(transform: Transform) -> str:
    return "time" if transform.parameter is None else f"{transform.parameter.example}, column"
