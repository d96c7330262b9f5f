"""CREATE TABLE, CREATE OR REPLACE TABLE and REPLACE TABLE, with or without AS SELECT."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.nodes import (
    ColumnDef,
    Create,
    Node,
    Offsets,
    Property,
    Ref,
    TemporaryTable,
    Term,
)
from spark_iceberg_sql.syntax.parser.clauses import bracketed, clustered_by, hive_clause, properties
from spark_iceberg_sql.syntax.parser.columns import (
    at_table_constraint,
    column,
    plain_column_after,
    skip_table_constraint,
)
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.parser.terms import read_term
from spark_iceberg_sql.syntax.parser.typos import near

_QUERY = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE", "("})
# What other engines write before TABLE, and Spark's own word in a place where it has none.
_ELSEWHERE = frozenset(
    {
        *(
            "TRANSIENT",
            "ICEBERG",
            "HYBRID",
            "DYNAMIC",
            "SNAPSHOT",
            "VOLATILE",
            "UNLOGGED",
            "MANAGED",
        ),
        *("GLOBAL", "LOCAL", "FOREIGN", "TEMP", "TEMPORARY"),
    }
)
# Formats with a grammar of their own, in catalogs of their own.
OTHER_FORMATS = frozenset({"delta", "hudi", "paimon", "lance", "bigquery", "snowflake"})
_PARTITIONED = ("PARTITIONED", "PARTITION")
_CLAUSES = "`PARTITIONED BY (...)`, `TBLPROPERTIES (...)`, `COMMENT`, `LOCATION` or `AS SELECT`"


@dataclass(slots=True)
class _Clauses:
    """What has been read so far behind the table's name."""

    columns: tuple[ColumnDef, ...] | None = None
    provider: str | None = None
    seen: set[str] = field(default_factory=set)
    partitioning: tuple[Term, ...] | None = None
    partitioning_span: Offsets | None = None
    typed_partitions: tuple[ColumnDef, ...] = ()
    properties: tuple[Property, ...] = ()
    options: tuple[Property, ...] = ()
    clustered_by: Offsets | None = None
    cluster_by: Offsets | None = None
    location: tuple[str, Offsets] | None = None


def create_table(cursor: Cursor) -> Node | None:
    """Read from CREATE or REPLACE on; None where the statement creates no table."""
    got = _Clauses()
    start = cursor.token.start
    try:
        return _create_table(cursor, got)
    except Stop as stop:
        if cursor.target is not None:
            stop.begun = _begun((start, cursor.tokens[cursor.count].end), cursor.target, got)
        raise


def _begun(span: Offsets, table: Ref, got: _Clauses) -> Create:
    """What was read of a CREATE TABLE before a stop."""
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


def _create_table(cursor: Cursor, got: _Clauses) -> Node | None:
    start = cursor.token.start
    create = cursor.take("CREATE")
    replace = cursor.take("OR", "REPLACE") if create else False
    if not create:
        cursor.i += 1  # REPLACE
        replace = True
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
    provider = provider_span = None
    if cursor.take("USING"):
        name = cursor.path("a format, `iceberg`")
        provider, provider_span = ".".join(name.parts).lower(), name.span
        got.provider = provider
        # What other formats take besides Spark's own clauses is theirs to say.
        cursor.partition = provider not in OTHER_FORMATS
    clauses = _clauses(cursor, got)
    begun = cursor.token
    query = _query(cursor)
    path = next((option for option in clauses.options if option.key.lower() == "path"), None)
    if clauses.location is not None and path is not None:
        word = cursor.script[slice(*path.key_span)]
        raise Stop(Token(Kind.WORD, word, *path.key_span), "one place", "two-locations")
    if query and columns is not None:
        raise Stop(opening, "`AS SELECT` without a column list", "columns-in-ctas")
    if query and clauses.typed_partitions:
        start_of_type = clauses.typed_partitions[0].type_span
        token = Token(Kind.WORD, cursor.script[slice(*start_of_type)], *start_of_type)
        raise Stop(token, "the column's name alone", "types-in-ctas")
    if temporary:
        if provider is None or query or len(table.parts) > 1:
            odd = Token(Kind.WORD, table.text, *table.span)
            raise Stop(begun if query else odd, "`USING` and a format", "temporary-table")
        listed = (opening.start, columns[-1].type_span[1]) if columns else None
        place = clauses.location is not None or path is not None
        span = clauses.partitioning_span
        return TemporaryTable(_whole(cursor, start), table, provider, listed, span, place)
    return Create(
        _whole(cursor, start),
        table,
        create=create,
        replace=replace,
        if_not_exists=if_not_exists,
        external=external,
        columns=columns,
        partitioning=clauses.partitioning,
        partitioning_span=clauses.partitioning_span,
        typed_partitions=clauses.typed_partitions,
        provider=provider,
        provider_span=provider_span,
        properties=clauses.properties,
        options=clauses.options,
        clustered_by=clauses.clustered_by,
        cluster_by=clauses.cluster_by,
        query=query,
        location=clauses.location,
        hive=bool(clauses.seen & {"STORED", "ROW"}),
    )


