"""An internal error of the checker.

## Why
A rule, the parser or the schema tracking failed. What the rule would have found is unknown, so the
statement does not count as checked: the command exits with code 2, whatever rules are selected or ignored.
A session warns and passes the statement on to Spark. In the formats for machines, a file that cannot be read or
written has this code as well.

## Instead
Please report it, with the statement. All other rules have still checked the statement.

## Examples
No SQL is expected to cause it.
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
"""

from __future__ import annotations

from pathlib import Path

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Event, Finding, Findings, rule
from spark_iceberg_sql.syntax.terms import Offsets


@rule(Severity.ERROR, on=(), category=Category.CHECK, suppressible=False, event=Event.INTERNAL_ERROR)
def internal_error(context: Context) -> Findings:
    """Checks no statement itself: the engine reports through `broken`."""
    return iter(())


def internal_error_finding(span: Offsets, component: str, error: Exception) -> Finding:
    """The finding for an internal error. span: of the statement. component: what failed, for example `SIS202`."""
    summary = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return Finding(
        span,
        f"internal error in {component}: {summary} ({_innermost_line(error)})",
        "please report it with the statement, which was not fully checked",
    )


def _innermost_line(error: Exception) -> str:
    """The innermost frame in this package's files: `sis202_type_not_accepted.py, line 61`."""
    location, trace = "unknown line", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if "spark_iceberg_sql" in path.parts:
            location = f"{path.name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return location
