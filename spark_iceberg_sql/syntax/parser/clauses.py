"""The clauses of CREATE TABLE after the columns; those that Iceberg tables do not have are skipped."""

from __future__ import annotations

from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax.lexer import TokenKind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.parser.columns import skip_expression
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.partitioned_by import partitioned_by
from spark_iceberg_sql.syntax.terms import ColumnDef, Offsets, Property, Term


@record(slots=True)
class Clauses:
    """The clauses read so far after the table's name."""

    columns: tuple[ColumnDef, ...] | None = None
    provider: str | None = None
    provider_span: Offsets | None = None
    clause_names: set[str] = field(default_factory=set)
    partitioning: tuple[Term, ...] | None = None
    partitioning_span: Offsets | None = None
    typed_partitions: tuple[ColumnDef, ...] = ()
    properties: tuple[Property, ...] = ()
    options: tuple[Property, ...] = ()
    clustered_by: Offsets | None = None
    cluster_by: Offsets | None = None
    location: tuple[str, Offsets] | None = None


# The clauses by their first keywords.
_CLAUSES = {
    "PARTITIONED": "PARTITIONED BY",
    "CLUSTERED": "CLUSTERED BY",
    "CLUSTER": "CLUSTER BY",
    "DEFAULT": "DEFAULT COLLATION",
    **{word: word for word in ("TBLPROPERTIES", "OPTIONS", "COMMENT", "LOCATION", "STORED", "ROW", "SKEWED")},
}


def read_clauses(cursor: Cursor, clauses: Clauses) -> None:
    """Read all clauses up to AS SELECT or the end into `clauses`."""
    while (word := cursor.word) in _CLAUSES and (word != "DEFAULT" or cursor.is_at("DEFAULT", "COLLATION")):
        start = cursor.token.start
        error_kind = "two-partitioned-by" if word == "PARTITIONED" else "duplicate-clause"
        cursor.add_clause(clauses.clause_names, _CLAUSES[word], error_kind)
        if word in ("STORED", "ROW", "SKEWED"):
            _skip_hive_clause(cursor, has_provider=clauses.provider is not None)
            continue
        cursor.index += 1
        if word == "PARTITIONED":
            clauses.partitioning, clauses.typed_partitions = partitioned_by(cursor)
            clauses.partitioning_span = cursor.since(start)
        elif word == "TBLPROPERTIES":
            clauses.properties = properties(cursor)
        elif word == "OPTIONS":
            clauses.options = properties(cursor, expressions=True)
        elif word == "COMMENT":
            cursor.string("a string in quotes")
        elif word == "LOCATION":
            clauses.location = cursor.string("a string in quotes")
        elif word == "CLUSTERED":
            _skip_clustered_by(cursor)
            clauses.clustered_by = cursor.since(start)
        elif word == "CLUSTER":
            cursor.expect("BY")
            cursor.expect_brackets()
            clauses.cluster_by = cursor.since(start)
        else:
            cursor.index += 1
            cursor.name("a collation")


def _skip_clustered_by(cursor: Cursor) -> None:
    """Skip BY (...) [SORTED BY (...)] INTO n BUCKETS."""
    cursor.expect("BY")
    _skip_columns(cursor)
    if cursor.take("SORTED"):
        cursor.expect("BY")
        _skip_columns(cursor, is_ordered=True)
    cursor.expect("INTO")
    if cursor.at_parameter:
        cursor.string()
    elif cursor.token.kind is TokenKind.NUMBER:
        cursor.index += 1
    else:
        cursor.fail("the number of buckets")
    cursor.expect("BUCKETS")


def _skip_columns(cursor: Cursor, *, is_ordered: bool = False) -> None:
    cursor.expect("(")
    for _ in cursor.comma_list():
        cursor.name("a column name")
        if is_ordered and cursor.word == "DESC":
            cursor.fail("`ASC`, the only order that Spark supports here", "hive-clause")
        if is_ordered:
            cursor.take("ASC")
    cursor.expect(")")


def _skip_hive_clause(cursor: Cursor, *, has_provider: bool) -> None:
    """Skip STORED AS or ROW FORMAT, which Spark refuses together with USING."""
    if has_provider or cursor.is_at("SKEWED") or cursor.is_at("STORED", "BY"):
        cursor.fail("a clause that Spark supports for this table", "hive-clause")
    if cursor.take("STORED"):
        cursor.expect("AS")
        if cursor.take("INPUTFORMAT"):
            cursor.string()
            cursor.expect("OUTPUTFORMAT")
            cursor.string()
        else:
            cursor.name("a file format")
        return
    cursor.index += 1
    cursor.expect("FORMAT")
    if cursor.take("SERDE"):
        cursor.string()
        if cursor.take("WITH", "SERDEPROPERTIES"):
            properties(cursor)
        return
    cursor.expect("DELIMITED")
    for keywords in (
        ("FIELDS", "TERMINATED", "BY"),
        ("ESCAPED", "BY"),
        ("COLLECTION", "ITEMS", "TERMINATED", "BY"),
        ("MAP", "KEYS", "TERMINATED", "BY"),
        ("LINES", "TERMINATED", "BY"),
        ("NULL", "DEFINED", "AS"),
    ):
        if cursor.take(*keywords):
            cursor.string()


def properties(cursor: Cursor, *, expressions: bool = False, values: bool = True) -> tuple[Property, ...]:
    """Read `(key = value, ...)`.

    expressions: a value may be any expression, as in OPTIONS. values: every key has a value and occurs once.
    """
    cursor.expect("(")
    entries: list[Property] = []
    keys: set[str] = set()
    for _ in cursor.comma_list():
        first = cursor.token
        if cursor.at_string or cursor.at_parameter:
            key = _string_key(cursor)
        else:
            key = ".".join(cursor.path("a property name").parts)
        key_span = cursor.since(first.start)
        if values and key in keys:
            raise ParseError(first, "each property once", "duplicate-key")
        keys.add(key)
        if values:
            cursor.take("=")
        value_start = cursor.token.start
        value = _value(cursor, expressions=expressions) if values else ""
        entries.append(Property(key, value, key_span, cursor.since(value_start) if values else key_span))
    cursor.expect(")")
    return tuple(entries)


def _string_key(cursor: Cursor) -> str:
    """Adjacent strings before `=` are concatenated; without `=`, the first is the key and the others are the value."""
    start = cursor.index
    key, _ = cursor.string()
    if cursor.word != "=" and cursor.index > start + 1 and cursor.tokens[start].text not in ("?", ":"):
        cursor.index = start + 1
        return unescape(cursor.tokens[start].text)
    return key


def _value(cursor: Cursor, *, expressions: bool) -> str:
    if cursor.at_string:
        first = cursor.index
        text, _ = cursor.string()
        if not expressions or cursor.word in (",", ")"):
            return text
        cursor.index = first
    start = cursor.token.start
    if expressions:
        skip_expression(cursor)
    elif cursor.token.kind is TokenKind.NUMBER or cursor.word in ("TRUE", "FALSE"):
        cursor.index += 1
    else:
        cursor.string("a value in quotes")
    return cursor.script[slice(*cursor.since(start))]
