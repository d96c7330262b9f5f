"""_path, _file, _size, _time, _etag: hidden, available by name, free if unused."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import scans
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from samples import share

from spark_iceberg_sql.spark.gate import intercept


@pytest.fixture(scope="module")
def path(spark: SparkSession) -> Iterator[str]:
    """Two files: id 1 and 2 in one snapshot, 3 in the next."""
    spark.sql("CREATE TABLE local.by_path.virtual (id INT) USING iceberg")
    spark.sql("INSERT INTO local.by_path.virtual SELECT /*+ COALESCE(1) */ * FROM VALUES (1), (2)")
    spark.sql("INSERT INTO local.by_path.virtual VALUES (3)")
    rows = spark.sql("DESCRIBE EXTENDED local.by_path.virtual").where("col_name = 'Location'")
    yield str(rows.collect()[0].data_type).removeprefix("file:")
    spark.sql("DROP TABLE local.by_path.virtual PURGE")


def test_they_say_what_the_file_system_says(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT id, _path, _file, _size, _time, _etag FROM iceberg('{path}')").collect()
    assert sorted(r.id for r in rows) == [1, 2, 3]
    for row in rows:
        file = Path(row._path)
        assert file.is_file()
        assert file.is_relative_to(path)
        assert row._file == file.name
        assert row._size == file.stat().st_size
        seconds = row._time.replace(tzinfo=datetime.timezone.utc).timestamp()
        assert seconds == pytest.approx(file.stat().st_mtime, abs=0.01)
        assert row._etag is None


def test_types(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT _path, _file, _size, _time, _etag FROM iceberg('{path}')")
    assert dict(rows.dtypes) == {
        "_path": "string",
        "_file": "string",
        "_size": "bigint",
        "_time": "timestamp",
        "_etag": "string",
    }


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM iceberg('{p}') WHERE _size > 0 AND _time IS NOT NULL",
        "SELECT * FROM iceberg('{p}') t WHERE t._size > 0",
        "SELECT t.* FROM iceberg('{p}') t JOIN iceberg('{p}') u ON t._path = u._path AND t.id = u.id",
    ],
)
def test_they_are_not_in_a_star(spark: SparkSession, path: str, text: str) -> None:
    rows = spark.sql(text.format(p=path))
    assert rows.columns == ["id"]
    assert rows.count() == 3


@pytest.mark.parametrize(
    "text",
    [
        "SELECT _FILE FROM iceberg('{p}')",
        "SELECT `_file` FROM iceberg('{p}')",
        "SELECT t._file FROM iceberg('{p}') t",
        "WITH c AS (SELECT id, _file FROM iceberg('{p}')) SELECT _file FROM c",
        "SELECT _file FROM (SELECT _file FROM iceberg('{p}', use_partition_pruning => false))",
        "SELECT t._file FROM iceberg('{p}') t LEFT JOIN local.by_path.virtual v ON t.id = v.id",
    ],
)
def test_wherever_they_are_named(spark: SparkSession, path: str, text: str) -> None:
    file_names = {row[0] for row in spark.sql(text.format(p=path)).collect()}
    assert len(file_names) == 2
    assert all("/" not in name and name.endswith(".parquet") for name in file_names)


def test_unused_they_cost_nothing(spark: SparkSession, path: str) -> None:
    with_literal = spark.sql(f"SELECT sum(id), '_size' AS text FROM iceberg('{path}') WHERE id < 3")
    plain = spark.sql(f"SELECT sum(id), 'other' AS text FROM iceberg('{path}') WHERE id < 3")
    assert "Join" not in scans.plan(with_literal)
    assert scans.metrics(with_literal)["resultDataFiles"] == scans.metrics(plain)["resultDataFiles"] == 1


def test_grouping_by_them(spark: SparkSession, path: str) -> None:
    text = f"SELECT _file, _size, count(*) AS n FROM iceberg('{path}') GROUP BY ALL"
    assert sorted(row.n for row in spark.sql(text).collect()) == [1, 2]


def test_aggregates_of_them(spark: SparkSession, path: str) -> None:
    text = "SELECT max(_path), min(_file), count(DISTINCT _path), sum(_size), max(_time)"
    row = spark.sql(f"{text} FROM iceberg('{path}')").collect()[0]
    assert row[0].startswith(path)
    assert row[2] == 2
    assert None not in row


def test_in_an_old_snapshot(spark: SparkSession, path: str) -> None:
    first = "(SELECT min_by(snapshot_id, committed_at) FROM local.by_path.virtual.snapshots)"
    rows = spark.sql(f"SELECT DISTINCT _size FROM iceberg('{path}', snapshot_id => {first})")
    assert rows.count() == 1
    assert rows.collect()[0][0] > 0


def test_in_an_empty_table(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.by_path.nothing (id INT) USING iceberg")
    try:
        where = spark.sql("DESCRIBE EXTENDED local.by_path.nothing").where("col_name = 'Location'")
        rows = spark.sql(f"SELECT _size, _time FROM iceberg('{where.collect()[0].data_type}')")
        assert rows.collect() == []
    finally:
        spark.sql("DROP TABLE local.by_path.nothing PURGE")


def test_iceberg_s_own_hidden_columns(spark: SparkSession, path: str) -> None:
    theirs = spark.sql("SELECT _file, _pos, _spec_id, _deleted, id FROM local.by_path.virtual")
    ours = spark.sql(f"SELECT _path, _pos, _spec_id, _deleted, id FROM iceberg('{path}')")
    assert sorted(map(tuple, ours.collect())) == sorted(map(tuple, theirs.collect()))
    alone = spark.sql(f"SELECT _pos, _partition FROM iceberg('{path}')")
    assert alone.count() == 3


def test_a_column_of_the_same_name_is_the_table_s(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.by_path.clash (_size STRING, _Path INT) USING iceberg")
    try:
        spark.sql("INSERT INTO local.by_path.clash VALUES ('large', 1)")
        where = spark.sql("DESCRIBE EXTENDED local.by_path.clash").where("col_name = 'Location'")
        location = where.collect()[0].data_type
        rows = spark.sql(f"SELECT _size, _path, _file, _time FROM iceberg('{location}')").collect()
        assert rows[0][:2] == ("large", 1)
        assert rows[0]._file.endswith(".parquet")
        assert rows[0]._time is not None
        assert spark.sql(f"SELECT * FROM iceberg('{location}') WHERE _path > 0").columns == ["_size", "_Path"]
    finally:
        spark.sql("DROP TABLE local.by_path.clash PURGE")


def test_the_data_frame_api_asks_for_them(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT * FROM iceberg('{path}', virtual_columns => true)")
    assert rows.columns == ["id"]
    assert rows.select("_size", "_file").distinct().count() == 2
    with pytest.raises(AnalysisException, match="`_size` cannot be resolved"):
        spark.sql(f"SELECT * FROM iceberg('{path}')").select("_size")


HIDDEN = ("_path", "_file", "_size", "_time", "_etag")


TEXTS = ("SELECT * FROM iceberg('{p}')", "FROM iceberg('{p}') SELECT id")
SETTINGS = ("", ", use_partition_pruning => false")


@pytest.mark.parametrize(("name", "text", "settings"), share([*product(HIDDEN, TEXTS, SETTINGS)], 3))
def test_a_column_that_was_not_asked_for_is_not_another_one(
    spark: SparkSession, path: str, name: str, text: str, settings: str
) -> None:
    """Iceberg's `_file` is the full path: the value must not depend on whether the text contains the word."""
    rows = spark.sql(text.format(p=path).replace("')", f"'{settings})"))
    assert rows.count() == rows.select("id", "_pos").count() == 3
    for ask in (
        lambda: rows.select(name),
        lambda: rows.filter(f"{name} IS NOT NULL"),
        lambda: rows.orderBy(name),
        lambda: rows.alias("t").select(f"t.{name}"),
        lambda: rows.select("id", "_pos").orderBy(name),
        lambda: rows.select("_pos", name),
        lambda: rows.withColumn("pos", rows["_pos"]).select(name),
        lambda: rows[name],
        *([lambda: rows.metadataColumn(name)] if hasattr(rows, "metadataColumn") else []),
    ):
        with pytest.raises(AnalysisException, match=f"(?i){name}"):
            ask()
    rows.createOrReplaceTempView("no_hidden")
    with pytest.raises(AnalysisException, match=name):
        spark.sql(f"SELECT id, {name} FROM no_hidden")


