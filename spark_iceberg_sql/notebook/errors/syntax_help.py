"""Help for syntax errors: a missing end of a statement, and misspelt keywords."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.similar_names import WORD, similar_name
from spark_iceberg_sql.spark.bridge.gate import parsing
from spark_iceberg_sql.spark.bridge.jvm import logs
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.syntax.clickhouse import translation
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.variables import parameters_of

_KEYWORDS =(
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "INSERT", "INTO", "VALUES",
    "UPDATE", "DELETE", "MERGE", "CREATE", "TABLE", "ALTER", "DROP", "PARTITIONED", "USING",
    "DESCRIBE", "SHOW", "WITH", "JOIN", "UNION", "DISTINCT", "BETWEEN", "EXPLAIN", "CALL",
    "NAMESPACE", "REPLACE", "TRUNCATE",
)  # fmt: skip
STARTS = frozenset(
    (
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "MERGE",
        "CREATE",
        "ALTER",
        "DROP",
        "DESCRIBE",
        "SHOW",
        "WITH",
        "CALL",
        "EXPLAIN",
        "USE",
        "SET",
    )
)
READS = frozenset(("SELECT", "FROM", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "USE", "("))
WRITES = frozenset(("INSERT", "OVERWRITE", "DELETE", "UPDATE", "MERGE"))
_REMOVES = frozenset(("DELETE", "DROP", "TRUNCATE", "REPLACE"))


def parses(spark: SparkSession, statement: Statement, edit: Edit) -> bool:
    """True if Spark parses a statement with an edit; also if only the server of the session could."""
    if is_remote(spark):
        return True
    text = statement.script[statement.start : edit.start] + edit.text + statement.script[edit.end : statement.end]
    try:
        with logs.without_error_logs():
            for part in statements(text):  # an edit may be the `;` between two
                parsing.parse(spark, part.text, dict.fromkeys(parameters_of(part.text), 1))
    except (IcebergSqlError, PySparkException, *JVM_ERRORS):
        return False
    return True


def syntax_help(spark: SparkSession, statement: Statement, span: tuple[int, int]) -> tuple[str | None, Edit | None]:
    """The help for a syntax error that is no known mistake: a missing `;`, or a misspelt keyword."""
    tokens = statement.tokens
    index = next((i for i, t in enumerate(tokens) if t.start >= span[0]), len(tokens) - 1)
    if [t.word for t in tokens[:2]] == ["INSERT", "INTO"] and "FUNCTION" in (t.word for t in tokens[2:4]):
        return translation.INTO_FUNCTION, None
    token = tokens[index]
    line = statement.script[statement.script.rfind("\n", 0, token.start) + 1 : token.start]
    if index and not line.strip() and token.word in STARTS:
        end = tokens[index - 1].end
        # Without its WHERE, it may change every row.
        if not WRITES.isdisjoint(t.word for t in tokens[:index]):
            return "end the statement before it with `;`, if that is its end", None
        return "end the statement before it with `;`", Edit(end, end, ";")
    for i in range(index, max(-1, index - 2), -1):
        keyword = _similar_keyword(tokens, i)
        edit = Edit(tokens[i].start, tokens[i].end, keyword or "")
        if keyword is None or not parses(spark, statement, edit):
            continue
        # What removes rows or tables is not for a guess.
        return (f"did you mean `{keyword}`?", None) if keyword in _REMOVES else (f"write `{keyword}`", edit)
    return None, None


def _similar_keyword(tokens: Sequence[Token], index: int) -> str | None:
    """The keyword that a word may be; None for a part of a name."""
    token = tokens[index]
    neighbours = {other.text for other in (*tokens[max(0, index - 1) : index], *tokens[index + 1 : index + 2])}
    if token.kind is not TokenKind.WORD or token.word in _KEYWORDS or neighbours & {".", "@", "`"}:
        return None
    return similar_name(token.word, _KEYWORDS, WORD)
