"""A source file as the checker reads it: its text units, their SQL, and SQL that cannot be extracted."""

from __future__ import annotations

from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record

# Clients of other engines, by the module that a program imports.
_CLIENT_MODULES = (
    r"(?:duckdb|snowflake|pyathena|awswrangler|trino|prestodb|psycopg2?|asyncpg|sqlite3"
    r"|pymysql|mysql|MySQLdb|pymssql|pyodbc|oracledb|cx_Oracle|clickhouse_\w+|chdb|redshift_connector"
    r"|google\.cloud|pyflink|datafusion|polars|impala|pydremio)\b"
)
# Each begins with a word, which is what makes its search fast: what precedes the word is tested after it.
_OTHER_CLIENTS = (
    regex(rf"import(?<!\wimport)\s+{_CLIENT_MODULES}"),
    regex(rf"from(?<!\wfrom)\s+{_CLIENT_MODULES}"),
    regex(r"client(?<!\wclient)\(\s*\\?['\"]athena"),
)


@record(frozen=True, slots=True)
class TextUnit:
    """A text with its own line numbers: a file, or a cell of a notebook (counted from 1)."""

    text: str
    cell: int | None = None


@record(frozen=True, slots=True)
class ExtractionProblem:
    """SQL that cannot be extracted, or a call that Spark refuses or ignores without any SQL.

    unit_index, start, end: its position. reason, help: for the user. is_refused: Spark refuses it, so it is an error.
    is_ignored: Spark ignores it, so it is a warning.
    """

    unit_index: int
    start: int
    end: int
    reason: str
    help: str = "write the SQL as a string in the call, or check the program's statements at run time"
    is_refused: bool = False
    is_ignored: bool = False


@record(frozen=True, slots=True)
class SourceFile:
    """A file. name: as shown to the user. fragments: in the order of the text.

    is_program: the SQL is inside a program. uses_spark: the program mentions Spark. uses_other_engine: it does not, and
    imports another engine's client. upgrade_count: for a reversible migration, the number of fragments that migrate;
    the others revert it. is_document: it shows SQL, possibly of several engines.
    """

    name: str
    units: tuple[TextUnit, ...]
    fragments: tuple[SqlFragment, ...]
    problems: tuple[ExtractionProblem, ...] = ()
    is_program: bool = False
    uses_spark: bool = False
    uses_other_engine: bool = False
    upgrade_count: int | None = None
    is_document: bool = False


def detect_engine(text: str) -> dict[str, bool]:
    """Guess a program's engine: SourceFile's `uses_spark`, `uses_other_engine`. text: the program."""
    uses_spark = "spark" in text.lower()
    uses_other_engine = not uses_spark and any(client.search(text) is not None for client in _OTHER_CLIENTS)
    return {"uses_spark": uses_spark, "uses_other_engine": uses_other_engine}