@pytest.mark.parametrize("name", HIDDEN)
def test_a_column_has_one_value_however_it_is_asked_for(spark: SparkSession, path: str, name: str) -> None:
    in_text = spark.sql(f"SELECT id, {name} FROM iceberg('{path}')").collect()
    by_argument = spark.sql(f"SELECT * FROM iceberg('{path}', virtual_columns => true)")
    other = "_time" if name == "_size" else "_size"
    by_chance = spark.sql(f"SELECT *, '{name} {other}' AS words FROM iceberg('{path}')")
    for rows in (
        by_argument.select("id", name),
        by_chance.select("id", name),
        by_argument.where(f"{name} IS NULL OR {name} IS NOT NULL").select("id", name),
        spark.sql(f"SELECT t.id, t.{name} FROM iceberg('{path}') t"),
        spark.sql(f"SELECT id, {name} FROM iceberg(:p)", args={"p": path}),
    ):
        assert sorted(rows.collect()) == sorted(in_text)


def test_a_table_s_own_column_called_file(spark: SparkSession) -> None:
    past_the_gate = intercept.unchecked_sql(spark)
    past_the_gate("CREATE TABLE local.by_path.own_file (id INT, _FILE STRING) USING iceberg")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        spark.sql("INSERT INTO local.by_path.own_file VALUES (1, 'mine')")
        where = spark.sql("DESCRIBE EXTENDED local.by_path.own_file").where("col_name = 'Location'")
        rows = spark.sql(f"SELECT * FROM iceberg('{where.collect()[0].data_type}')")
        assert rows.select("_FILE").collect() == [("mine",)]
        with pytest.raises(AnalysisException, match="_file"):
            rows.select("_file")
        spark.conf.unset("spark.sql.caseSensitive")
        assert rows.select("_file").collect() == [("mine",)]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")
        spark.sql("DROP TABLE local.by_path.own_file PURGE")
