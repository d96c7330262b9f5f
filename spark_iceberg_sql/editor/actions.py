"""The edit that applies all safe fixes of a text."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.checker.fixes import fixed
from spark_iceberg_sql.diagnostics import Edit, Report


def all_safe(text: str, check: Callable[[str], Report | None]) -> Edit | None:
    """The edit that applies all safe fixes of a text, as `iceberg-sql check --fix` does; None if there is none.

    check: a text to its report.
    """
    after = fixed(text, lambda changed: check(changed) or Report(changed)).text
    if after == text:
        return None
    start, end = 0, 0
    most = min(len(text), len(after))
    # Leave the common start and end of both texts out of the edit.
    while start < most and text[start] == after[start]:
        start += 1
    while end < most - start and text[-1 - end] == after[-1 - end]:
        end += 1
    return Edit(start, len(text) - end, after[start : len(after) - end])