def _other_table(cursor: Cursor) -> None:
    """Stop at CREATE TRANSIENT TABLE and its like."""
    ahead = cursor.i
    while cursor.words[ahead] in _ELSEWHERE:
        ahead += 1
    if ahead > cursor.i and cursor.words[ahead] == "TABLE":
        cursor.partition = True
        cursor.stop("`TABLE`", "other-table")


def _after_like(cursor: Cursor, table: Ref, like: Ref) -> None:
    """Stop at what CREATE TABLE ... LIKE does not take: a catalog in the names, and partitioning."""
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


def _clauses(cursor: Cursor, got: _Clauses) -> _Clauses:
    while not cursor.done:
        token, word = cursor.token, cursor.word
        after = cursor.words[cursor.i + 1]
        clause = word
        if word == "PARTITIONED":
            _once(got, cursor, "PARTITIONED BY", "two-partitioned-by")
            _partitioned_by(cursor, got)
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
            clustered_by(cursor)
            got.clustered_by = cursor.since(token.start)
        elif word == "CLUSTER":
            _once(got, cursor, "CLUSTER BY")
            cursor.i += 1
            cursor.expect("BY")
            bracketed(cursor)
            got.cluster_by = cursor.since(token.start)
        elif word == "DEFAULT" and after == "COLLATION":
            _once(got, cursor, "DEFAULT COLLATION")
            cursor.i += 2
            cursor.name("a collation")
        elif word in ("STORED", "ROW", "SKEWED"):
            _once(got, cursor, clause)
            hive_clause(cursor, provider=got.provider is not None)
        else:
            break
    return got


def _once(got: _Clauses, cursor: Cursor, clause: str, like: str = "duplicate-clause") -> None:
    if clause in got.seen:
        cursor.stop(f"one `{clause}`", like)
    got.seen.add(clause)


def _partitioned_by(cursor: Cursor, got: _Clauses) -> None:
    cursor.i += 1
    cursor.expect("BY", "missing-by")
    if cursor.word == "SPEC":
        cursor.stop("`(`", "partitioned-by-spec")
    cursor.expect("(", "no-parentheses")
    if cursor.word == ")":
        cursor.stop("a column or a transform", "empty-list")
    terms: list[Term] = []
    typed: list[ColumnDef] = []
    while True:
        token = cursor.token
        term = read_term(cursor)
        if cursor.word in (",", ")"):
            if typed:
                raise Stop(token, "a column with its type", "mixed-columns")
            terms.append(term)
        else:
            _mistake_after_term(cursor, term)
            name = term.columns[0]
            definition = plain_column_after(cursor, name.parts[0], name.span)
            if terms:
                raise Stop(token, "a column or a transform, without a type", "mixed-columns")
            typed.append(definition)
        if not cursor.take(","):
            break
        if cursor.word == ")":
            cursor.stop("a column or a transform", "trailing-comma")
    if cursor.word != ")":
        cursor.stop("`,` or `)`", "as-name" if cursor.words[cursor.i - 1] == "AS" else "")
    cursor.i += 1
    got.partitioning = tuple(terms) if terms else ()
    got.typed_partitions = tuple(typed)


def _mistake_after_term(cursor: Cursor, term: Term) -> None:
    """Stop unless a type can follow, which makes a Hive column of a bare name."""
    if cursor.word == "AS":
        cursor.stop("`,` or `)`", "as-name")
    if cursor.word in ("ASC", "DESC"):
        cursor.stop("`,` or `)`", "sort-order")
    if term.call is not None or len(term.columns[0].parts) > 1 or not cursor.at_name:
        like = "expression" if cursor.word in ("+", "-", "*", "/", "%", "||", "=") else ""
        cursor.stop("`,` or `)`", "nested-transform" if cursor.word == "(" else like)


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
