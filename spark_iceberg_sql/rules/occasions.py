"""What several rules need in a statement to find anything: judged once for all of them."""

from __future__ import annotations

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.types import V3_TYPES, Primitive


def odd_terms(context: Context) -> bool:
    """Whether any transform is not written as DDL is meant to be."""
    return not all(facts.plain for facts in context.terms)


def odd_types(context: Context) -> bool:
    """Whether any new column has another type than a primitive one that every format version has."""
    return any(
        not isinstance(column.type, Primitive) or column.type.name in V3_TYPES
        for column in context.new_columns
    )
