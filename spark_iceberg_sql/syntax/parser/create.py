"""CREATE TABLE, CREATE OR REPLACE TABLE and REPLACE TABLE, with or without AS SELECT."""

from __future__ import annotations

from spark_iceberg_sql.syntax import grammar
from spark_iceberg_sql.syntax.nodes import Create, Node, TemporaryTable
from spark_iceberg_sql.syntax.parser.clauses import Clauses, read_clauses
from spark_iceberg_sql.syntax.parser.columns import at_table_constraint, column, skip_table_constraint
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.parser.typos import nearest_keyword
from spark_iceberg_sql.syntax.terms import ColumnDef, NamePath, Offsets

_QUERY = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "("})
# Keywords that other engines allow before TABLE, and a Spark keyword in the wrong position.
_OTHER_TABLE_KEYWORDS = frozenset({
    "TRANSIENT", "ICEBERG", "HYBRID", "DYNAMIC", "SNAPSHOT", "VOLATILE", "UNLOGGED", "MANAGED",
    "GLOBAL", "LOCAL", "FOREIGN", "TEMP", "TEMPORARY",
})  # fmt: skip
# Formats with their own grammar and their own catalogs; `mixed_iceberg` and `mixed_hive` are Amoro's.
OTHER_FORMATS = frozenset({
    "delta", "hudi", "paimon", "lance", "bigquery", "snowflake", "clickhouse", "mixed_iceberg", "mixed_hive",
})  # fmt: skip
_PARTITIONED = ("PARTITIONED", "PARTITION")
_CLAUSES = "`PARTITIONED BY (...)`, `TBLPROPERTIES (...)`, `COMMENT`, `LOCATION` or `AS SELECT`"


def skip_create_verb(cursor: Cursor) -> tuple[bool, bool]:
    """Skip CREATE, CREATE OR REPLACE or REPLACE; returns whether it creates and whether it replaces."""
    create = cursor.take("CREATE")
    return create, cursor.take("OR", "REPLACE") if create else cursor.take("REPLACE")


def create_table(cursor: Cursor) -> Node | None:
    """Read from CREATE or REPLACE on; None if the statement creates no table."""
    clauses = Clauses()
    span = cursor.token.start, cursor.tokens[cursor.count].end
    try:
        return _create_table(cursor, clauses, span)
    except ParseError as error:
        if cursor.target_table is not None:
            error.partial_create = Create(
                span,
                cursor.target_table,
                columns=clauses.columns,
                partitioning=clauses.partitioning,
                typed_partitions=clauses.typed_partitions,
                provider=clauses.provider,
                properties=clauses.properties,
                options=clauses.options,
            )
        raise


def _create_table(cursor: Cursor, clauses: Clauses, span: Offsets) -> Node | None:
    create, replace = skip_create_verb(cursor)
    temporary = create and not replace and (cursor.take("TEMPORARY") or cursor.take("TEMP"))
    external = cursor.take("EXTERNAL")
    if not cursor.take("TABLE"):
        _reject_other_table(cursor)
        return None
    cursor.is_partition_ddl = True
    if external and replace:
        raise ParseError(cursor.tokens[cursor.index - 2], "`TABLE`", "replace-external")
    if_not_exists = False
    if cursor.is_at("IF") and cursor.words[cursor.index + 1] in ("NOT", "!"):
        if replace:
            cursor.fail("a table name", "replace-if-not-exists")
        if temporary:
            cursor.fail("a table name", "temporary-table")
        cursor.index += 2
        cursor.expect("EXISTS")
        if_not_exists = True
    table = cursor.target_table = cursor.table()
    if not (replace or temporary or external) and cursor.take("LIKE"):
        like_table = cursor.path("a table name")
        _check_like(cursor, table, like_table)
        return Create(span, table, if_not_exists=if_not_exists, like_table=like_table)
    opening = cursor.token
    columns = clauses.columns = _columns(cursor)
    if cursor.take("USING"):
        name = cursor.path("a format, `iceberg`")
        clauses.provider, clauses.provider_span = ".".join(name.parts).lower(), name.span
        # Other formats may accept more clauses than Spark's own.
        cursor.is_partition_ddl = clauses.provider not in OTHER_FORMATS
    read_clauses(cursor, clauses)
    query_token = cursor.token
    query = _query(cursor)
    path = next((option for option in clauses.options if option.key.lower() == "path"), None)
    if clauses.location is not None and path is not None:
        cursor.fail_at(path.key_span, "one place", "two-locations")
    if query and columns is not None:
        raise ParseError(opening, "`AS SELECT` without a column list", "columns-in-ctas")
    if query and clauses.typed_partitions:
        cursor.fail_at(clauses.typed_partitions[0].type_span, "the column's name alone", "types-in-ctas")
    if temporary:
        if clauses.provider is None or query or len(table.parts) > 1:
            cursor.fail_at(query_token.span if query else table.span, "`USING` and a format", "temporary-table")
        columns_span = (opening.start, columns[-1].type_span[1]) if columns else None
        has_location = clauses.location is not None or path is not None
        return TemporaryTable(span, table, clauses.provider, columns_span, clauses.partitioning_span, has_location)
    return Create(
        span,
        table,
        create=create,
        replace=replace,
        if_not_exists=if_not_exists,
        external=external,
        columns=columns,
        partitioning=clauses.partitioning,
        partitioning_span=clauses.partitioning_span,
        typed_partitions=clauses.typed_partitions,
        provider=clauses.provider,
        provider_span=clauses.provider_span,
        properties=clauses.properties,
        options=clauses.options,
        clustered_by=clauses.clustered_by,
        cluster_by=clauses.cluster_by,
        query=query,
        location=clauses.location,
        hive=bool(clauses.clause_names & {"STORED", "ROW"}),
    )


