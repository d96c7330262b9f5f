"""A partition field's name that is empty, or that will make trouble wherever it is used.

## Why
An empty name is refused ("Invalid column name: (empty)"). A name with blanks, dots, slashes or `=` is
accepted, but it has to be quoted in each query of `.partitions` and of `_partition`, and it stands,
escaped, in the path of each data file. A name of a hidden metadata column (`_partition`, `_file`) reads as
something that it is not.

## Instead
Letters, digits and underscores, or no AS: Iceberg's default names are plain.

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
from collections.abc import Iterator
from urllib.parse import quote_plus

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.rules.sis206_reserved_column_name import RESERVED
from spark_iceberg_sql.syntax import nodes

# A data file lies in a folder `name=value`; file systems take folder names of up to 255 bytes.
_LONGEST = 253
_ODD = re.compile(r"[^\w]")


@rule(Severity.WARNING, on=(nodes.AddField, nodes.ReplaceField))
def odd_field_name(context: Context) -> Iterator[Finding]:
    """The AS name, where it is empty, odd, reserved, or too long for a folder's name."""
    for facts in context.new_terms:
        ref = facts.name
        if ref is None:
            continue
        name = ".".join(ref.parts)
        plain = re.sub(r"\W+", "_", name).strip("_")[:60] or "part"
        if plain[0].isdigit():
            plain = f"part_{plain}"
        clause = f"`{context.words(facts.term.span)} AS {plain}`"
        if not name.strip():
            bare = f"`{context.words(facts.term.span)}`"
            severity = None if name else Severity.ERROR
            yield Finding(
                ref.span,
                "the name of a partition field is empty",
                f"leave AS out for Iceberg's default name: write {bare}",
                severity=severity,
            )
        elif len(quote_plus(name)) > _LONGEST:
            yield Finding(
                ref.span,
                "the name is longer than a folder's name may be, and each data file lies in a folder of it",
                f"write {clause}",
                severity=Severity.ERROR,
            )
        elif name.lower() in RESERVED:
            yield Finding(
                ref.span,
                f"`{name}` is the name of a hidden column that each Iceberg table has",
                f"write `{context.words(facts.term.span)} AS {plain}_field`",
            )
        elif _ODD.search(name):
            yield Finding(
                ref.span,
                f"`{name}` has to be quoted wherever it is used, and is escaped in the paths of files",
                f"write {clause}",
            )
