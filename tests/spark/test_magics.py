"""%%iceberg_sql in a shell on the tests' own session; test_notebook_cells.py has the rest, in a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from pyspark.sql import SparkSession
from traitlets.config import Config

pytestmark = pytest.mark.main("magics")

TABLE = "local.magics.visits"


@pytest.fixture(scope="module")
def cell(spark: SparkSession) -> Iterator[Callable[[str], str]]:
    """Run a cell; what it says."""
    spark.sql(f"CREATE OR REPLACE TABLE {TABLE} (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    spark.sql(f"INSERT INTO {TABLE} SELECT id, timestamp_seconds(id * 86400) FROM range(5)")
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    shell.user_ns["spark"] = spark

    def run(text: str) -> str:
        with capture_output() as captured:
            shell.run_cell(text)
        shown = [output.data.get("text/plain", "") for output in captured.outputs]
        return "\n".join([captured.stdout, captured.stderr, *shown])

    run("%load_ext spark_iceberg_sql")
    yield run
    run("%unload_ext spark_iceberg_sql")


def test_a_query_shows_its_rows_and_the_files_that_it_read(cell: Callable[[str], str]) -> None:
    said = cell(f"%%iceberg_sql\nSELECT id FROM {TABLE} WHERE iceberg_days(ts) = DATE '1970-01-03'")
    print(said)
    assert "1 row" in said
    assert "1 of 5" in said


def test_a_wrong_statement_is_refused_with_what_to_write(cell: Callable[[str], str]) -> None:
    said = cell(f"%%iceberg_sql\nALTER TABLE {TABLE} ADD PARTITION FIELD bucket(id, 16)")
    print(said)
    assert "SIS104" in said
    assert "bucket(16, id)" in said


@pytest.mark.parametrize("function", ["explain", "spj"])
def test_an_error_of_a_function_has_the_statement(cell: Callable[[str], str], function: str) -> None:
    said = cell(f'import spark_iceberg_sql as sis\nsis.{function}(spark, "SELECT * FROM {TABLE} WHERE idd = 1")')
    assert f"SELECT * FROM {TABLE} WHERE idd = 1" in said.partition("-->")[2]
    assert "write `id`" in said


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        (f"SELECT TOP 10 * FROM {TABLE}", "write `LIMIT 10` at the end"),
        ("SELECT * FROM 'tpch/orders.parquet'", "write parquet.`tpch/orders.parquet`"),
        ("SELECT * FROM '/lake/events'", "write iceberg('/lake/events')"),
        ("SELECT * FROM read_parquet('a/b.parquet')", "write parquet.`a/b.parquet`"),
        ("SELECT * FROM read_csv_auto('a.csv')", "write csv.`a.csv`"),
        (f"SELECT * FROM {TABLE} AT (TIMESTAMP => '2024-01-01')", "write `TIMESTAMP AS OF '2024-01-01'`"),
        (f"SELECT * FROM {TABLE} AT (VERSION => 7)", "write `VERSION AS OF 7`"),
        (f"SELECT month(ts), avg(id) FROM {TABLE}", "write `GROUP BY ALL`"),
        (f"INSERT INTO {TABLE} VALUES (1)", "there is no value for `ts`"),
        ("CALL local.system.rewrite_data_file('magics.visits')", "write `rewrite_data_files`"),
        (f"CREATE VIEW local.magics.v AS SELECT * FROM {TABLE}", "write `CREATE TEMPORARY VIEW`"),
        ("sf.head()", "this is Python, not SQL"),
        ("rows = spark.sql('SELECT 1')", "this is Python, not SQL"),
    ],
)
def test_an_ordinary_mistake_is_answered_with_what_to_write(
    cell: Callable[[str], str], statement: str, instead: str
) -> None:
    said = cell(f"%%iceberg_sql\n{statement}")
    print(said)
    assert instead in said
