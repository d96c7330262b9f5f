"""The SQL dialect of a text: its keywords indicate Spark or Iceberg, other engines, or none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum, auto

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
from spark_iceberg_sql.syntax.script import Statement


class Words(Enum):
    """A dialect that a text's keywords indicate."""

    SPARKS = auto()  # only Spark or Iceberg
    SHARED = auto()  # Spark, but also Hive, Athena, Flink or DuckDB
    OTHERS = auto()  # other engines


_WORDS = {
    Words.SPARKS: (
        r"\b(?:using\s+(?:iceberg|parquet|orc|avro|csv|json|text|hive|org\.apache)\b"
        r"|partition\s+fields?\b|identifier\s+fields?\b"
        r"|write\s+(?:locally\s+)?(?:ordered|distributed|unordered)\b)"
    ),
    Words.SHARED: (
        r"\b(?:tblproperties\b|partitioned\s+by\b|set\s+partition\s+spec\b|iceberg\b"
        r"|(?:stored|row)\s+(?:as|format)\b)"
    ),
    # Flink; Trino; Athena; Snowflake; Redshift; DuckDB.
    Words.OTHERS: (
        r"\bwatermark\s+for\b|'connector'\s*=|\bcreate\s+catalog\b|\bset\s*\(\s*'|\)\s*with\s*\("
        r"|\bwith\s+(?:local\s+)?time\s+zone\b|\bset\s+properties\b|\bpartition(?:ing|ed_by)\s*=\s*array\b"
        r"|'table_type'\s*=\s*'iceberg'|\b(?:create|alter|replace)\s+iceberg\s+table\b"
        r"|\b(?:external_volume|base_location)\s*=|\btable\s+properties\s*\(|\b(?:distkey|sortkey|diststyle)\b"
        r"|\bset\s+partitioned\s+by\b"
    ),
}
_OWN = (AddField, DropField, ReplaceField, WriteOrder, IdentifierFields, Reference)
# After USING: PostgreSQL has USING in the same position, for an access method.
_FORMATS = frozenset(
    {"iceberg", "parquet", "orc", "avro", "csv", "json", "text", "hive", "jdbc"} | OTHER_FORMATS
)
# Misspelt keywords that indicate no dialect: the keyword is common to all engines, or indicates one itself.
_TELLING = frozenset(
    f"`{word}`"
    for word in (
        "ALTER",
        "CREATE",
        "REPLACE",
        "DROP",
        "TABLE",
        "USING",
        "PARTITION",
        "PARTITIONED",
        "PARTITIONED BY",
        "FIELD",
        "FIELDS",
        "TBLPROPERTIES",
        "IDENTIFIER",
        "ORDERED",
        "DISTRIBUTED",
        "UNORDERED",
    )
)


def is_sparks(node: Node, *, alone: bool = False) -> bool:
    """True if a statement by itself indicates Spark or Iceberg.

    is_exclusive: and no other engine; PARTITIONED BY, TBLPROPERTIES and misspelt keywords do not.
    """
    if isinstance(node, Create):
        provider = node.provider or ""
        if provider in _FORMATS or near(provider.upper(), "ICEBERG"):
            return True
        return not alone and bool(node.partitioning_span or node.properties)
    if isinstance(node, Unreadable) and node.like == "misspelt":
        return not alone and node.expected in _TELLING
    if isinstance(node, SetProperties):
        return not alone
    return isinstance(node, (*_OWN, TemporaryTable))


def has_words(text: str, statements: Sequence[Statement], words: Words) -> bool:
    """True if the statements of a text indicate a dialect; comments and strings are ignored."""
    starts = [statement.start for statement in statements]
    for found in re.finditer(_WORDS[words], text, re.IGNORECASE):
        number = bisect_right(starts, found.start()) - 1
        if number < 0 or found.start() >= statements[number].end:
            continue
        at = found.start()
        opened = statements[number].unclosed
        if opened is not None and opened.start <= at:
            return True  # the statements inside an unclosed quote
        if any(t.start == at for t in statements[number].tokens):
            return True
    return False
