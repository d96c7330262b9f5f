"""An ignore comment that silences nothing.

## Why
`-- noqa: SIS501` speaks for its own line, `-- iceberg-sql: ignore[SIS501] reason` for the next statement.
One that has nothing to silence is left over from a statement that has changed, and would hide the next
fault. A `noqa` is reported for the codes of these rules alone: without a code, or with another linter's,
it may be that linter's.

## Instead
Take the comment out, or the codes that are not needed.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg
PARTITIONED BY (days(ts)); -- noqa: SIS302
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg
PARTITIONED BY (days(ts));
```
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.syntax.nodes import Offsets


@rule(Severity.WARNING, on=())
def unused_ignore(context: Context) -> Iterator[Finding]:
    """It looks at no statement: `unused` tells it what the whole text has shown."""
    return iter(())


def unused(
    codes: tuple[str, ...], idle: tuple[str, ...], span: Offsets, gone: Edit | None
) -> Iterator[Finding]:
    """The finding about an ignore comment.

    codes: what it names, if anything. idle: those that silenced nothing. span: of the words that say so.
    gone: what takes the whole comment out, if that may be done.
    """
    if not idle:
        return
    named = ", ".join(idle)
    message = f"nothing here is silenced by {named}" if named else "nothing here is silenced"
    if set(idle) >= set(codes):
        fix = Fix("take the comment out", (gone,)) if gone is not None else None
        yield Finding(span, message, "take the comment out", fix)
    else:
        yield Finding(span, message, f"take {named} out of the comment")
