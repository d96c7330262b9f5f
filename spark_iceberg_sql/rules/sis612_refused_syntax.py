"""A statement at which Spark's parser stops.

## Why
The rest of the file or of the job does not run. Each query, INSERT, MERGE, UPDATE and DELETE is read with Spark's own
grammar, taken from its parser: that of the version that `spark` names in the configuration, otherwise those of 3.5 to
4.1. Statements with other verbs that it does not have may be those of another extension of a session, as VACUUM is
Delta's: a note says that they are not checked. Documents, which show parts of statements, and statements that a
template or a program completes are not read.

## Instead
The clause that the message names. A correction is offered if Spark's grammar has the whole statement with it.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT id FROM events ORDER BY id LIMIT 10 OFFSET;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
DELETE events WHERE id = 1;
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT id FROM events GROUP BY;
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT id FROM events WHERE id > 1;
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes


@rule(Severity.ERROR, on=(nodes.SparkText,), category=Category.QUERY)
def refused_syntax(context: Context) -> Findings:
    """Where Spark's own grammar has no reading of the statement."""
    from spark_iceberg_sql.facts.refused_syntax import refused_syntax as refusal  # the command starts sooner

    refused = refusal(context)
    if refused is None:
        return
    if refused.is_command:
        message = f"not checked: neither Spark's grammar nor Iceberg's has the statement: {refused.message}"
        yield Finding(refused.span, message, refused.help, severity=Severity.NOTE)
    else:
        fix = Fix(refused.help, (refused.edit,)) if refused.edit is not None else None
        yield Finding(refused.span, refused.message, refused.help, fix)