def _reject_other_table(cursor: Cursor) -> None:
    """Raise ParseError for CREATE TRANSIENT TABLE and similar statements."""
    index = cursor.index
    while cursor.words[index] in _OTHER_TABLE_KEYWORDS:
        index += 1
    if index > cursor.index and cursor.words[index] == "TABLE":
        cursor.fail_in_ddl("`TABLE`", "other-table")


def _check_like(cursor: Cursor, table: NamePath, like_table: NamePath) -> None:
    """Raise ParseError for what LIKE does not accept: a catalog in the names, and partitioning."""
    for name in (table, like_table):
        if len(name.parts) > 2 and not grammar.has((4, 2)):
            cursor.fail_at(name.span, "`schema.table` without a catalog", "like-catalog")
    while cursor.index < cursor.count:
        if cursor.word == "PARTITIONED":
            cursor.fail("the end of the statement", "like-partitioned")
        cursor.index += 1


def _columns(cursor: Cursor) -> tuple[ColumnDef, ...] | None:
    if cursor.word != "(":
        return None
    opening = cursor.index
    cursor.index += 1
    # `(SELECT ...` is a query in brackets, but SELECT or FROM may also be the name of the first column.
    may_be_query = cursor.word in _QUERY
    columns: list[ColumnDef] = []
    try:
        for _ in cursor.comma_list():
            if at_table_constraint(cursor):
                skip_table_constraint(cursor)
            else:
                columns.append(column(cursor))
        if cursor.word != ")":
            cursor.fail("`,` or `)`")
        cursor.index += 1
    except ParseError:
        if not may_be_query:
            raise
        cursor.index = opening  # CREATE TABLE t (SELECT ...)
        return None
    return tuple(columns)


def _query(cursor: Cursor) -> Offsets | None:
    """Read to the end: the query of AS SELECT, or nothing."""
    if cursor.done:
        return None
    has_as = cursor.take("AS")
    if cursor.is_at("WITH", "("):
        is_trino = any(w in ("PARTITIONING", "PARTITIONED_BY") for w in cursor.words[cursor.index :])
        cursor.fail(_CLAUSES, "partitioning-property" if is_trino else "with-properties")
    if cursor.word not in _QUERY:
        cursor.fail("a query" if has_as else _CLAUSES, _clause_error(cursor))
    start = cursor.token.start
    depth = 0
    while cursor.index < cursor.count:
        word = cursor.word
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
        elif not depth and word == "PARTITIONED" and cursor.words[cursor.index + 1] == "BY":
            cursor.fail("the clause before `AS SELECT`", "after-query")
        cursor.index += 1
    return cursor.since(start)


def _clause_error(cursor: Cursor) -> str:
    word, next_word = cursor.word, cursor.words[cursor.index + 1]
    if (word == "PARTITION" and next_word in ("BY", "ON")) or word == "PARTITIONING":
        return "partition-by"
    if word == "USING":
        return "using-after-clauses"
    if word == ")":
        return "closing-parenthesis"
    keyword = word.replace("_", "")
    if keyword.endswith("BY") and (keyword[:-2] in _PARTITIONED or nearest_keyword(keyword[:-2], *_PARTITIONED)):
        raise ParseError(cursor.token, "`PARTITIONED BY`", "misspelt")
    suggestion = nearest_keyword(word, "USING", "PARTITIONED", "TBLPROPERTIES", "LOCATION", "COMMENT", "OPTIONS")
    if suggestion:
        raise ParseError(cursor.token, f"`{suggestion}`", "misspelt")
    return ""
