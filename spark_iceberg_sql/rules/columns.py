"""The table's own columns, for the clauses that help tells to write."""

from __future__ import annotations

from collections.abc import Iterable

from spark_iceberg_sql import nodes
from spark_iceberg_sql.model.transforms import Transform
from spark_iceberg_sql.rules.case import Case, NotKnownError, SettledError
from spark_iceberg_sql.rules.words import written


def fitting(case: Case, record: Transform) -> list[str]:
    """The columns that a transform takes, as DDL writes them; none where the table is unknown."""
    try:
        known = case.schema.columns
    except (NotKnownError, SettledError):
        return []
    return [written(c) for c in known if record.takes(c.field.type) and not c.in_collection]


def there(case: Case, refs: Iterable[nodes.Ref]) -> list[nodes.Ref]:
    """Of some names those that the table has as columns; all where it has none of them, or is unknown."""
    every = list(refs)
    try:
        known = [ref for ref in every if case.schema.find_all(ref.parts)]
    except (NotKnownError, SettledError):
        return every
    return known or every
