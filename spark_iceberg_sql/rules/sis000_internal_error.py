"""A fault of the checker itself.

## Why
A rule, or what reads and follows statements, broke down. What it would have found is not known, so the
statement does not count as checked: the command ends with exit code 2, whatever is selected or ignored. A
session lets the statement pass with a warning, and Spark has the last word.

## Instead
Please report it, with the statement. The other rules have judged the statement all the same.

## Examples
No SQL is meant to bring it.
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
```
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, rule
from spark_iceberg_sql.syntax.nodes import Offsets


@rule(Severity.ERROR, on=())
def internal_error(context: Context) -> Iterator[Finding]:
    """It looks at no statement: the engine reports with `broken`."""
    return iter(())


def broken(span: Offsets, where: str, fault: Exception) -> Finding:
    """The finding about a fault of ours. span: of the statement. where: what broke down, `SIS202`."""
    what = " ".join(f"{type(fault).__name__}: {fault}".split())[:200]
    return Finding(
        span,
        f"internal error in {where}: {what} ({_line(fault)})",
        "please report it, with the statement, which was not fully checked",
    )


def _line(fault: Exception) -> str:
    """The innermost place in our own files: `sis202_type_not_accepted.py, line 61`."""
    place, trace = "no line", fault.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if "spark_iceberg_sql" in path.parts:
            place = f"{path.name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
