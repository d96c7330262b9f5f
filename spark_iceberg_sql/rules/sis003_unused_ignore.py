"""An ignore comment that suppresses nothing.

## Why
`-- noqa: SIS501` applies to its own line, `-- iceberg-sql: ignore[SIS501] reason` to the next statement. Both take
a rule's name, too: `ignore[identity-on-timestamp]`. In a Python program, `# noqa: SIS501` at the end of the line, or
behind the literal, and `# iceberg-sql: ignore[SIS501]` before the literal do the same.
One that suppresses nothing is left over from a statement that has since changed, and could hide the next
problem. A `noqa` is reported only for codes of these rules: without a code, or with another linter's, it may
be that linter's. A comment on a statement that could not be checked in full is not reported, because it may be needed.

A misspelt one, such as `noqa SIS501`, `ignore(SIS501)` or `ignore[SIS50]`, suppresses nothing either, and the message
says how to write it.

## Instead
Remove the comment, or the codes that are not needed.

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

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.files.source_map import COMPILED, SqlFragment
from spark_iceberg_sql.rules.base import Category, Event, Finding, Findings, rule
from spark_iceberg_sql.syntax.terms import Offsets


def _in_program(fragment: SqlFragment, diagnostic: Diagnostic) -> Diagnostic | None:
    """A dbt model's query is checked twice, as written and as compiled: the comment may be needed in the other one."""
    return None if fragment.api == COMPILED else diagnostic


@rule(
    Severity.WARNING,
    on=(),
    category=Category.CHECK,
    suppressible=False,
    event=Event.UNUSED_IGNORE,
    in_programs=_in_program,
)
def unused_ignore(context: Context) -> Findings:
    """Checks no statement itself: the engine reports through `unused` once the whole script is checked."""
    return iter(())


def malformed_finding(span: Offsets, problem: str) -> Finding:
    """The finding about a malformed suppression comment. problem: the mistake, and the remedy."""
    fact, _, remedy = problem.partition("; ")
    help_ = remedy or "write `-- noqa: SIS501` or `-- iceberg-sql: ignore[SIS501] reason`"
    return Finding(span, f"nothing is ignored: {fact}", help_)


def unused_findings(
    codes: tuple[str, ...], unused_codes: tuple[str, ...], span: Offsets, removal_edit: Edit | None
) -> Findings:
    """The finding about a suppression comment.

    codes: those it lists, if any. unused_codes: those that suppressed nothing. span: of the text that lists
    them. removal_edit: the edit that removes the complete comment, if that is safe.
    """
    if not unused_codes:
        return
    code_list = ", ".join(unused_codes)
    message = f"nothing to ignore for {code_list}" if code_list else "nothing to ignore"
    if set(unused_codes) >= set(codes):
        fix = Fix("remove the comment", (removal_edit,)) if removal_edit is not None else None
        yield Finding(span, message, "remove the comment", fix)
    else:
        yield Finding(span, message, f"remove {code_list} from the comment")
