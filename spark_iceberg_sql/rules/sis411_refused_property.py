"""A table property that is reserved, or whose value Iceberg cannot use.

## Why
Spark reserves `provider`, `location`, `owner`, `external`, `is_managed_location` and, since 4.1, `table_type`
(Athena's), most of them for clauses, and Iceberg has separate statements for `sort-order` and `identifier-fields`:
setting these properties is refused ("is a reserved table property"). Iceberg parses the values of many others: if
`commit.retry.num-retries` is not a number, the statement is refused; if `write.distribution-mode` is unknown or
`write.target-file-size-bytes` is '512MB', the statement is accepted and then every INSERT fails. Column metrics
need a column that exists, and since Iceberg 1.11 `encryption.key-id` needs format version 3. A retention such as
`history.expire.max-snapshot-age-ms` of '7d' is accepted, and `expire_snapshots` fails. A name that Iceberg does not
read is ignored: one that is misspelt is a warning, a key of another kind never is. So are switches that are neither
`true` nor `false`, and a target file size below the size of a row group.

## Instead
`USING`, `LOCATION`, `ALTER TABLE ... WRITE ORDERED BY` and `SET IDENTIFIER FIELDS`. File formats are parquet, orc
and avro; sizes are in bytes.

## Examples
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('location' = 's3://bucket/events');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events SET TBLPROPERTIES ('sort-order' = 'id');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'csv');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = 'four');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '512MB');
```
```sql good
CREATE TABLE events (id BIGINT) USING iceberg
TBLPROPERTIES ('write.format.default' = 'orc', 'write.target-file-size-bytes' = '536870912');
```
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.runtime import iceberg_versions, minor_version
from spark_iceberg_sql.model.runtime.properties import (
    METRICS_OF_COLUMN,
    PROPERTIES,
    RARE_FAILURES,
    SWITCHES,
    V3_KEYS,
    TypedProperty,
    similar_property,
)
from spark_iceberg_sql.model.runtime.write_options import WrongOption, wrong_option, wrong_read_option
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import join_names
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes, terms
from spark_iceberg_sql.syntax.lexer import TokenKind, tokenize
from spark_iceberg_sql.syntax.parser.create import OTHER_FORMATS

# Reserved by Spark (AstBuilder.cleanTableProperties), case-sensitive: what to write instead.
RESERVED = {
    "provider": "write `USING iceberg`",
    "location": "write the clause `LOCATION '...'` in CREATE TABLE",
    "owner": "leave it out: the owner is the user who runs the statement",
    "external": "write `CREATE EXTERNAL TABLE`, which Iceberg treats like CREATE TABLE",
    "is_managed_location": "leave it out",
    "table_type": "write `USING iceberg`, and leave it out",
}
# Of those, what an earlier Spark accepts.
_RESERVED_SINCE = {"table_type": "4.1"}
# Reserved by Iceberg, only in ALTER TABLE (Spark3Util.setProperty).
_ICEBERG_RESERVED = {
    "sort-order": "write `ALTER TABLE {table} WRITE ORDERED BY ...`",
    "identifier-fields": "write `ALTER TABLE {table} SET IDENTIFIER FIELDS ...`",
}
_SIZE = regex(r"([0-9]+)\s*([kmgt])i?b?", re.IGNORECASE)
_NAME_MAPPING = "schema.name-mapping.default"
_TARGET_SIZE = "write.target-file-size-bytes"
_GROUP_SIZE = "write.parquet.row-group-size-bytes"
_DURATION = regex(r"([0-9]{1,9})\s*(ms|s|min|h|d|w)(?:econds?|utes?|ours?|ays?|eeks?)?", re.IGNORECASE)
_MILLISECONDS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
# Properties that other engines use for partitioning.
_PARTITION_KEYS = ("partitioning", "partitioned_by", "partition_by", "partition_spec")


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.Insert, nodes.Expressions, nodes.SetProperties),
    when=has_special_clauses,
    category=Category.TABLE,
    iceberg_only=True,
)
def refused_property(context: Context) -> Findings:
    """Every reserved key, and every value that Iceberg cannot read."""
    node = context.node
    if isinstance(node, nodes.Insert):
        yield from _options(context, node)
        return
    if isinstance(node, nodes.Expressions):
        yield from _read_options(context)
        return
    if isinstance(node, nodes.Create):
        items = (*node.properties, *node.options)
        iceberg = context.creates_iceberg
    else:
        assert isinstance(node, nodes.SetProperties)
        items = node.properties
        iceberg = context.table is not None and not context.is_not_iceberg
        yield from _removed(context, node)
    for item in items:
        if item.key in RESERVED:
            if not iceberg and _is_another_format(context, item):
                continue
            message = f"`{item.key}` {_is_reserved(item.key)}"
            yield Finding(item.key_span, message, RESERVED[item.key], early=True)
        elif iceberg and item.key.lower().replace("-", "_") in _PARTITION_KEYS:
            from spark_iceberg_sql.rules.intended_fields import parse_fields  # the command starts sooner

            value_tokens = [token for token in tokenize(item.value) if token.kind is not TokenKind.SPACE]
            terms = parse_fields(value_tokens) or ["..."]
            adds = [f"ALTER TABLE {context.target.text} ADD PARTITION FIELD {term}" for term in terms]
            help_ = f"PARTITIONED BY ({', '.join(terms)})" if isinstance(node, nodes.Create) else "; ".join(adds)
            message = f"Iceberg ignores the property `{item.key}`: it does not partition the table"
            yield Finding(item.key_span, message, f"write `{help_}`", severity=Severity.WARNING)
        elif item.key in _ICEBERG_RESERVED and iceberg and isinstance(node, nodes.SetProperties):
            help_ = _ICEBERG_RESERVED[item.key].replace("{table}", context.target.text)
            message = f"`{item.key}` cannot be set as a property: Iceberg has a statement for it"
            yield Finding(item.key_span, message, help_)
        elif iceberg and (finding := _value(context, item) or _metrics(context, item) or _ignored(item)) is not None:
            yield finding
    if iceberg:
        yield from _small_target(context, items)
    for item in items if isinstance(node, nodes.Create) and iceberg else ():
        is_refused = iceberg_versions.has(context.catalog.iceberg, iceberg_versions.V3_KEYS_SINCE)
        if item.key in V3_KEYS and context.format_version in (1, 2) and is_refused:
            message = f"`{item.key}` needs format version 3 since Iceberg 1.11"
            yield Finding(item.key_span, message, "add `'format-version' = '3'`, or leave it out")


def _options(context: Context, node: nodes.Insert) -> Findings:
    """The options of INSERT INTO t WITH ('write-format' = 'orc')."""
    table = context.table if node.options else None
    if not isinstance(table, Table) or table.kind is not RelationKind.ICEBERG or not table.is_certain:
        return
    for item in node.options:
        yield from _wrong_option(item, wrong_option)


def _read_options(context: Context) -> Findings:
    """The options of SELECT * FROM t WITH ('split-size' = '1')."""
    if context.statement.may_contain("with"):
        from spark_iceberg_sql.facts.table_options import read_options  # the command starts sooner

        for item in read_options(context):
            yield from _wrong_option(item, wrong_read_option)


def _wrong_option(item: terms.Property, judge: Callable[[str, str], WrongOption | None]) -> Findings:
    if "{" in item.key + item.value or "$" in item.key + item.value:
        return
    if (wrong := judge(item.key, item.value)) is not None:
        span = item.key_span if wrong.of_key else item.value_span
        yield Finding(span, wrong.reason, wrong.help, severity=None if wrong.is_refused else Severity.WARNING)


def _is_another_format(context: Context, item: terms.Property) -> bool:
    """True for `provider` of another format at a table that may be one: in Hive it is a property as any other."""
    is_change = isinstance(context.node, nodes.SetProperties)
    return item.key == "provider" and is_change and item.value.lower() in OTHER_FORMATS


def _is_reserved(key: str) -> str:
    """The predicate of a reserved key, with the version of Spark if an earlier one accepts it."""
    since = _RESERVED_SINCE.get(key)
    return "is a reserved table property of Spark" + (f" since {since}" if since is not None else "")


def _value(context: Context, item: terms.Property) -> Finding | None:
    """A value that Iceberg cannot parse: refused, or accepted and breaks the table."""
    if item.key == _NAME_MAPPING and not _is_json(item.value) and "{{" not in item.value and "$" not in item.value:
        message = f"`{item.key}` must be a name mapping in JSON, not `{item.value}`: every query would fail"
        return Finding(item.value_span, message, """write '[{"field-id": 1, "names": ["id"]}]'""")
    property_type = PROPERTIES.get(item.key)
    if property_type is None or "{" in item.value or "$" in item.value:
        return None
    if property_type.takes(item.value):
        return _too_long(context, item, property_type)
    is_negative = property_type.minimum == 0 and re.fullmatch(r"-[0-9]{1,9}", item.value) is not None
    # SET accepts a negative number, which has no effect.
    if not _is_read(context, item.key) or (is_negative and isinstance(context.node, nodes.SetProperties)):
        return None
    help_ = f"write {property_type.expects}"
    if not item.key.endswith("-ms") and (size := _SIZE.fullmatch(item.value)) is not None:
        number = int(size[1]) << 10 * (" kmgt".index(size[2].lower()))
        help_ = f"write the number of bytes: '{number}'"
    elif item.key.endswith("-ms") and (duration := _DURATION.fullmatch(item.value)) is not None:
        help_ = f"write the milliseconds: '{int(duration[1]) * _MILLISECONDS[duration[2].lower()]}'"
    if item.key.endswith("format.default"):
        message = f"unknown file format `{item.value}`: every INSERT would fail"
        return Finding(item.value_span, message, "write 'parquet', 'orc' or 'avro'")
    end = "" if property_type.is_refused else f": {property_type.failing_operation} would fail"
    message = f"`{item.key}` must be {property_type.expects}, not `{item.value}`{end}"
    is_rare = property_type.failing_operation in RARE_FAILURES
    return Finding(item.value_span, message, help_, severity=Severity.WARNING if is_rare else None)


def _too_long(context: Context, item: terms.Property, property_type: TypedProperty) -> Finding | None:
    """A number that a later Iceberg reads, and this one does not."""
    since, iceberg = iceberg_versions.LONG_SINCE.get(item.key), context.catalog.iceberg
    is_int = abs(int(item.value)) < 2**31 if since is not None else True
    if since is None or iceberg_versions.has(iceberg, since) or is_int or not _is_read(context, item.key):
        return None
    message = f"`{item.key}` of 2147483648 or more needs Iceberg {minor_version.text(since)}"
    return Finding(item.value_span, f"{message}: {property_type.failing_operation} would fail", "write '2147483647'")


def _is_json(text: str) -> bool:
    import json  # a check without such a property does without it

    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _is_read(context: Context, key: str) -> bool:
    """True if writes or scans use a property of a file format: other properties of the table may prevent that."""
    table_properties = context.table.properties if isinstance(context.table, Table) else {}
    values = {**table_properties, **context.properties}
    file_format = values.get("write.format.default", "parquet").lower()
    if any(f".{name}." in key and file_format != name for name in ("parquet", "orc", "avro")):
        return False
    codec = values.get("write.parquet.compression-codec", "zstd").lower()
    return not key.endswith("compression-level") or codec in ("zstd", "gzip")


def _metrics(context: Context, item: terms.Property) -> Finding | None:
    """Metrics of a column that the table does not have; names are case-sensitive."""
    if not item.key.startswith(METRICS_OF_COLUMN) or context.schema_if_known is None:
        return None
    name = item.key.removeprefix(METRICS_OF_COLUMN)
    if "{" in name or context.schema.find((name,)) is not None:
        return None
    names = context.suggested_names(context.schema, name)
    message = f"`{context.target.text}` has no column `{name}` to collect metrics for"
    return Finding(item.key_span, message, f"write {join_names(names)}")


def _ignored(item: terms.Property) -> Finding | None:
    """A misspelt name, and a switch that is neither true nor false: Iceberg ignores both."""
    if item.key in SWITCHES:
        if "{" in item.value or "$" in item.value or item.value.lower() in ("true", "false"):
            return None
        message = f"Iceberg reads `{item.value}` as false: `{item.key}` must be 'true' or 'false'"
        return Finding(item.value_span, message, "write 'true' or 'false'", severity=Severity.WARNING)
    similar = None if "{" in item.key or "$" in item.key else similar_property(item.key)
    if similar is None:
        return None
    message = f"Iceberg ignores the property `{item.key}`: it has none of this name"
    return Finding(item.key_span, message, f"write '{similar}'", severity=Severity.WARNING)


def _small_target(context: Context, items: tuple[terms.Property, ...]) -> Findings:
    """A target size of files below that of a row group: the row groups never reach theirs."""
    table_properties = context.table.properties if isinstance(context.table, Table) else {}
    if isinstance(context.node, nodes.Create):
        table_properties = {}
    values = {**table_properties, **context.properties}
    target, group = values.get(_TARGET_SIZE, ""), values.get(_GROUP_SIZE, "")
    if not (re.fullmatch("[0-9]{1,18}", target) and re.fullmatch("[0-9]{1,18}", group)) or int(target) >= int(group):
        return
    if values.get("write.format.default", "parquet").lower() != "parquet":
        return
    item = next((item for item in items if item.key in (_TARGET_SIZE, _GROUP_SIZE)), None)
    if item is not None:
        message = f"the target size of files, {target} bytes, is below that of a row group, {group} bytes"
        help_ = f"write '{_GROUP_SIZE}' = '{target}', or a larger '{_TARGET_SIZE}'"
        yield Finding(item.value_span, message, help_, severity=Severity.WARNING)


def _removed(context: Context, node: nodes.SetProperties) -> Findings:
    for key in node.removed:
        if key in RESERVED:
            message = f"`{key}` {_is_reserved(key)} and cannot be removed"
            yield Finding(context.target.span, message, "leave it out")
