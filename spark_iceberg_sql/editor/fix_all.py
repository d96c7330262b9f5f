"""The edit that applies all safe fixes of a text."""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.checker.fixes import apply_fixes
from spark_iceberg_sql.diagnostics import Edit, Report


def safe_fixes_edit(text: str, check: Callable[[str], Report | None]) -> Edit | None:
    """The edit that applies all safe fixes of a text, as `iceberg-sql check --fix` does; None if there is none.

    check: a text to its report.
    """
    fixed_text = apply_fixes(text, lambda new_text: check(new_text) or Report(new_text)).text
    if fixed_text == text:
        return None
    start, end = 0, 0
    limit = min(len(text), len(fixed_text))
    # Leave the common start and end of both texts out of the edit.
    while start < limit and text[start] == fixed_text[start]:
        start += 1
    while end < limit - start and text[-1 - end] == fixed_text[-1 - end]:
        end += 1
    return Edit(start, len(text) - end, fixed_text[start : len(fixed_text) - end])
