"""Statements on a call of a table function, time travel after one, and changes between snapshots."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row, SparkSession

from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

TABLE = "local.by_statement.t"


@pytest.fixture(scope="module")
def path(spark: SparkSession) -> Iterator[str]:
    """A table with two appends, a copy-on-write DELETE, a compaction, and a branch with its own append."""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(2, id)) "
        "TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'a.b' = 'c')"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT id, concat('n', id) FROM range(10)")
    spark.sql(f"ALTER TABLE {TABLE} CREATE TAG first")
    spark.sql(f"ALTER TABLE {TABLE} ADD COLUMN extra INT")
    spark.sql(f"INSERT INTO {TABLE} SELECT id, concat('n', id), 1 FROM range(10, 15)")
    spark.sql(f"ALTER TABLE {TABLE} CREATE BRANCH side")
    spark.sql(f"INSERT INTO {TABLE}.branch_side VALUES (100, 'side', 2)")
    spark.sql(f"DELETE FROM {TABLE} WHERE id = 3")
    spark.sql(f"INSERT INTO {TABLE} VALUES (20, 'last', 3)")
    rows = spark.sql(f"DESCRIBE EXTENDED {TABLE}").where("col_name = 'Location'").collect()
    yield str(rows[0].data_type).removeprefix("file:")
    spark.sql(f"DROP TABLE {TABLE} PURGE")


@pytest.fixture(scope="module")
def snapshots(spark: SparkSession, path: str) -> list[int]:
    """Of the main branch, in order."""
    rows = spark.sql(f"SELECT snapshot_id FROM {TABLE}.history ORDER BY made_current_at").collect()
    return [row.snapshot_id for row in rows]


def rows(spark: SparkSession, query: str) -> list[Row]:
    return sorted(spark.sql(query).collect(), key=str)


def test_show_and_describe(spark: SparkSession, path: str) -> None:
    me = f"iceberg('{path}')"
    columns = [Row(col_name=name) for name in ("extra", "id", "name")]
    assert rows(spark, f"SHOW COLUMNS IN {me}") == columns
    if SPARK_VERSION >= (4, 0):  # before, Spark refuses it for Iceberg's tables
        assert rows(spark, f"SHOW COLUMNS IN {TABLE}") == columns
    assert rows(spark, f"SHOW TBLPROPERTIES {me}") == rows(spark, f"SHOW TBLPROPERTIES {TABLE}")
    assert rows(spark, f"SHOW TBLPROPERTIES {me} ('a.b')") == [Row(key="a.b", value="c")]
    assert rows(spark, f"SHOW PARTITIONS {me}") == rows(spark, f"SELECT * FROM {TABLE}.partitions")
    (created,) = rows(spark, f"SHOW CREATE TABLE icebergLocal('{path}')")
    assert created.createtab_stmt.startswith("CREATE TABLE t (\n  id BIGINT,")
    assert created.asDict().keys() == spark.sql(f"SHOW CREATE TABLE {TABLE}").first().asDict().keys()  # type: ignore[union-attr]
    for verb in ("DESCRIBE EXTENDED", "DESC TABLE EXTENDED", "describe formatted"):
        ours = spark.sql(f"{verb} iceberg_local('{path}')").collect()
        theirs = [r for r in spark.sql(f"DESCRIBE EXTENDED {TABLE}").collect() if r.col_name != "Name"]
        assert [row for row in ours if row.col_name != "Name"][: len(theirs)] == theirs
    assert [r.col_name for r in spark.sql(f"DESCRIBE {me}").collect()] == ["id", "name", "extra"]
    for verb in ("DESCRIBE", "DESC EXTENDED"):
        assert [tuple(r)[:2] for r in spark.sql(f"{verb} {me} name").collect()] == [("name", "string")]
        with pytest.raises(AnalysisException, match="nosuch"):
            spark.sql(f"{verb} {me} nosuch")
    old = spark.sql(f"SHOW COLUMNS IN iceberg('{path}', ref = 'first')").collect()
    assert [row.col_name for row in old] == ["id", "name"]


def test_time_travel_behind_a_call(spark: SparkSession, path: str, snapshots: list[int]) -> None:
    times = spark.sql(f"SELECT committed_at FROM {TABLE}.snapshots ORDER BY 1").collect()
    for clause in (
        f"VERSION AS OF {snapshots[0]}",
        f"FOR SYSTEM_VERSION AS OF {snapshots[1]}",
        f"VERSION AS OF '{snapshots[1]}'",
        "VERSION AS OF 'first'",
        "FOR VERSION AS OF 'side'",
        f"TIMESTAMP AS OF '{times[0].committed_at}'",
        f"FOR SYSTEM_TIME AS OF timestamp'{times[1].committed_at}' + INTERVAL 1 MICROSECOND",
        "TIMESTAMP AS OF current_timestamp()",
    ):
        theirs = rows(spark, f"SELECT t.* FROM {TABLE} {clause} AS t WHERE id < 12")
        assert theirs
        assert rows(spark, f"SELECT t.* FROM iceberg('{path}') {clause} AS t WHERE id < 12") == theirs
    query = f"SELECT * FROM iceberg('{path}') TIMESTAMP AS OF :when t ORDER BY id"
    past_rows = spark.sql(query, args={"when": times[0].committed_at}).collect()
    assert [row.id for row in past_rows] == list(range(10))
    joined = f"SELECT a.id FROM iceberg('{path}') VERSION AS OF 'first' a ANTI JOIN iceberg('{path}') b USING (id)"
    assert rows(spark, joined) == [Row(id=3)]


def test_a_sample_behind_a_call(spark: SparkSession, path: str) -> None:
    for clause, limit in (("(40 PERCENT) REPEATABLE (7)", 14), ("(3 ROWS)", 3), ("(100 PERCENT)", 15)):
        ours = spark.sql(f"SELECT id FROM iceberg('{path}') TABLESAMPLE {clause} AS t").collect()
        assert 0 < len({row.id for row in ours}) == len(ours) <= limit
        theirs = spark.sql(f"EXPLAIN SELECT id FROM {TABLE} TABLESAMPLE {clause}").collect()
        plan = spark.sql(f"EXPLAIN SELECT id FROM iceberg('{path}') TABLESAMPLE {clause}").collect()
        for word in ("Sample 0.0, 0.4, false, 7", "GlobalLimit", "Limit 3"):
            assert (word in plan[0][0]) == (word in theirs[0][0])
    hidden = f"SELECT _file FROM iceberg('{path}') VERSION AS OF 'first' TABLESAMPLE (100 PERCENT)"
    assert spark.sql(hidden).count() == 10


def options(spark: SparkSession, table: str, **read_options: int) -> list[Row]:
    reader = spark.read.format("iceberg")
    for name, value in read_options.items():
        reader = reader.option(name.replace("_", "-"), value)
    return sorted(reader.load(table).collect(), key=str)


def test_appended_rows(spark: SparkSession, path: str, snapshots: list[int]) -> None:
    first, second, deleted, last = snapshots
    for start, end in ((first, None), (first, second), (second, last), (deleted, last)):
        read_options = {"start_snapshot_id": start} | ({} if end is None else {"end_snapshot_id": end})
        arguments = "".join(f", {name} => {value}" for name, value in read_options.items())
        theirs = options(spark, TABLE, **read_options)
        assert rows(spark, f"SELECT * FROM iceberg('{path}'{arguments})") == theirs
    assert [row.id for row in options(spark, TABLE, start_snapshot_id=deleted)] == [20]
    for more in ("", ", changes => true", f", end_snapshot_id => {last}"):  # no changes
        none = spark.sql(f"SELECT * FROM iceberg('{path}', start_snapshot_id => {last}{more})")
        assert none.columns[:3] == ["id", "name", "extra"]
        assert none.collect() == []
    assert rows(spark, f"SELECT count(*) c FROM iceberg('{path}', start_snapshot_id => {first}) WHERE id > 12") == [
        Row(c=3)
    ]


def test_changes(spark: SparkSession, path: str, snapshots: list[int]) -> None:
    first, second, deleted, _ = snapshots
    up_to = "changes up to" not in versions.spark_minor(spark.version).limitations
    for start, end in (
        (None, None),
        (first, None),
        (first, second),
        (second, deleted),
        *([(None, second)] if up_to else []),
    ):
        snapshot_range = {"start_snapshot_id": start, "end_snapshot_id": end}
        snapshot_range = {name: value for name, value in snapshot_range.items() if value is not None}
        arguments = "".join(f", {name} => {value}" for name, value in snapshot_range.items())
        theirs = options(spark, f"{TABLE}.changes", **snapshot_range)  # type: ignore[arg-type]
        assert rows(spark, f"SELECT * FROM iceberg('{path}', changes => true{arguments})") == theirs
    number = len(rows(spark, f"SELECT * FROM iceberg('{path}', changes => true)"))
    for counted in ("id", "_change_ordinal", "*"):
        count = f"SELECT count({counted}) FROM iceberg('{path}', changes => true)"
        assert rows(spark, count) == [(number,)]
    deletes = f"SELECT id, _commit_snapshot_id FROM iceberg('{path}', changes => true) WHERE _change_type = 'DELETE'"
    assert (3, deleted) in [tuple(row) for row in rows(spark, deletes)]
    for where, count in (("_change_ordinal = 0", 10), (f"_commit_snapshot_id = {second}", 5), ("id = 20", 1)):
        assert spark.sql(f"SELECT * FROM iceberg('{path}', changes => true) WHERE {where}").count() == count
    everything = f"SELECT * FROM iceberg('{path}', changes => false)"
    assert spark.sql(everything).columns == ["id", "name", "extra"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("start_snapshot_id => 5", "there is no snapshot 5"),
        ("end_snapshot_id => {1}", "without `start_snapshot_id` the range covers the whole table"),
        ("start_snapshot_id => {1}, snapshot_id => {2}", "cannot be combined"),
        ("changes => true, ref => 'side'", "cannot be combined"),
        ("start_snapshot_id => {2}, end_snapshot_id => {1}", "is not an ancestor of snapshot"),
        ("start_snapshot_id => {side}", "is not an ancestor of snapshot"),
        ("changes => 'maybe'", "`maybe` is not true or false"),
    ],
)
def test_refused(spark: SparkSession, path: str, snapshots: list[int], arguments: str, message: str) -> None:
    side = spark.sql(f"SELECT snapshot_id FROM {TABLE}.refs WHERE name = 'side'").first()[0]  # type: ignore[index]
    with pytest.raises(AnalysisException, match=message):
        spark.sql(f"SELECT * FROM iceberg('{path}', {arguments.format(*snapshots, side=side)})")


def test_changes_of_delete_files_are_refused(spark: SparkSession) -> None:
    table = "local.by_statement.deletes"
    spark.sql(
        f"CREATE TABLE {table} USING iceberg TBLPROPERTIES ('write.delete.mode' = 'merge-on-read') "
        "AS SELECT * FROM range(5)"
    )
    try:
        (first,) = spark.sql(f"SELECT snapshot_id FROM {table}.history").first()  # type: ignore[misc]
        spark.sql(f"DELETE FROM {table} WHERE id = 2")
        location = spark.sql(f"DESCRIBE EXTENDED {table}").where("col_name = 'Location'").first()[1]  # type: ignore[index]
        with pytest.raises(
            AnalysisException, match="has delete files, for which Iceberg cannot compute changes"
        ) as error:
            spark.sql(f"SELECT * FROM iceberg('{location}', changes => true, start_snapshot_id => {first})")
        advice = re.search(r"are (SELECT .*) EXCEPT ALL (SELECT .*); swap the two", str(error.value))
        assert advice is not None
        last, begin = (half.replace("...", f"'{location}'") for half in advice.groups())
        assert rows(spark, f"{begin} EXCEPT ALL {last}") == [Row(id=2)]
        assert rows(spark, f"{last} EXCEPT ALL {begin}") == []
        before = f"SELECT * FROM iceberg('{location}', changes => true, end_snapshot_id => {first})"
        if "changes up to" in versions.spark_minor(spark.version).limitations:
            with pytest.raises(AnalysisException, match="changes need `start_snapshot_id`"):
                spark.sql(before)
        else:
            assert spark.sql(before).count() == 5
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def test_unknown_functions(spark: SparkSession) -> None:
    for name, message in (
        ("iceberg_snapshot", "there is no table function `iceberg_snapshot`; write iceberg_snapshots"),
        ("ICEBERG_HISTROY", "write iceberg_history"),
        ("iceberg_zzzzzzzzzz", "UNRESOLVABLE_TABLE_VALUED_FUNCTION"),
    ):
        with pytest.raises(AnalysisException, match=message):
            spark.newSession().sql(f"SELECT * FROM {name}('/lake/t')")


@pytest.mark.needs("names after USE")
def test_unknown_functions_in_another_catalog(spark: SparkSession) -> None:
    other = spark.newSession()
    other.sql("USE local")
    with pytest.raises(AnalysisException, match="no table function `iceberg_snapshot`; write ice"):
        other.sql("SELECT iceberg_days(ts) FROM iceberg_snapshot('/lake/t')")
