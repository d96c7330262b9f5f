"""Iceberg partitioning on a table of another format, or Hive bucketing on an Iceberg table.

## Why
An unknown format, `USING icberg`, is refused; in an Iceberg catalog as "Unsupported format in USING".

In Spark's own catalog, PARTITIONED BY (bucket(4, id)) on a Parquet table is accepted and becomes CLUSTERED
BY (id) INTO 4 BUCKETS, which partition pruning does not use; the other transforms are refused there. In an
installed session this is a warning: the table is not Iceberg's. Conversely,
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

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transforms import find_transform
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.parser.create import OTHER_FORMATS
from spark_iceberg_sql.syntax.parser.typos import nearest_keyword

_CLUSTERED = regex(
    r"CLUSTERED\s+BY\s*\(([^()]+)\)\s*(?:SORTED\s+BY\s*\(([^()]+)\)\s*)?INTO\s+(\d+)\s+BUCKETS", re.IGNORECASE
)


# The file formats of Iceberg tables: USING one of these in an Iceberg catalog creates an Iceberg table.
_ICEBERG_FILE_FORMATS = ("parquet", "orc", "avro")
# Formats beside Iceberg whose own catalogs take transforms: Amoro's.
_WITH_TRANSFORMS = frozenset({"mixed_iceberg"})
# Spark's built-in formats.
_SPARK_FORMATS = frozenset({
    "csv", "json", "text", "hive", "jdbc", "xml", "kafka", "binaryfile", "image", "libsvm",
    "noop", "console", "rate", "socket", "memory", "avro", "orc", "parquet", "statestore",
})  # fmt: skip


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.TemporaryTable),
    spec="Partition Transforms",
    when=has_special_clauses,
    category=Category.TABLE,
)
def not_iceberg(context: Context) -> Findings:
    """Transforms on tables of other formats; CLUSTERED BY and CLUSTER BY on Iceberg tables."""
    node = context.node
    if isinstance(node, nodes.TemporaryTable):
        yield from _temporary(context, node)
        return
    assert isinstance(node, nodes.Create)
    if not context.creates_iceberg:
        yield from _foreign(context, node)
        return
    engine = context.catalog.engine
    if node.cluster_by is not None and not (engine is not None and engine.clusters):
        from spark_iceberg_sql.rules.intended_fields import parse_fields  # the command starts sooner

        start, end = node.cluster_by
        clause_tokens = [token for token in context.statement.tokens if start <= token.start < end][2:]
        intended_fields = parse_fields(clause_tokens) or ["..."]
        is_plain = "(" not in intended_fields[0] and intended_fields[0] != "..."
        bucket = f"bucket(16, {intended_fields[0]})" if is_plain else intended_fields[0]
        # WRITE ORDERED BY accepts the same transforms, and no other expressions.
        yield Finding(
            node.cluster_by,
            "an Iceberg table takes no CLUSTER BY",
            f"{_moved_help(context, node, [bucket], 'it')}, or sort the files: "
            f"`ALTER TABLE {context.target.text} WRITE ORDERED BY {', '.join(intended_fields)}`",
        )
    if node.clustered_by is not None and not (node.hive and node.provider is None):  # else Hive's
        yield _clustered(context, node, node.clustered_by)


def _clause(context: Context, node: nodes.Create, fields_: list[str]) -> str:
    """PARTITIONED BY with the fields that the statement has, and these."""
    existing_fields = [context.text_at(term.span) for term in node.partitioning or ()]
    existing_fields += [context.text_at(column.span) for column in node.typed_partitions]
    new_fields = [field for field in fields_ if field not in existing_fields]
    return f"PARTITIONED BY ({', '.join([*existing_fields, *new_fields])})"


def _moved_help(context: Context, node: nodes.Create, fields_: list[str], clause_name: str) -> str:
    """The help that removes a clause and writes these fields into PARTITIONED BY."""
    clause = _clause(context, node, fields_)
    if node.typed_partitions:
        typed = (f"`{context.text_at((c.span[0], c.type_span[1]))}`" for c in node.typed_partitions)
        return f"leave out {clause_name}, add {' and '.join(typed)} to the column list and write `{clause}`"
    return f"leave {clause_name} out and write `{clause}`" if node.partitioning else f"write `{clause}`"


def _clustered(context: Context, node: nodes.Create, span: terms.Offsets) -> Finding:
    match = _CLUSTERED.fullmatch(context.text_at(span))
    names, count = (match[1].split(","), match[3]) if match is not None else ([], "")
    buckets = [f"bucket({count}, {name.strip()})" for name in names] or ["bucket(..., ...)"]
    help_ = _moved_help(context, node, buckets, "CLUSTERED BY")
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


def _temporary(context: Context, node: nodes.TemporaryTable) -> Findings:
    name = node.view.text
    help_ = f"write `CREATE TABLE {name} (...) USING iceberg`, and drop the table afterwards"
    if node.provider == "iceberg" and (node.columns is not None or not node.has_location):
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
    is_certain = _is_iceberg_catalog(context)
    suggestion = nearest_keyword(provider.upper(), "ICEBERG")
    is_known_format = provider in ("iceberg", *_ICEBERG_FILE_FORMATS) or (provider in _SPARK_FORMATS and not is_certain)
    if is_known_format or (not is_certain and not suggestion and "." in provider):
        return None
    return Finding(
        span,
        f"`{provider}` is not a table format",
        "write `USING iceberg`",
        Fix("write USING iceberg", (Edit(*span, "iceberg"),)) if suggestion else None,
        severity=None if is_certain or suggestion else Severity.WARNING,
        early=True,
    )


def _is_iceberg_catalog(context: Context) -> bool:
    """True if the table's catalog is an Iceberg catalog according to the settings or the session."""
    parts = context.target_name
    if context.catalog.catalog is None or context.in_session_catalog is not False:
        return False
    is_own_catalog = len(parts) < 3 or context.catalog.is_catalog(parts[0])
    return is_own_catalog and context.catalog.is_icebergs(context.catalog.full_name(parts)[0])


def _foreign(context: Context, node: nodes.Create) -> Findings:
    format_finding = _no_format(context, node)
    if format_finding is not None:
        yield format_finding
        return
    if node.provider in _WITH_TRANSFORMS:
        return
    terms = node.partitioning or ()
    calls = (t for t in terms if t.transform_name is not None)
    term = next((t for t in calls if (r := find_transform(t.transform_name)) is None or not r.is_identity), None)
    if term is None:
        return
    description = f"a table USING {node.provider}" if node.provider else "a table without USING iceberg"
    fix = None
    if node.provider_span is not None:
        fix = Fix("write USING iceberg", (Edit(*node.provider_span, "iceberg"),))
    transform = find_transform(term.transform_name)
    if transform is not None and transform.hashes and term.transform_name in transform.spark_parses:
        message = f"{description} is not an Iceberg table: `{context.text_at(term.span)}` silently becomes CLUSTERED BY"
    else:
        message = f"{description} is not an Iceberg table and has no partition transforms"
    # Where it runs, Spark or the other format decides.
    severity = Severity.WARNING if context.repaired else None
    yield Finding(term.span, message, "write `USING iceberg`", fix, severity)
