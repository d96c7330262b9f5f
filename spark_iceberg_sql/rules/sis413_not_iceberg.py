"""Iceberg partitioning on a table of another format, or Hive bucketing on an Iceberg table.

## Why
An unknown format, `USING icberg`, is refused; in an Iceberg catalog as "Unsupported format in USING".

In Spark's own catalog, PARTITIONED BY (bucket(4, id)) on a Parquet table is accepted and becomes CLUSTERED
BY (id) INTO 4 BUCKETS, which partition pruning does not use; the other transforms are refused there. Conversely,
CLUSTERED BY on an Iceberg table becomes a bucket field; with SORTED BY it is refused, and so is CLUSTER BY.
CREATE TEMPORARY TABLE creates a view over files, not a table: with USING iceberg it takes no columns, needs a
path, and ignores PARTITIONED BY.

## Instead
`USING iceberg`; and on an Iceberg table `PARTITIONED BY (bucket(4, id))`.

## Examples
```sql bad
CREATE TABLE spark_catalog.default.users (id BIGINT) USING parquet PARTITIONED BY (bucket(4, id));
```
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg CLUSTER BY (id);
```
```sql bad
CREATE TABLE users (id BIGINT) USING iceberg CLUSTERED BY (id) SORTED BY (id) INTO 4 BUCKETS;
```
```sql bad
CREATE TEMPORARY TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(4, id));
```
```sql bad
CREATE TABLE users (id BIGINT) USING icberg;
```
```sql good
CREATE TABLE users (id BIGINT) USING iceberg PARTITIONED BY (bucket(4, id));
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.transforms import spelled
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.rules.occasions import odd_clauses
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.parser.create import OTHER_FORMATS

_CLUSTERED = regex(
    r"CLUSTERED\s+BY\s*\(([^()]+)\)\s*(?:SORTED\s+BY\s*\(([^()]+)\)\s*)?INTO\s+(\d+)\s+BUCKETS",
    re.IGNORECASE,
)


# The file formats of Iceberg tables: USING one of these in an Iceberg catalog creates an Iceberg table.
_ICEBERGS_FILES = ("parquet", "orc", "avro")
# Spark's built-in formats.
_SPARKS = frozenset({
    "csv", "json", "text", "hive", "jdbc", "xml", "kafka", "binaryfile", "image", "libsvm",
    "noop", "console", "rate", "socket", "memory", "avro", "orc", "parquet", "statestore",
})  # fmt: skip


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.TemporaryTable),
    spec="Partition Transforms",
    when=odd_clauses,
    category=Category.TABLE,
)
def not_iceberg(context: Context) -> Iterator[Finding]:
    """Transforms on tables of other formats; CLUSTERED BY and CLUSTER BY on Iceberg tables."""
    node = context.node
    if isinstance(node, nodes.TemporaryTable):
        yield from _temporary(context, node)
        return
    assert isinstance(node, nodes.Create)
    if not context.makes_iceberg:
        yield from _foreign(context, node)
        return
    if node.cluster_by is not None:
        from spark_iceberg_sql.rules.intended_fields import fields  # the command starts sooner

        start, end = node.cluster_by
        inside = [token for token in context.statement.tokens if start <= token.start < end][2:]
        meant = fields(inside)
        clause = meant[0] if meant else "..."
        # WRITE ORDERED BY accepts the same transforms, and no other expressions.
        order = ", ".join(field for field in meant or ["..."])
        yield Finding(
            node.cluster_by,
            "an Iceberg table takes no CLUSTER BY",
            f"{_moved(context, node, [_bucketed(clause)], 'it')}, or sort the files: "
            f"`ALTER TABLE {context.target.text} WRITE ORDERED BY {order}`",
        )
    if node.clustered_by is not None and not (node.hive and node.provider is None):  # else Hive's
        yield _clustered(context, node, node.clustered_by)


def _bucketed(field: str) -> str:
    return field if "(" in field or field == "..." else f"bucket(16, {field})"


def _clause(context: Context, node: nodes.Create, fields_: list[str]) -> str:
    """PARTITIONED BY with the fields that the statement has, and these."""
    own = [context.words(term.span) for term in node.partitioning or ()]
    own += [context.words(column.span) for column in node.typed_partitions]
    more = [field for field in fields_ if field not in own]
    return f"PARTITIONED BY ({', '.join([*own, *more])})"


def _moved(context: Context, node: nodes.Create, fields_: list[str], what: str) -> str:
    """The help that removes a clause and writes these fields into PARTITIONED BY."""
    clause = _clause(context, node, fields_)
    if node.typed_partitions:
        typed = (f"`{context.words((c.span[0], c.type_span[1]))}`" for c in node.typed_partitions)
        return (
            f"leave out {what}, add {' and '.join(typed)} to the column list and write `{clause}`"
        )
    return f"leave {what} out and write `{clause}`" if node.partitioning else f"write `{clause}`"


def _clustered(context: Context, node: nodes.Create, span: terms.Offsets) -> Finding:
    match = _CLUSTERED.fullmatch(context.words(span))
    names, count = (match[1].split(","), match[3]) if match is not None else ([], "")
    buckets = [f"bucket({count}, {name.strip()})" for name in names] or ["bucket(..., ...)"]
    help_ = _moved(context, node, buckets, "CLUSTERED BY")
    if match is not None and match[2]:
        order = " ".join(match[2].split())
        help_ += f" and `ALTER TABLE {context.target.text} WRITE ORDERED BY {order}`"
        return Finding(span, "an Iceberg table takes no SORTED BY", help_)
    if len(buckets) > 1 or match is None:
        return Finding(span, "an Iceberg table cannot be CLUSTERED BY several columns", help_)
    return Finding(
        span,
        f"CLUSTERED BY on an Iceberg table creates the partition field `{buckets[0]}`",
        help_,
        severity=Severity.WARNING,
    )


def _temporary(context: Context, node: nodes.TemporaryTable) -> Iterator[Finding]:
    name = node.view.text
    help_ = f"write `CREATE TABLE {name} (...) USING iceberg`, and drop the table afterwards"
    if node.provider == "iceberg" and (node.columns is not None or not node.place):
        yield Finding(
            node.columns or node.view.span,
            f"`{name}` would be a view over files, not an Iceberg table: here USING iceberg "
            + ("takes no columns" if node.columns is not None else "needs a path"),
            help_,
        )
    elif node.partitioning is not None:
        yield Finding(
            node.partitioning,
            f"`{name}` is a view over files: its PARTITIONED BY is ignored",
            "leave out PARTITIONED BY",
            severity=Severity.WARNING,
        )


def _no_format(context: Context, node: nodes.Create) -> Finding | None:
    """USING an unknown format; None if a class on the session's class path may provide it."""
    provider, span = node.provider, node.provider_span
    if provider is None or span is None or provider in OTHER_FORMATS or "{" in provider:
        return None
    if provider in ("iceberg", *_ICEBERGS_FILES) or (provider in _SPARKS and not _certain(context)):
        return None
    meant = next(iter(near(provider, ("iceberg",))), "")
    certain = _certain(context)
    if not certain and not meant and "." in provider:
        return None
    what = f"`{provider}` is not a table format"
    fix = Fix("write USING iceberg", (Edit(*span, "iceberg"),)) if meant else None
    severity = None if certain or meant else Severity.WARNING
    return Finding(span, what, "write `USING iceberg`", fix, severity=severity, early=True)


