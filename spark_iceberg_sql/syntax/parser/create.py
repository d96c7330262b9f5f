"""CREATE TABLE, CREATE OR REPLACE TABLE and REPLACE TABLE, with or without AS SELECT."""

from __future__ import annotations

from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import Create, Node, TemporaryTable
from spark_iceberg_sql.syntax.parser.clauses import Clauses, read_clauses
from spark_iceberg_sql.syntax.parser.columns import (
    at_table_constraint,
    column,
    skip_table_constraint,
)
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.typos import near
from spark_iceberg_sql.syntax.terms import ColumnDef, Offsets, Ref

_QUERY = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "("})
# Keywords that other engines allow before TABLE, and a Spark keyword in the wrong position.
_ELSEWHERE = frozenset({
    "TRANSIENT", "ICEBERG", "HYBRID", "DYNAMIC", "SNAPSHOT", "VOLATILE", "UNLOGGED", "MANAGED",
    "GLOBAL", "LOCAL", "FOREIGN", "TEMP", "TEMPORARY",
})  # fmt: skip
# Formats with their own grammar and their own catalogs.
OTHER_FORMATS = frozenset({"delta", "hudi", "paimon", "lance", "bigquery", "snowflake"})
_PARTITIONED = ("PARTITIONED", "PARTITION")
_CLAUSES = "`PARTITIONED BY (...)`, `TBLPROPERTIES (...)`, `COMMENT`, `LOCATION` or `AS SELECT`"


def creating_verb(cursor: Cursor) -> tuple[bool, bool]:
    """Skip CREATE, CREATE OR REPLACE or REPLACE; returns whether it creates and whether it replaces."""
    create = cursor.take("CREATE")
    return create, cursor.take("OR", "REPLACE") if create else cursor.take("REPLACE")


def create_table(cursor: Cursor) -> Node | None:
    """Read from CREATE or REPLACE on; None if the statement creates no table."""
    got = Clauses()
    start = cursor.token.start
    try:
        return _create_table(cursor, got)
    except Stop as stop:
        if cursor.target is not None:
            stop.begun = _begun((start, cursor.tokens[cursor.count].end), cursor.target, got)
        raise


def _begun(span: Offsets, table: Ref, got: Clauses) -> Create:
    """The part of a CREATE TABLE that was read before an error."""
    return Create(
        span,
        table,
        columns=got.columns,
        partitioning=got.partitioning,
        typed_partitions=got.typed_partitions,
        provider=got.provider,
        properties=got.properties,
        options=got.options,
    )


def _create_table(cursor: Cursor, got: Clauses) -> Node | None:
    start = cursor.token.start
    create, replace = creating_verb(cursor)
    temporary = create and not replace and (cursor.take("TEMPORARY") or cursor.take("TEMP"))
    external = cursor.take("EXTERNAL")
    if not cursor.take("TABLE"):
        _other_table(cursor)
        return None
    cursor.partition = True
    if external and replace:
        raise Stop(cursor.tokens[cursor.i - 2], "`TABLE`", "replace-external")
    if_not_exists = False
    if cursor.at("IF") and cursor.words[cursor.i + 1] in ("NOT", "!"):
        if replace:
            cursor.stop("a table name", "replace-if-not-exists")
        if temporary:
            cursor.stop("a table name", "temporary-table")
        cursor.i += 2
        cursor.expect("EXISTS")
        if_not_exists = True
    table = cursor.target = cursor.table()
    if not (replace or temporary or external) and cursor.take("LIKE"):
        like = cursor.path("a table name")
        _after_like(cursor, table, like)
        return Create(_whole(cursor, start), table, if_not_exists=if_not_exists, like=like)
    opening = cursor.token
    columns = got.columns = _columns(cursor)
    if cursor.take("USING"):
        name = cursor.path("a format, `iceberg`")
        got.provider, got.provider_span = ".".join(name.parts).lower(), name.span
        # Other formats may accept more clauses than Spark's own.
        cursor.partition = got.provider not in OTHER_FORMATS
    read_clauses(cursor, got)
    begun = cursor.token
    query = _query(cursor)
    path = next((option for option in got.options if option.key.lower() == "path"), None)
    if got.location is not None and path is not None:
        word = cursor.script[slice(*path.key_span)]
        raise Stop(Token(Kind.WORD, word, *path.key_span), "one place", "two-locations")
    if query and columns is not None:
        raise Stop(opening, "`AS SELECT` without a column list", "columns-in-ctas")
    if query and got.typed_partitions:
        start_of_type = got.typed_partitions[0].type_span
        token = Token(Kind.WORD, cursor.script[slice(*start_of_type)], *start_of_type)
        raise Stop(token, "the column's name alone", "types-in-ctas")
    if temporary:
        if got.provider is None or query or len(table.parts) > 1:
            odd = Token(Kind.WORD, table.text, *table.span)
            raise Stop(begun if query else odd, "`USING` and a format", "temporary-table")
        listed = (opening.start, columns[-1].type_span[1]) if columns else None
        place = got.location is not None or path is not None
        span = got.partitioning_span
        return TemporaryTable(_whole(cursor, start), table, got.provider, listed, span, place)
    return Create(
        _whole(cursor, start),
        table,
        create=create,
        replace=replace,
        if_not_exists=if_not_exists,
        external=external,
        columns=columns,
        partitioning=got.partitioning,
        partitioning_span=got.partitioning_span,
        typed_partitions=got.typed_partitions,
        provider=got.provider,
        provider_span=got.provider_span,
        properties=got.properties,
        options=got.options,
        clustered_by=got.clustered_by,
        cluster_by=got.cluster_by,
        query=query,
        location=got.location,
        hive=bool(got.seen & {"STORED", "ROW"}),
    )


