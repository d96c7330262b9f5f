"""Repairs of statements that cannot be parsed, in the user's own names.

Each repair is tried: it is offered only if the edited statement parses. None is marked safe, because the text does not
show for certain what the user intended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.repairs import foreign_columns, partition_fields, typos
from spark_iceberg_sql.rules.repairs.syntax_error_site import Repair, SyntaxErrorSite, help_values, parses
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import TokenKind

__all__ = ["help_values", "repair"]


_Attempt = Callable[[SyntaxErrorSite], Iterator[Repair]]
_FIELDS: tuple[_Attempt, ...] = (partition_fields.partitioned_by, partition_fields.alter_statements)
_BY_ERROR_KIND: dict[str, tuple[_Attempt, ...]] = {
    **dict.fromkeys(
        (
            "several-fields",
            "missing-field",
            "missing-partition",
            "partition-fields",
            "parenthesised",
            "set-partition-spec",
        ),
        (partition_fields.alter_statements,),
    ),
    **dict.fromkeys(("rename-field", "alter-field", "missing-with"), (partition_fields.replace_field,)),
    **dict.fromkeys(
        ("two-partitioned-by", "partitioned-by-spec", "no-parentheses"), (partition_fields.partitioned_by,)
    ),
    **dict.fromkeys(("if-exists", "alter-if-exists"), (typos.surplus_if_exists,)),
    "set-type": (typos.surplus_set,),
    "as-in-drop": (typos.surplus_name,),
    "mixed-columns": (partition_fields.typed_columns,),
    "partition-by": _FIELDS,
    **dict.fromkeys(("nested-transform", "expression", "quoted-column", "sort-order"), (partition_fields.cast,)),
    "partitioning-property": (partition_fields.properties, partition_fields.alter_statements),
    "with-properties": (partition_fields.properties,),
    "using-after-clauses": (partition_fields.using_first,),
    "after-query": (partition_fields.before_query,),
    "other-table": (partition_fields.snowflake,),
    "closing-parenthesis": (typos.surplus_token,),
    "trailing-comma": (typos.trailing_comma,),
    "missing-semicolon": (typos.missing_semicolon,),
    "missing-by": _FIELDS,
    "quoted-name": (typos.quoted_names,),
    "modify-elsewhere": (partition_fields.alter_column,),
    "time-zone": (foreign_columns.foreign_columns,),
    "nested-new-name": (typos.plain_new_name,),
    "nothing-to-alter": (typos.missing_type_keyword,),
    "missing-column": (typos.misspelt_keyword, typos.missing_column_keyword),
    "": (
        typos.typographic_quotes,
        typos.misspelt_keyword,
        typos.missing_semicolon,
        typos.partition_column,
        foreign_columns.foreign_columns,
        typos.adjacent_words,
        typos.missing_comma,
        typos.unclosed_bracket,
        typos.surplus_token,
        partition_fields.cast,
    ),
}


def repair(context: Context, node: nodes.InvalidStatement) -> Repair | None:
    """The first repair after which the statement parses; None if there is none."""
    tokens = context.statement.tokens
    keywords = [token.text.upper() if token.kind is TokenKind.WORD else token.text for token in tokens]
    token_index = next((i for i, token in enumerate(tokens) if token.start >= node.error_span[0]), len(tokens))
    site = SyntaxErrorSite(context, node, tokens, keywords, token_index)
    candidates = (candidate for attempt in _BY_ERROR_KIND.get(node.error_kind, ()) for candidate in attempt(site))
    return next((candidate for candidate in candidates if parses(context, candidate.edits)), None)