def _certain(context: Context) -> bool:
    """True if the table's catalog is an Iceberg catalog according to the settings or the session."""
    parts = context.target_name
    if context.known.catalog is None or context.in_session_catalog is not False:
        return False
    own = len(parts) < 3 or context.known.is_catalog(parts[0])
    return own and context.known.is_icebergs(context.known.full_name(parts)[0])


def _foreign(context: Context, node: nodes.Create) -> Iterator[Finding]:
    unknown = _no_format(context, node)
    if unknown is not None:
        yield unknown
        return
    terms = node.partitioning or ()
    calls = (t for t in terms if t.call is not None)
    term = next((t for t in calls if (r := spelled(t.call)) is None or not r.is_identity), None)
    if term is None:
        return
    what = f"a table USING {node.provider}" if node.provider else "a table without USING iceberg"
    fix = None
    if node.provider_span is not None:
        fix = Fix("write USING iceberg", (Edit(*node.provider_span, "iceberg"),))
    record = spelled(term.call)
    if record is not None and record.hashes and term.call in record.spark_parses:
        message = f"{what} is not an Iceberg table: `{context.words(term.span)}` silently becomes CLUSTERED BY"
    else:
        message = f"{what} is not an Iceberg table and has no partition transforms"
    yield Finding(term.span, message, "write `USING iceberg`", fix)
