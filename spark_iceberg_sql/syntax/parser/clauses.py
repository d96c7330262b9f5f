"""The clauses of CREATE TABLE after the columns; those that Iceberg tables do not have are skipped."""

from __future__ import annotations

from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.parser.columns import skip_expression
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.partitioned_by import partitioned_by
from spark_iceberg_sql.syntax.terms import ColumnDef, Offsets, Property, Term


@record(slots=True)
class Clauses:
    """The clauses read so far after the table's name."""

    columns: tuple[ColumnDef, ...] | None = None
    provider: str | None = None
    provider_span: Offsets | None = None
    seen: set[str] = field(default_factory=set)
    partitioning: tuple[Term, ...] | None = None
    partitioning_span: Offsets | None = None
    typed_partitions: tuple[ColumnDef, ...] = ()
    properties: tuple[Property, ...] = ()
    options: tuple[Property, ...] = ()
    clustered_by: Offsets | None = None
    cluster_by: Offsets | None = None
    location: tuple[str, Offsets] | None = None


def read_clauses(cursor: Cursor, got: Clauses) -> None:
    """Read all clauses up to AS SELECT or the end into `clauses`."""
    while not cursor.done:
        token, word = cursor.token, cursor.word
        after = cursor.words[cursor.i + 1]
        clause = word
        if word == "PARTITIONED":
            _once(got, cursor, "PARTITIONED BY", "two-partitioned-by")
            got.partitioning, got.typed_partitions = partitioned_by(cursor)
            got.partitioning_span = cursor.since(token.start)
        elif word == "TBLPROPERTIES":
            _once(got, cursor, clause)
            cursor.i += 1
            got.properties = properties(cursor)
        elif word == "OPTIONS":
            _once(got, cursor, clause)
            cursor.i += 1
            got.options = properties(cursor, expressions=True)
        elif word in ("COMMENT", "LOCATION"):
            _once(got, cursor, clause)
            cursor.i += 1
            text = cursor.string("a string in quotes")
            got.location = text if word == "LOCATION" else got.location
        elif word == "CLUSTERED":
            _once(got, cursor, "CLUSTERED BY")
            _clustered_by(cursor)
            got.clustered_by = cursor.since(token.start)
        elif word == "CLUSTER":
            _once(got, cursor, "CLUSTER BY")
            cursor.i += 1
            cursor.expect("BY")
            _bracketed(cursor)
            got.cluster_by = cursor.since(token.start)
        elif word == "DEFAULT" and after == "COLLATION":
            _once(got, cursor, "DEFAULT COLLATION")
            cursor.i += 2
            cursor.name("a collation")
        elif word in ("STORED", "ROW", "SKEWED"):
            _once(got, cursor, clause)
            _hive_clause(cursor, provider=got.provider is not None)
        else:
            break


def _once(got: Clauses, cursor: Cursor, clause: str, like: str = "duplicate-clause") -> None:
    if clause in got.seen:
        cursor.stop(f"one `{clause}`", like)
    got.seen.add(clause)


def _bracketed(cursor: Cursor) -> None:
    """Skip a parenthesized range of tokens."""
    if cursor.word != "(":
        cursor.stop("`(`")
    cursor.skip_brackets()


def _clustered_by(cursor: Cursor) -> None:
    """Skip CLUSTERED BY (...) [SORTED BY (...)] INTO n BUCKETS."""
    cursor.i += 1
    cursor.expect("BY")
    _columns(cursor)
    if cursor.take("SORTED"):
        cursor.expect("BY")
        _columns(cursor, ordered=True)
    cursor.expect("INTO")
    if cursor.at_parameter:
        cursor.string()
    elif cursor.token.kind is Kind.NUMBER:
        cursor.i += 1
    else:
        cursor.stop("the number of buckets")
    cursor.expect("BUCKETS")


def _columns(cursor: Cursor, *, ordered: bool = False) -> None:
    cursor.expect("(")
    while True:
        cursor.name("a column name")
        if ordered and cursor.word == "DESC":
            cursor.stop("`ASC`, the only order that Spark supports here", "hive-clause")
        if ordered:
            cursor.take("ASC")
        if not cursor.take(","):
            break
    cursor.expect(")")


def _hive_clause(cursor: Cursor, *, provider: bool) -> None:
    """Skip STORED AS or ROW FORMAT, which Spark refuses together with USING."""
    if provider or cursor.at("SKEWED") or cursor.at("STORED", "BY"):
        cursor.stop("a clause that Spark supports for this table", "hive-clause")
    if cursor.take("STORED"):
        cursor.expect("AS")
        if cursor.take("INPUTFORMAT"):
            cursor.string()
            cursor.expect("OUTPUTFORMAT")
            cursor.string()
        else:
            cursor.name("a file format")
        return
    cursor.i += 1
    cursor.expect("FORMAT")
    if cursor.take("SERDE"):
        cursor.string()
        _serde_properties(cursor)
        return
    cursor.expect("DELIMITED")
    for words in (
        ("FIELDS", "TERMINATED", "BY"),
        ("ESCAPED", "BY"),
        ("COLLECTION", "ITEMS", "TERMINATED", "BY"),
        ("MAP", "KEYS", "TERMINATED", "BY"),
        ("LINES", "TERMINATED", "BY"),
        ("NULL", "DEFINED", "AS"),
    ):
        if cursor.take(*words):
            cursor.string()


def _serde_properties(cursor: Cursor) -> None:
    if cursor.take("WITH", "SERDEPROPERTIES"):
        properties(cursor)


def properties(
    cursor: Cursor, *, expressions: bool = False, values: bool = True
) -> tuple[Property, ...]:
    """Read `(key = value, ...)`.

    expressions: a value may be any expression, as in OPTIONS. values: every key has a value and occurs once.
    """
    cursor.expect("(")
    found: list[Property] = []
    seen: set[str] = set()
    while True:
        first = cursor.token
        start = first.start
        if cursor.at_string or cursor.at_parameter:
            key = _string_key(cursor)
        else:
            key = ".".join(cursor.path("a property name").parts)
        key_span = cursor.since(start)
        if values and key in seen:
            raise Stop(first, "each property once", "duplicate-key")
        seen.add(key)
        if values:
            cursor.take("=")
        value_start = cursor.token.start
        value = _value(cursor, expressions=expressions) if values else ""
        found.append(
            Property(key, value, key_span, cursor.since(value_start) if values else key_span)
        )
        if not cursor.take(","):
            break
    cursor.expect(")")
    return tuple(found)


def _string_key(cursor: Cursor) -> str:
    """Adjacent strings before `=` are concatenated; without `=`, the first is the key and the others are the
    value.
    """
    start = cursor.i
    key, _ = cursor.string()
    if cursor.word != "=" and cursor.i > start + 1 and cursor.tokens[start].text not in ("?", ":"):
        cursor.i = start + 1
        return unescape(cursor.tokens[start].text)
    return key


def _value(cursor: Cursor, *, expressions: bool) -> str:
    if cursor.at_string:
        first = cursor.i
        text, _ = cursor.string()
        if not expressions or cursor.word in (",", ")"):
            return text
        cursor.i = first
    start = cursor.token.start
    if expressions:
        skip_expression(cursor)
    elif cursor.token.kind is Kind.NUMBER or cursor.word in ("TRUE", "FALSE"):
        cursor.i += 1
    else:
        cursor.string("a value in quotes")
    first, last = cursor.since(start)
    return cursor.script[first:last]
