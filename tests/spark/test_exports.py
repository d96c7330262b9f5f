"""A result in a file or as a table of another library, value by value."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.notebook.results import exports

QUERY = """SELECT CAST(id AS DECIMAL(20, 2)) AS d, id AS d, DATE '2024-01-05' AS day, named_struct('a', array(id)) AS s,
nullif('x', 'x') AS n FROM range(2)"""


def test_a_csv_file_has_the_values_as_spark_writes_them(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("the file before", "utf-8")
    assert exports.write(spark.sql(QUERY), "csv", str(path)).startswith(f"2 rows in {path} (")
    lines = path.read_text("utf-8").splitlines()
    assert lines == ["d,d,day,s,n", "0.00,0,2024-01-05,{[0]},", "1.00,1,2024-01-05,{[1]},"]


def test_a_failing_query_leaves_the_file_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("the file before", "utf-8")
    with pytest.raises(Exception, match="no more rows"):
        exports.write(spark.sql("SELECT raise_error('no more rows') FROM range(2)"), "csv", str(path))
    assert path.read_text("utf-8") == "the file before"
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]
    with pytest.raises(FileError, match="there is no folder"):
        exports.checked_path(str(tmp_path / "none" / "rows.csv"))
    with pytest.raises(FileError, match="it is a folder"):
        exports.checked_path(str(tmp_path))


@pytest.mark.parametrize("frame_type", ["pandas", "polars", "arrow"])
def test_a_table_of_another_library(spark: SparkSession, frame_type: str) -> None:
    table = exports.converted(spark.sql("SELECT id, nullif(id, 1) AS n FROM range(3)"), frame_type)
    assert type(table).__module__.partition(".")[0] in (frame_type, "pyarrow")
    column = table["id"]
    assert (column.to_pylist() if frame_type == "arrow" else list(column)) == [0, 1, 2]
