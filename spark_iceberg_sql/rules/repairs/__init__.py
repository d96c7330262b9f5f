"""Repairs of statements that cannot be parsed, in the user's own names.

Each repair is tried: it is offered only if the edited statement parses. None is marked safe, because the
text does not show for certain what the user intended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.repairs import partition_fields, slips
from spark_iceberg_sql.rules.repairs.base import Repair, Spot, own_names, reads
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import Kind

__all__ = ["own_names", "repair"]


_Attempt = Callable[[Spot], Iterator[Repair]]
_FIELDS: tuple[_Attempt, ...] = (partition_fields.clause, partition_fields.alters)
_BY_SHAPE: dict[str, tuple[_Attempt, ...]] = {
    **dict.fromkeys(
        (
            "several-fields",
            "missing-field",
            "missing-partition",
            "partition-fields",
            "parenthesised",
            "set-partition-spec",
        ),
        (partition_fields.alters,),
    ),
    **dict.fromkeys(("rename-field", "alter-field", "missing-with"), (partition_fields.replaced,)),
    **dict.fromkeys(
        ("two-partitioned-by", "partitioned-by-spec", "no-parentheses"), (partition_fields.clause,)
    ),
    **dict.fromkeys(("if-exists", "alter-if-exists"), (slips.if_exists,)),
    "as-in-drop": (slips.name_of_dropped,),
    "mixed-columns": (partition_fields.mixed,),
    "partition-by": _FIELDS,
    **dict.fromkeys(
        ("nested-transform", "expression", "quoted-column", "sort-order"), (partition_fields.cast,)
    ),
    "partitioning-property": (partition_fields.properties, partition_fields.alters),
    "with-properties": (partition_fields.properties,),
    "using-after-clauses": (partition_fields.using_first,),
    "after-query": (partition_fields.before_query,),
    "other-table": (partition_fields.snowflake,),
    "closing-parenthesis": (slips.surplus,),
    "trailing-comma": (slips.surplus,),
    "missing-semicolon": (slips.separator,),
    "missing-by": _FIELDS,
    "quoted-name": (slips.quoted_names,),
    "modify-elsewhere": (partition_fields.modified,),
    "time-zone": (slips.time_zone,),
    "missing-column": (slips.keyword, slips.column_word),
    "": (
        slips.quotes,
        slips.keyword,
        slips.separator,
        slips.partition_column,
        slips.words,
        slips.comma,
        slips.bracket,
        slips.surplus,
        partition_fields.cast,
    ),
}


def repair(context: Context, node: nodes.Unreadable) -> Repair | None:
    """The first repair after which the statement parses; None if there is none."""
    tokens = context.statement.tokens
    words = [token.text.upper() if token.kind is Kind.WORD else token.text for token in tokens]
    at = next((i for i, token in enumerate(tokens) if token.start >= node.at[0]), len(tokens))
    spot = Spot(context, node, tokens, words, at)
    for attempt in _BY_SHAPE.get(node.like, ()):
        for found in attempt(spot):
            if reads(context, found.edits):
                return found
    return None
