"""A partition field's name that is empty, or that causes trouble wherever it is used.

## Why
An empty name is refused ("Invalid column name: (empty)"). A name with spaces, dots, slashes or `=` is
accepted, but it must be quoted in every query of `.partitions` and `_partition`, and appears escaped in the
path of every data file. The name of a hidden metadata column (`_partition`, `_file`) is misleading.

## Instead
Letters, digits and underscores; or leave out AS, since Iceberg's default names are plain.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS ``;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS `event day`;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD PARTITION FIELD days(ts) AS event_day;
```
"""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.resolved_terms import ResolvedTerm
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED
from spark_iceberg_sql.syntax import nodes

# A data file is in a folder `name=value`; file systems accept folder names of up to 255 bytes.
_MAX_FOLDER_LENGTH = 255
_SPECIAL_CHARACTER = regex(r"[^\w]")


@rule(Severity.WARNING, on=(nodes.AddField, nodes.ReplaceField), category=Category.TEXT)
def odd_field_name(context: Context) -> Findings:
    """A name after AS that is empty, odd, reserved, or too long for a folder name."""
    for facts in context.new_terms:
        ref = facts.name
        if ref is None:
            continue
        name = ".".join(ref.parts)
        plain_name = re.sub(r"\W+", "_", name).strip("_")[:60] or "part"
        if plain_name[0].isdigit():
            plain_name = f"part_{plain_name}"
        clause = f"`{context.text_at(facts.term.span)} AS {plain_name}`"
        if not name.strip():
            yield Finding(
                ref.span,
                "the name of a partition field is empty",
                f"write `{context.text_at(facts.term.span)}`, without AS, for Iceberg's default name",
                severity=None if name else Severity.ERROR,
            )
        elif len(quote_plus(name)) + _shortest_value(facts) + len("=") > _MAX_FOLDER_LENGTH:
            yield Finding(
                ref.span,
                "the name is too long for a folder, and data files are stored in folders named after it",
                f"write {clause}",
                severity=Severity.ERROR,
            )
        elif name.lower() in RESERVED:
            yield Finding(
                ref.span,
                f"`{name}` is the name of a hidden column of every Iceberg table",
                f"write `{context.text_at(facts.term.span)} AS {plain_name}_field`",
            )
        elif _SPECIAL_CHARACTER.search(name):
            yield Finding(
                ref.span,
                f"`{name}` must be quoted wherever it is used, and is escaped in file paths",
                f"write {clause}",
            )


def _shortest_value(facts: ResolvedTerm) -> int:
    """The length that the shortest value of a field, not null, has in the name of its folder."""
    transform = facts.transform
    return 1 if transform is None else transform.iso_width or 1
