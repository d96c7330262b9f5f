"""A branch or a tag that cannot be created, replaced or dropped as written.

## Why
Every table has the branch `main`: it cannot be dropped, and no tag can have its name. CREATE fails for an
existing branch or tag without IF NOT EXISTS; REPLACE and DROP fail for a missing one; and a branch cannot be
replaced with a tag. A tag needs a snapshot, which a table has only after its first write. CREATE OR REPLACE TABLE
keeps the table's snapshots, but none is the current one: until the next write, there is no branch `main` to
replace, and a tag needs AS OF VERSION. RETAIN and SNAPSHOT RETENTION take positive integers.

## Instead
`CREATE OR REPLACE BRANCH`, `CREATE TAG IF NOT EXISTS`, `DROP BRANCH IF EXISTS`, and another name.

## Examples
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events DROP BRANCH main;
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events CREATE BRANCH audit RETAIN 0 DAYS;
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events CREATE BRANCH audit;
ALTER TABLE events CREATE BRANCH audit;
```
```sql bad
CREATE TABLE events (id BIGINT) USING iceberg;
ALTER TABLE events CREATE TAG release;
```
```sql good
CREATE TABLE events (id BIGINT) USING iceberg;
INSERT INTO events VALUES (1);
ALTER TABLE events CREATE TAG release RETAIN 180 DAYS;
ALTER TABLE events CREATE BRANCH audit RETAIN 7 DAYS WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS;
ALTER TABLE events DROP BRANCH IF EXISTS audit;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes

_MAIN = "main"
_MAX_LONG = 2**63 - 1


@rule(Severity.ERROR, on=(nodes.ChangeSnapshotRef,), spec="Snapshot References", category=Category.TABLE)
def branch_or_tag(context: Context) -> Findings:
    """Invalid numbers, the branch `main`, and names that already exist or do not exist."""
    node = context.node
    assert isinstance(node, nodes.ChangeSnapshotRef)
    for count in node.counts:
        if count.value is None or not 0 < count.value <= _MAX_LONG:
            yield Finding(
                count.span,
                f"`{count.text}` is not a plain positive integer",
                "write a positive number of days, hours, minutes or snapshots: `7 DAYS`",
            )
    if node.version is not None and node.version.value is None:
        yield Finding(
            node.version.span,
            f"`{node.version.text}` is not a snapshot id, which is a plain integer",
            f"write one from `SELECT snapshot_id FROM {context.metadata_table('snapshots')}`",
        )
    finding = _main(context, node) or _existence_finding(context, node)
    if finding is not None:
        yield finding


def _main(context: Context, node: nodes.ChangeSnapshotRef) -> Finding | None:
    if node.name.parts[0] != _MAIN or node.lenient:
        return None
    if node.ref_type == "tag":
        return Finding(
            node.name.span,
            "`main` is a branch of every table, so it cannot be a tag",
            f"write another name: `{node.verb.upper()} TAG main_tag`",
        )
    if node.verb != "drop":
        return None
    return Finding(
        node.name.span,
        f"`main` is the main branch of `{context.target.text}` and cannot be dropped",
        f"write the name of another branch: `SELECT name FROM {context.metadata_table('refs')}` lists them",
    )


def _existence_finding(context: Context, node: nodes.ChangeSnapshotRef) -> Finding | None:
    table = context.table
    if not isinstance(table, Table) or table.kind is not RelationKind.ICEBERG:
        return None
    name, span, target = node.name.text, node.name.span, context.target.text
    reference_kind = table.references.get(node.name.parts[0])
    has_no_snapshot = table.no_snapshot_epoch is not None and table.no_snapshot_epoch == context.catalog.others
    has_no_main_snapshot = table.no_main_epoch is not None and table.no_main_epoch == context.catalog.others
    no_main = has_no_main_snapshot and node.name.parts[0] == _MAIN
    subject = f"`{name}` is a {reference_kind} of `{target}`"
    other_kind = "tag" if node.ref_type == "branch" else "branch"
    if node.verb == "create":
        if reference_kind and not node.lenient:
            help_ = f"write `CREATE {node.ref_type.upper()} IF NOT EXISTS {name}`"
            return Finding(span, f"`{name}` is already a {reference_kind} of `{target}`", help_)
    elif reference_kind == other_kind:
        help_ = f"write `{node.verb.upper()} {other_kind.upper()} {name}`, or another name"
        return Finding(span, f"{subject}, not a {node.ref_type}", help_)
    elif (
        node.verb != "create or replace"
        and not node.lenient
        and (reference_kind == "" or ((has_no_snapshot or no_main) and not reference_kind))
    ):
        return Finding(span, f"`{target}` has no {node.ref_type} `{name}`", _missing_help(node))
    if has_no_snapshot and node.verb != "drop" and (node.ref_type == "tag" or node.version is not None):
        help_ = f"write rows first: `INSERT INTO {target} ...`"
        return Finding(span, f"`{target}` has no snapshot yet for the {node.ref_type} to point to", help_)
    if has_no_main_snapshot and node.version is None and _needs_snapshot(node, reference_kind):
        help_ = (
            f"write rows first: `INSERT INTO {target} ...`, or add AS OF VERSION with "
            f"one of `SELECT snapshot_id FROM {context.metadata_table('snapshots')}`"
        )
        return Finding(span, f"`{target}` has no current snapshot for the {node.ref_type} to point to", help_)
    return None


def _needs_snapshot(node: nodes.ChangeSnapshotRef, reference_kind: str | None) -> bool:
    """True if a statement needs the current snapshot: for a tag, except DROP, or to replace a branch."""
    if node.ref_type == "tag":
        return node.verb != "drop"
    return node.verb == "replace" or (node.verb == "create or replace" and reference_kind == "branch")


def _missing_help(node: nodes.ChangeSnapshotRef) -> str:
    keyword, name = node.ref_type.upper(), node.name.text
    if node.verb == "drop":
        return f"write `DROP {keyword} IF EXISTS {name}`"
    version = f" AS OF VERSION {node.version.text}" if node.version else ""
    return f"write `CREATE OR REPLACE {keyword} {name}{version}`"
