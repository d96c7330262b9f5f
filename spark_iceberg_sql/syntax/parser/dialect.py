"""The SQL dialect of a text: its grammar indicates Spark or Iceberg, other engines, or none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.engines import Dialect
from spark_iceberg_sql.model.runtime.procedures import OTHER_ENGINES_PARAMETERS
from spark_iceberg_sql.syntax.nodes import (
    Call,
    CallArgument,
    Create,
    InvalidStatement,
    Node,
    SetProperties,
    TemporaryTable,
)
from spark_iceberg_sql.syntax.parser import IcebergNode
from spark_iceberg_sql.syntax.parser.create import OTHER_FORMATS
from spark_iceberg_sql.syntax.parser.typos import nearest_keyword
from spark_iceberg_sql.syntax.script import Statement, statements

_PATTERNS = {
    Dialect.SPARK: (
        r"\b(?:using\s+(?:iceberg|parquet|orc|avro|csv|json|text|hive|org\.apache)\b"
        r"|partition\s+fields?\b|identifier\s+fields?\b"
        r"|write\s+(?:locally\s+)?(?:ordered|distributed|unordered)\b)"
    ),
    Dialect.SHARED: r"\b(?:tblproperties\b|partitioned\s+by\b|(?:stored|row)\s+(?:as|format)\b)",
    # Flink; Trino; Athena; Snowflake; Redshift; DuckDB; Hive and Impala; Impala with Kudu. A word in a name is none:
    # any engine may have a catalog or a table called `iceberg`.
    Dialect.OTHER_ENGINES: (
        r"\bwatermark\s+for\b|'connector'\s*=|\bcreate\s+catalog\b|\bset\s*\(\s*'|\)\s*with\s*\("
        r"|\b(?:table|schema)\s+(?:if\s+not\s+exists\s+)?[\w.\"`]+\s+with\s*\("
        r"|\bwith\s+(?:local\s+)?time\s+zone\b|\bset\s+properties\b|\bpartition(?:ing|ed_by)\s*=\s*array\b"
        r"|'table_type'\s*=\s*'iceberg'|\b(?:create|alter|replace)\s+iceberg\s+table\b"
        r"|\b(?:external_volume|base_location)\s*=|\btable\s+properties\s*\(|\b(?:distkey|sortkey|diststyle)\b"
        r"|\bset\s+partitioned\s+by\b"
        r"|\bstored\s+(?:by|as\s+(?:iceberg|kudu))\b|\bpartitioned\s+by\s+spec\b|\bset\s+partition\s+spec\b"
        r"|\bset\s+fileformat\b|\bpartition\s+by\s+(?:hash|range|list)\b"
    ),
}
# DDL as Dremio and others have it: in a document that shows several engines it is theirs.
_OTHERS_DDL = regex(r"\bpartition\s+by\s*\(|\bmodify\s+column\b|\bvarchar\b(?!\s*\()", re.IGNORECASE)
_SHARED_CLAUSE = regex(_PATTERNS[Dialect.SHARED], re.IGNORECASE)
# After USING: PostgreSQL has USING in the same position, for an access method.
_FORMATS = frozenset({"iceberg", "parquet", "orc", "avro", "csv", "json", "text", "hive", "jdbc"} | OTHER_FORMATS)
# Misspelt keywords that indicate no dialect: the keyword is common to all engines, or indicates one itself.
_EXPECTED_KEYWORDS = frozenset(
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


def indicates_spark(node: Node, *, is_exclusive: bool = False) -> bool:
    """True if a statement by itself indicates Spark or Iceberg.

    is_exclusive: and no other engine; PARTITIONED BY, TBLPROPERTIES and misspelt keywords do not.
    """
    if isinstance(node, Create):
        provider = node.provider or ""
        if provider in _FORMATS or nearest_keyword(provider.upper(), "ICEBERG"):
            return True
        return not is_exclusive and bool(node.partitioning_span or node.properties)
    if isinstance(node, InvalidStatement) and node.error_kind == "misspelt":
        return not is_exclusive and node.expected in _EXPECTED_KEYWORDS
    if isinstance(node, SetProperties):
        return not is_exclusive
    if isinstance(node, Call):
        return names_table_in_one(node.arguments)
    return isinstance(node, IcebergNode | TemporaryTable)


def names_table_in_one(arguments: Sequence[CallArgument]) -> bool:
    """True if a CALL names its table in one argument, as for Spark: Trino and Presto have one for the schema."""
    names = [argument.name for argument in arguments]
    if not names or not OTHER_ENGINES_PARAMETERS.isdisjoint(names):
        return False
    first = arguments[0]
    return bool(first.name) or len(arguments) == 1 or (first.value is not None and "." in first.value)


def indicates_dialect(text: str, text_statements: Sequence[Statement], dialect: Dialect) -> bool:
    """True if the statements of a text indicate a dialect; comments and strings are ignored."""
    starts = [statement.start for statement in text_statements]
    for match in re.finditer(_PATTERNS[dialect], text, re.IGNORECASE):
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or match.start() >= text_statements[index].end:
            continue
        offset = match.start()
        unclosed_token = text_statements[index].unclosed
        if unclosed_token is not None and unclosed_token.start <= offset:
            return True  # the statements inside an unclosed quote
        if any(t.start == offset for t in text_statements[index].tokens):
            return True
    return False


def is_others_ddl(statement: Statement) -> bool:
    """True for DDL with clauses of other engines and none of Spark's or Hive's."""
    if statement.first not in ("CREATE", "ALTER"):
        return False
    text = statement.text
    return _OTHERS_DDL.search(text) is not None and _SHARED_CLAUSE.search(text) is None


def indicated_dialects(text: str) -> frozenset[Dialect]:
    """The dialects that a text indicates."""
    text_statements = statements(text)
    return frozenset(dialect for dialect in Dialect if indicates_dialect(text, text_statements, dialect))
