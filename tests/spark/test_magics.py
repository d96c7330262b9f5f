"""%%iceberg_sql in a shell on the tests' own session; test_notebook_cells.py has the rest, in a kernel."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from pyarrow import parquet
from pyspark.sql import SparkSession
from traitlets.config import Config

pytestmark = pytest.mark.tier("quick", of="magics")

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
        texts = [output.data.get("text/plain", "") for output in captured.outputs]
        return "\n".join([captured.stdout, captured.stderr, *texts])

    run("%load_ext spark_iceberg_sql")
    yield run
    run("%unload_ext spark_iceberg_sql")


def plain(output: str) -> str:
    """What a cell says, without its colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", output)


def test_a_query_shows_its_rows_and_the_files_that_it_read(cell: Callable[[str], str]) -> None:
    output = cell(f"%%iceberg_sql\nSELECT id FROM {TABLE} WHERE iceberg_days(ts) = DATE '1970-01-03'")
    print(output)
    assert "1 row" in output
    assert "1 of 5" in output


def test_names_that_are_misspelt(cell: Callable[[str], str]) -> None:
    cell("%iceberg_sql USE local.magics")
    for text, name in (
        ("SELECT * FROM visitz", "visits"),
        ("SELECT * FROM visit", "visits"),
        ("SELECT * FROM locla.magics.visits", "local.magics.visits"),
        ("SELECT * FROM magcis.visits", "magics.visits"),
    ):
        assert f"help: write `{name}`" in plain(cell(f"%%iceberg_sql\n{text}")), text
    assert "did you mean `local`?" in cell("%%iceberg_sql\nCALL locla.system.expire_snapshots('magics.visits')")