def _other_table(cursor: Cursor) -> None:
    """Raise ParseError for CREATE TRANSIENT TABLE and similar statements."""
    ahead = cursor.i
    while cursor.words[ahead] in _ELSEWHERE:
        ahead += 1
    if ahead > cursor.i and cursor.words[ahead] == "TABLE":
        cursor.partition = True
        cursor.stop("`TABLE`", "other-table")


def _after_like(cursor: Cursor, table: Ref, like: Ref) -> None:
    """Raise ParseError for what LIKE does not accept: a catalog in the names, and partitioning."""
    for name in (table, like):
        if len(name.parts) > 2:
            odd = Token(Kind.WORD, name.text, *name.span)
            raise Stop(odd, "`schema.table` without a catalog", "like-catalog")
    while cursor.i < cursor.count:
        if cursor.word == "PARTITIONED":
            cursor.stop("the end of the statement", "like-partitioned")
        cursor.i += 1


def _whole(cursor: Cursor, start: int) -> Offsets:
    return start, cursor.tokens[cursor.count].end


def _columns(cursor: Cursor) -> tuple[ColumnDef, ...] | None:
    if cursor.word != "(":
        return None
    opening = cursor.i
    cursor.i += 1
    # `(SELECT ...` is a query in brackets, but SELECT or FROM may also be the name of the first column.
    may_be_query = cursor.word in _QUERY
    columns: list[ColumnDef] = []
    try:
        while True:
            if at_table_constraint(cursor):
                skip_table_constraint(cursor)
            else:
                columns.append(column(cursor))
            if not cursor.take(","):
                break
        if cursor.word != ")":
            cursor.stop("`,` or `)`")
        cursor.i += 1
    except Stop:
        if not may_be_query:
            raise
        cursor.i = opening  # CREATE TABLE t (SELECT ...)
        return None
    return tuple(columns)


def _query(cursor: Cursor) -> Offsets | None:
    """Read to the end: the query of AS SELECT, or nothing."""
    if cursor.done:
        return None
    marked = cursor.take("AS")
    if cursor.at("WITH", "("):
        trino = any(w in ("PARTITIONING", "PARTITIONED_BY") for w in cursor.words[cursor.i :])
        cursor.stop(_CLAUSES, "partitioning-property" if trino else "with-properties")
    if cursor.word not in _QUERY:
        cursor.stop("a query" if marked else _CLAUSES, _clause_mistake(cursor))
    start = cursor.token.start
    depth = 0
    while cursor.i < cursor.count:
        word = cursor.word
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
        elif not depth and word == "PARTITIONED" and cursor.words[cursor.i + 1] == "BY":
            cursor.stop("the clause before `AS SELECT`", "after-query")
        cursor.i += 1
    return cursor.since(start)


def _clause_mistake(cursor: Cursor) -> str:
    word, after = cursor.word, cursor.words[cursor.i + 1]
    if (word == "PARTITION" and after in ("BY", "ON")) or word == "PARTITIONING":
        return "partition-by"
    if word == "USING":
        return "using-after-clauses"
    if word == ")":
        return "closing-parenthesis"
    joined = word.replace("_", "")
    if joined.endswith("BY") and (joined[:-2] in _PARTITIONED or near(joined[:-2], *_PARTITIONED)):
        raise Stop(cursor.token, "`PARTITIONED BY`", "misspelt")
    meant = near(word, "USING", "PARTITIONED", "TBLPROPERTIES", "LOCATION", "COMMENT", "OPTIONS")
    if meant:
        raise Stop(cursor.token, f"`{meant}`", "misspelt")
    return ""
