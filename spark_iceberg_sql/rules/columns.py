"""The table's own columns, for the clauses that a help suggests."""

from __future__ import annotations

from collections.abc import Iterable

from spark_iceberg_sql.facts.target import AlreadyReportedError, NotKnownError, Target
from spark_iceberg_sql.model.transforms import Transform
from spark_iceberg_sql.rules.words import written
from spark_iceberg_sql.syntax import nodes


def fitting(context: Target, record: Transform) -> list[str]:
    """The columns that a transform accepts, as DDL writes them; none if the table is unknown."""
    try:
        known = context.schema.columns
    except (NotKnownError, AlreadyReportedError):
        return []
    return [written(c) for c in known if record.takes(c.field.type) and not c.in_collection]


def there(context: Target, refs: Iterable[nodes.Ref]) -> list[nodes.Ref]:
    """Those of the names that are columns of the table; all of them if none is, or if the table is unknown."""
    every = list(refs)
    try:
        known = [ref for ref in every if context.schema.find_all(ref.parts)]
    except (NotKnownError, AlreadyReportedError):
        return every
    return known or every
