"""Whose SQL a text is: whether its words say Spark or Iceberg, or whether it may be any engine's."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from spark_iceberg_sql.syntax.lexer import Kind, Statement
from spark_iceberg_sql.syntax.nodes import (
    AddField,
    Create,
    DropField,
    IdentifierFields,
    Node,
    Reference,
    ReplaceField,
    SetProperties,
    TemporaryTable,
    Unreadable,
    WriteOrder,
)
from spark_iceberg_sql.syntax.parser.create import OTHER_FORMATS
from spark_iceberg_sql.syntax.parser.typos import near

# Words of Spark's grammar, of Iceberg's, and of no other engine's.
_WORDS = (
    r"\b(?:using\s+(?:parquet|orc|avro|csv|json|text|hive|org\.apache)\b"
    r"|tblproperties\b|partitioned\s+by\b|partition\s+fields?\b|identifier\s+fields?\b"
    r"|set\s+partition\s+spec\b|iceberg\b|(?:stored|row)\s+(?:as|format)\b"
    r"|write\s+(?:locally\s+)?(?:ordered|distributed|unordered)\b)"
)
_OWN = (AddField, DropField, ReplaceField, WriteOrder, IdentifierFields, Reference, SetProperties)
# After USING: PostgreSQL has the word in the same place, for an access method.
_FORMATS = frozenset(
    {"iceberg", "parquet", "orc", "avro", "csv", "json", "text", "hive", "jdbc"} | OTHER_FORMATS
)
# Slips of words that say themselves whose grammar is meant, or that every engine has.
_TELLING = frozenset(
    f"`{word}`"
    for word in (
        *("ALTER", "CREATE", "REPLACE", "DROP", "TABLE", "USING", "PARTITION", "PARTITIONED"),
        *("FIELD", "FIELDS", "TBLPROPERTIES", "IDENTIFIER", "ORDERED", "DISTRIBUTED", "UNORDERED"),
    )
)


def is_sparks(node: Node) -> bool:
    """Whether a statement says by itself that it is Spark's or Iceberg's."""
    if isinstance(node, Create):
        provider = node.provider or ""
        if provider in _FORMATS or near(provider.upper(), "ICEBERG"):
            return True
        return bool(node.partitioning_span or node.properties)
    if isinstance(node, Unreadable) and node.like == "misspelt":
        return node.expected in _TELLING
    return isinstance(node, (*_OWN, TemporaryTable))


def says_spark(text: str, statements: Sequence[Statement]) -> bool:
    """Whether any statement of a text has words that only Spark or Iceberg has; comments do not count."""
    starts = [statement.start for statement in statements]
    for found in re.finditer(_WORDS, text, re.IGNORECASE):
        number = bisect_right(starts, found.start()) - 1
        if number < 0 or found.start() >= statements[number].end:
            continue
        at = found.start()
        opened = statements[number].unclosed
        if opened is not None and opened.start <= at:
            return True  # the statements that an unclosed quote holds
        if any(t.start == at and t.kind is Kind.WORD for t in statements[number].tokens):
            return True
    return False
