"""Self-tests of the functions, table functions and the check of partition DDL, on a Spark that is not tested.

Each returns what failed, by name, with the reason. The optimizer rules have self-tests of their own, on plans; here
they are tested on rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.bridge.jvm import gateway, logs
from spark_iceberg_sql.spark.bridge.tables import trial_table
from spark_iceberg_sql.spark.optimizer.rule_records import RULES
from spark_iceberg_sql.syntax.identifiers import string_literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS = """
SELECT id, id % 5 AS n, concat('name', id % 3) AS name,
       CASE WHEN id % 7 > 0 THEN TIMESTAMP '2023-12-31 22:00:00' + make_interval(0, 0, 0, id, id) END AS ts
FROM range(-3, 9)
"""
# One for each way in which a filter is pushed down or implies another; a column with identity partitioning, whose
# filters lose rows in Iceberg alone, and nulls are among them.
_FILTERS = (
    "iceberg_bucket(4, id) = 2",
    "iceberg_bucket(4, id) <> 2",
    "iceberg_bucket(4, n) = 1",
    "NOT iceberg_bucket(4, n) IN (1, 2)",
    "iceberg_truncate(3, n) >= 3",
    "iceberg_truncate(5, name) = 'name1'",
    "iceberg_days(ts) = DATE '2024-01-02'",
    "NOT (iceberg_days(ts) = DATE '2024-01-02')",
    "iceberg_months(ts) >= 648",
    "iceberg_hours(ts) < 473400",
    "iceberg_years(ts) = 53",
    "year(ts) = 2024",
    "date_format(ts, 'yyyy-MM-dd') = '2024-01-03'",
)
_REFUSED = "ALTER TABLE spark_iceberg_sql_trial ADD PARTITION FIELD bucket(0, id)"


class TrialTable:
    """The table on which filters and table functions are tested. path: its folder."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark, self.path = spark, path
        trial_table.write(spark, spark.sql(_ROWS), path)

    def wrong_filter(self, without: Collection[str]) -> str | None:
        """The first filter that fails, or returns other rows than its own value in a projection selects.

        without: functions that the filters must not use.
        """
        usable = (f for f in _FILTERS if not any(f"{name}(" in f for name in without))
        return next((condition for condition in usable if not self._is_right(condition)), None)

    def _is_right(self, condition: str) -> bool:
        table: DataFrame = self.spark.read.format("iceberg").load(self.path)
        try:
            values = table.selectExpr("id", f"{condition} AS holds").collect()
            rows = table.where(condition).select("id").collect()
        except Exception:
            return False
        return sorted(row.id for row in rows) == sorted(row.id for row in values if row.holds)


@contextmanager
def trial(spark: SparkSession) -> Iterator[TrialTable]:
    """A trial table in a session of its own, whose settings are Spark's defaults where the results depend on them."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    with TemporaryDirectory(prefix="spark-iceberg-sql-trial-") as folder, logs.without_error_logs():
        yield TrialTable(session, f"{folder}/trial")


def wrong_functions(spark: SparkSession) -> dict[str, str]:
    """The functions iceberg_* whose example has another value, as a constant or in rows, and why."""
    faults = {}
    for transform in TRANSFORMS:
        for name in transform.functions:
            if (fault := _wrong_value(spark, transform, name)) is not None:
                faults[name] = fault
    return faults


def _wrong_value(spark: SparkSession, transform: Transform, name: str) -> str | None:
    call, expected = transform.example
    *numbers, value = call.split(", ", 0 if transform.parameter is None else 1)
    for column in (value, f"if(rand() < 2, {value}, NULL)"):  # Spark does not fold rand()
        text = f"{name}({', '.join((*numbers, column))})"
        try:
            (row,) = spark.sql(f"SELECT CAST({text} AS STRING) AS value FROM range(1)").collect()
        except Exception as error:
            return first_line(error)
        if (row.value or "NULL") != expected:
            return f"{name}({call}) is {row.value}, not {expected}"
    return None


def wrong_rules(table: TrialTable, without: Collection[str]) -> tuple[Collection[str], str] | None:
    """The optimizer rules without which all filters return the right rows, and the filter; None if they do anyway.

    without: functions that are not there. No rule if the rows are wrong without any: then the functions are at fault.
    """
    wrong = table.wrong_filter(without)
    if wrong is None:
        return None
    for rules in (*((rule,) for rule in RULES), RULES):
        for rule in rules:
            table.spark.conf.set(rule.switch, "false")
        right = table.wrong_filter(without) is None
        for rule in rules:
            table.spark.conf.unset(rule.switch)
        if right:
            return [rule.name for rule in rules], wrong
    return [], wrong


def wrong_table_functions(table: TrialTable, names: Iterable[str]) -> dict[str, str]:
    """The functions over one location that do not return the rows that Iceberg's own reader returns, and why."""
    expected = _sorted(table.spark.read.format("iceberg").load(table.path))

    def fault(name: str) -> str | None:
        rows = table.spark.sql(f"SELECT * FROM {name}({string_literal(table.path)})")
        return None if _sorted(rows) == expected else "it returns other rows than the table has"

    return {name: reason for name in names if (reason := _attempted(fault, name)) is not None}


def _sorted(rows: DataFrame) -> list[str]:
    return sorted(map(repr, rows.collect()))


def failing_metadata_functions(table: TrialTable) -> dict[str, str]:
    """The functions over a table's metadata that raise an error, and why."""
    names = (name for function in METADATA_FUNCTIONS for name in function.names)
    argument = string_literal(table.path)
    return failing_queries(table, {name: f"SELECT * FROM {name}({argument})" for name in names})


def failing_queries(table: TrialTable, queries: Mapping[str, str]) -> dict[str, str]:
    """The names whose queries raise an error, and why."""

    def fault(query: str) -> None:
        table.spark.sql(query).collect()

    attempts = ((name, _attempted(fault, query)) for name, query in queries.items())
    return {name: reason for name, reason in attempts if reason is not None}


def _attempted(test: Callable[[str], str | None], argument: str) -> str | None:
    """The fault that a test reports or raises: no error may keep the rest from being tested."""
    try:
        return test(argument)
    except Exception as error:
        return first_line(error)


def failing_check(spark: SparkSession) -> str | None:
    """Why the check of partition DDL does not work; only parsed, no statement runs."""
    parser = gateway.java_session(spark).sessionState().sqlParser()
    with logs.without_error_logs(), warnings.catch_warnings(), requests.mode_override("error"):
        warnings.simplefilter("ignore")
        try:
            parser.parsePlan("SELECT id FROM range(3)")
        except Exception as error:
            return first_line(error)
        try:
            parser.parsePlan(_REFUSED)
        except IcebergSqlError as refusal:
            return None if "SIS" in str(refusal) else first_line(refusal)
        except Exception as error:
            return first_line(error)
    return "a statement with an error passes"


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
