"""An unknown format version, or one lower than the table's.

## Why
Tables have version 1, 2 or, since Iceberg 1.7, 3, and cannot be downgraded ("Cannot downgrade v2 table to v1").
Version 0 and negative versions are accepted in CREATE TABLE, and then INSERT fails. The property's name is
case-sensitive: Iceberg ignores 'Format-Version'.

## Instead
`'format-version' = '2'`, which is the default, or '3' for its types and deletion vectors.

## Examples
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '0');
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events SET TBLPROPERTIES ('format-version' = '1');
```
```sql good
CREATE TABLE events (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE events SET TBLPROPERTIES ('format-version' = '2');
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.runtime import iceberg_versions
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.preconditions import has_special_clauses
from spark_iceberg_sql.syntax import nodes

KEY = "format-version"


@rule(
    Severity.ERROR,
    on=(nodes.Create, nodes.SetProperties),
    spec="Format Versioning",
    when=has_special_clauses,
    category=Category.TABLE,
    in_models=False,
)
def format_version(context: Context) -> Findings:
    """The property `format-version`: its name, its value, and the table's current version."""
    node = context.node
    if isinstance(node, nodes.Create):
        if not context.creates_iceberg:
            return
        items = (*node.properties, *node.options)
    else:
        assert isinstance(node, nodes.SetProperties)
        items = node.properties
    for item in items:
        if item.key != KEY and item.key.lower().replace("_", "-") == KEY:
            key = f"'{KEY}'"
            yield Finding(
                item.key_span,
                f"`{item.key}` is not `{KEY}`, so Iceberg ignores it",
                f"write `{key} = '{item.value}'`",
                Fix(f"write {key}", (Edit(*item.key_span, key),)),
                Severity.WARNING,
            )
    version_items = [item for item in items if item.key == KEY]
    if not version_items:
        return
    item = version_items[-1]
    version = context.format_version
    if version is None:
        yield Finding(
            item.value_span, f"unknown format version `{item.value}`", f"write `'{KEY}' = '2'`, or '3', or '1'"
        )
        return
    iceberg, since = context.catalog.iceberg, iceberg_versions.FORMAT_SINCE.get(version)
    if iceberg is not None and since is not None and not iceberg_versions.has(iceberg, since):
        message = f"format version {version} {iceberg_versions.needs(iceberg, since)}"
        yield Finding(item.value_span, message, f"write `'{KEY}' = '2'`")
        return
    table = context.replaced_table if isinstance(node, nodes.Create) else context.iceberg_table
    current_version = table.format_version if table is not None else None
    if current_version is not None and version < current_version:
        yield Finding(
            item.value_span,
            f"`{context.target.text}` has format version {current_version}, which cannot be downgraded",
            f"leave out '{KEY}', or drop and recreate the table",
        )