def test_the_source_of_a_merge_is_named(cell: Callable[[str], str]) -> None:
    source = "(SELECT 1 AS id) s"
    output = cell(f"%%iceberg_sql\nMERGE INTO {TABLE} t USING {source} ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert "`*` takes each column of the table from the source, which has `id`: add it there" in output


def test_a_time_before_the_first_snapshot(cell: Callable[[str], str]) -> None:
    output = cell(
        "%iceberg_sql CALL local.system.rollback_to_timestamp('magics.visits', TIMESTAMP '2001-01-01 00:00:00')"
    )
    assert "= help: its first snapshot is of 20" in plain(output)


def test_an_option_of_a_read(cell: Callable[[str], str]) -> None:
    output = cell(f"%%iceberg_sql\nSELECT * FROM {TABLE} WITH ('split-size' = '1MB')")
    assert "`split-size` must be an integer, not `1MB`" in output
    assert "write the number of bytes: '1048576'" in output or "write an integer" in output


def test_a_table_without_partition_fields_has_no_number_of_partitions(cell: Callable[[str], str]) -> None:
    output = cell("%%iceberg_sql\nCREATE OR REPLACE TABLE local.magics.whole USING iceberg AS SELECT 1 AS id")
    assert "wrote 1 row, 1 new data file" in output
    assert "partition" not in output
    cell("%iceberg_sql CREATE OR REPLACE TABLE local.magics.parted (id INT) USING iceberg PARTITIONED BY (id)")
    assert "in 1 partition" in cell("%iceberg_sql INSERT INTO local.magics.parted VALUES (9)")


def test_a_wrong_statement_is_refused_with_what_to_write(cell: Callable[[str], str]) -> None:
    output = cell(f"%%iceberg_sql\nALTER TABLE {TABLE} ADD PARTITION FIELD bucket(id, 16)")
    print(output)
    assert "SIS104" in output
    assert "bucket(16, id)" in output


def test_a_required_filter(cell: Callable[[str], str]) -> None:
    cell("%iceberg_sql SET spark.iceberg_sql.require_filter = true")
    for query in (f"SELECT sum(id) FROM {TABLE}", f"SELECT 1 WHERE 9 = (SELECT sum(id) FROM {TABLE})"):
        output = re.sub(r"\x1b\[[\d;]*m", "", cell(f"%%iceberg_sql\n{query}"))
        assert f"error[STATEMENT_REFUSED]: `{TABLE}`: no filter prunes by `days(ts)`" in output
        assert f"--> cell:2:{1 + query.index(TABLE)}" in output
        assert "= help: add WHERE ts >= DATE '1970-01-05'" in output
        assert "Traceback" not in output
    cell("%iceberg_sql RESET spark.iceberg_sql.require_filter")


def test_the_whole_result_in_a_file(
    cell: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    query = (
        "SELECT id, CAST(id AS STRING) || ',\\n\"' AS text, nullif(id, 1) AS id, array(X'FF', X'41') AS a FROM range(3)"
    )
    output = cell(f"%%iceberg_sql rows --limit 1 --csv 'all rows.csv'\n{query}")
    assert "3 rows in all rows.csv (" in output
    rows = list(csv.reader(io.StringIO((tmp_path / "all rows.csv").read_text("utf-8"), newline="")))
    assert rows[0] == ["id", "text", "id", "a"]
    assert [row[:3] for row in rows[1:]] == [["0", '0,\n"', "0"], ["1", '1,\n"', ""], ["2", '2,\n"', "2"]]
    assert "3 rows in r.parquet (" in cell(
        "%iceberg_sql --quiet --parquet r.parquet SELECT id, TIMESTAMP '2024-01-01' AS ts FROM range(3)"
    )
    assert parquet.read_table(tmp_path / "r.parquet").column("id").to_pylist() == [0, 1, 2]
    assert "there is no folder" in cell("%iceberg_sql --csv none/r.csv SELECT 1")


def test_the_type_of_the_variable(cell: Callable[[str], str]) -> None:
    output = cell("%%iceberg_sql rows --pandas\nSELECT id FROM range(3)")
    assert output.count("3 rows") == 2  # as HTML and as text, once
    assert cell("type(rows).__module__.partition('.')[0], len(rows)").strip().endswith("('pandas', 3)")
    cell("rows = %iceberg_sql --quiet --arrow SELECT id FROM range(3)")
    assert cell("type(rows).__module__").strip().endswith("'pyarrow.lib'")
    cell("rows = None")
    cell("%config IcebergSql.frame_type = 'arrow'\n%iceberg_sql SELECT 1")
    cell("%%iceberg_sql rows\nSELECT id FROM range(3)")
    assert cell("type(rows).__module__").strip().endswith("'pyarrow.lib'")
    cell("%%iceberg_sql rows --spark\nSELECT id FROM range(3)")
    assert cell("rows.count()").strip().endswith(": 3")
    cell("%config IcebergSql.frame_type = 'spark'")
    assert "write %%iceberg_sql rows --pandas" in cell("%%iceberg_sql --pandas\nSELECT 1")


def test_a_saved_result_is_a_view_for_later_cells(cell: Callable[[str], str]) -> None:
    output = cell(f"%%iceberg_sql --save late_visits\nSELECT id FROM {TABLE} WHERE id > 2")
    assert "saved as the temporary view `late_visits`" in output
    assert "2 rows" in cell("%iceberg_sql SELECT id FROM late_visits")
    assert "1 row" in cell("%%iceberg_sql --save late_visits\nSELECT id FROM late_visits WHERE id = 3")
    assert "1 row" in cell("%iceberg_sql SELECT * FROM late_visits")
    cell("first = spark.range(3)")
    assert "saved as" in cell("%%iceberg_sql --save of_frame\nSELECT id FROM {first}")
    assert "3 rows" in cell("%iceberg_sql SELECT * FROM of_frame")  # the frame's own view is gone
    cell("spark.range(1).createOrReplaceTempView('not_saved')")
    output = cell("%%iceberg_sql --save not_saved\nSELECT uuid()")
    assert "already the name of a table or view" in output
    assert "1 row" not in output  # it has not run
    output = cell("%%iceberg_sql --save v\nDROP TABLE IF EXISTS local.magics.absent")
    assert "no statement of the cell returns rows" in output
    for view in ("late_visits", "of_frame", "not_saved"):
        cell(f"spark.catalog.dropTempView('{view}')")


def test_the_history_has_what_each_statement_read(cell: Callable[[str], str]) -> None:
    failing = f"SELECT assert_true(id < 0) FROM {TABLE}"
    cell(f"%%iceberg_sql\nSELECT id FROM {TABLE} WHERE ts < TIMESTAMP '1970-01-03'; {failing}")
    output = cell(
        "past = %iceberg_sql history 2\nprint([(s.outcome, s.rows, s.files, s.tables) for s in past.statements])"
    )
    assert f"[('failed', None, None, ()), ('done', 2, 2, ('{TABLE}',))]" in output
    assert "the last 1 of " in cell("%iceberg_sql history 1")


def test_a_cell_that_would_read_much_is_refused_before_it_reads(cell: Callable[[str], str]) -> None:
    query = f"SELECT max(id) + 1 FROM {TABLE} WHERE id % 7 > 0"
    cell("%config IcebergSql.confirm_above = '1500 B'")
    output = re.sub(r"\x1b\[[\d;]*m", "", cell(f"%%iceberg_sql\n{query}"))
    assert "error[CONFIRM_ABOVE]: this statement would read " in output
    assert f"(5 files of {TABLE}), more than IcebergSql.confirm_above = '1500 B'" in output
    assert "--> cell:2:1" in output
    assert "= help: run it anyway with %%iceberg_sql --yes" in output
    assert output.rstrip().endswith("nothing has run")
    assert "1 row" in cell(f"%%iceberg_sql --yes\n{query}")
    assert "1 row" in cell(f"%iceberg_sql --yes {query}")
    # What pruning leaves, what metadata answers, and the first rows of a table.
    assert "1 row" in cell(f"%iceberg_sql SELECT max(id) + 1 FROM {TABLE} WHERE id % 7 > 0 AND ts < '1970-01-02'")
    assert "1 row" in cell(f"%iceberg_sql SELECT count(*) FROM {TABLE}")
    assert "first 2 of 5 rows" in cell(f"%iceberg_sql --limit 2 SELECT * FROM {TABLE}")
    cell("first = 1")
    for text in (
        f"%iceberg_sql --pandas SELECT id FROM {TABLE}",
        f"%iceberg_sql DELETE FROM {TABLE} WHERE id % 7 = 1",
        f"%iceberg_sql CREATE TABLE local.magics.copied USING iceberg AS SELECT * FROM {TABLE}",
        "%iceberg_sql DELETE FROM " + TABLE + " WHERE id % 7 = {first}",
        f"%iceberg_sql SELECT count(*) FROM {TABLE} a JOIN {TABLE} b ON a.id % 2 = b.id % 2",
    ):
        assert "CONFIRM_ABOVE" in cell(text), text
    output = cell(f"%%iceberg_sql\nSET a.b = 1;\n{query}")
    assert "statement 1 has run; statement 2 of 2 has not" in output
    cell("%config IcebergSql.confirm_above = ''")
    assert "1 row" in cell(f"%iceberg_sql SELECT count(*) FROM {TABLE} WHERE id >= 0")
    assert "5" in cell(f"%iceberg_sql SELECT count(*) AS n FROM {TABLE}")


def test_a_table_that_python_misspells(cell: Callable[[str], str]) -> None:
    assert f"did you mean `{TABLE}`?" in cell(f"spark.table('{TABLE[:-1]}').count()")


@pytest.mark.parametrize("function", ["explain", "spj"])
def test_an_error_of_a_function_has_the_statement(cell: Callable[[str], str], function: str) -> None:
    output = cell(f'import spark_iceberg_sql as sis\nsis.{function}(spark, "SELECT * FROM {TABLE} WHERE idd = 1")')
    assert f"SELECT * FROM {TABLE} WHERE idd = 1" in output.partition("-->")[2]
    assert "write `id`" in output


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
        (f"INSERT INTO {TABLE} VALUES (1)", "add a value for `ts`"),
        ("CALL local.system.rewrite_data_file('magics.visits')", "write `rewrite_data_files`"),
        ("CALL local.system.rewrite_data_files(tabel => 'magics.visits')", "write `table`"),
        (f"SELECT * FROM {TABLE} VERSION AS OF 1", "the ids of its snapshots are"),
        (f"CREATE VIEW local.magics.v AS SELECT * FROM {TABLE}", "write `CREATE TEMPORARY VIEW`"),
        ("sf.head()", "this is Python, not SQL"),
        ("rows = spark.sql('SELECT 1')", "this is Python, not SQL"),
    ],
)
def test_an_ordinary_mistake_is_answered_with_what_to_write(
    cell: Callable[[str], str], statement: str, instead: str
) -> None:
    output = cell(f"%%iceberg_sql\n{statement}")
    print(output)
    assert instead in output
