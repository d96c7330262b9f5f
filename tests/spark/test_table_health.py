"""health: each statement that it returns runs, and fixes the problem."""

from __future__ import annotations

import re

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from samples import share, swept

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.health.model import HealthFinding

T = "local.health.`my events`"


def found(spark: SparkSession, problem: str) -> list[str | None]:
    return [finding.call for finding in sis.health(spark, T).findings if finding.problem == problem]


def test_the_statements_mend_what_they_are_for(spark: SparkSession) -> None:
    spark.sql(
        f"CREATE TABLE {T} (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg TBLPROPERTIES "
        "('format-version' = '2', 'write.delete.mode' = 'merge-on-read', 'write.distribution-mode' = 'none')"
    )
    rows = "SELECT id, TIMESTAMP '2024-01-01' + make_dt_interval(0, CAST(id AS INT)) AS ts, 'x' AS name FROM"
    spark.sql(f"INSERT INTO {T} {rows} range(0, 100, 1, 2)")
    spark.sql(f"ALTER TABLE {T} ADD PARTITION FIELD days(ts)")
    spark.sql(f"INSERT INTO {T} {rows} range(0, 40, 1, 2) DISTRIBUTE BY id % 2 SORT BY ts")
    spark.sql(f"DELETE FROM {T} WHERE id = 3")
    health = sis.health(spark, T)
    assert health.files == spark.table(f"{T}.data_files").count()
    assert {finding.problem for finding in health.findings} >= {"small files", "old specs", "delete files"}
    assert all(finding.basis.startswith("counted") for finding in health.findings)
    (small,) = (finding for finding in health.findings if finding.problem == "small files")
    assert "the statement of `old specs` rewrites them" in small.detail
    assert (small.call, small.rewritten_files) == (None, None)
    (old,) = (finding for finding in health.findings if finding.problem == "old specs")
    assert "A rewrite of all files leaves about 5 to 7 or more, more than there are now" in old.detail
    rows_before = spark.table(T).orderBy("ts", "id").collect()
    for problem in ("old specs", "delete files", "small files"):
        for call in found(spark, problem):
            assert call is not None
            (done,) = spark.sql(call).collect()
            finding = next(o for o in health.findings if o.problem == problem)
            if "rewrite_position_delete_files" in call:  # before Iceberg 1.12
                assert (finding.rewritten_files, finding.rewritten_bytes) == (0, 0)
                continue
            assert finding.rewritten_files == done.rewritten_data_files_count, problem
            assert finding.rewritten_bytes == done.rewritten_bytes_count, problem
            assert problem != "old specs" or done.added_data_files_count == 7
        assert found(spark, problem) == [], problem
        health = sis.health(spark, T)
    assert health.findings == ()
    # The owner's spec is not undone: that a coarser one would have larger files is a gain for some queries alone.
    assert [finding.problem for finding in health.ruled_out] == ["fine partitions"]
    assert spark.table(T).orderBy("ts", "id").collect() == rows_before
    (row,) = spark.sql("SELECT * FROM iceberg_health('local.health.`my events`')").collect()
    assert (row["problem"], row["call"]) == ("fine partitions", None)
    spark.sql(f"DROP TABLE {T}")


RANDOM = "SELECT id, CAST(rand({seed}) * 100 AS FLOAT) AS score, pmod(hash(id), 20) AS shop FROM range({n}) ORDER BY "
# How a table's rows arrive, with what is done to it afterwards.
HISTORIES: dict[str, tuple[str, ...]] = {
    "random order": ("CREATE OR REPLACE TABLE {t} USING iceberg TBLPROPERTIES ({small}) AS {rows} rand(1)",),
    "sorted": ("CREATE OR REPLACE TABLE {t} USING iceberg TBLPROPERTIES ({small}) AS {rows} id",),
    "z-ordered": (
        "CREATE OR REPLACE TABLE {t} USING iceberg TBLPROPERTIES ({small}) AS {rows} rand(1)",
        """CALL local.system.rewrite_data_files(table => '{t}', strategy => 'sort', sort_order => 'zorder(id, shop)',
        options => map('rewrite-all', 'true'))""",
    ),
    "an evolved spec": (
        """CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (truncate(100, id)) TBLPROPERTIES ({small})
        AS {rows} id""",
        "ALTER TABLE {t} REPLACE PARTITION FIELD id_trunc WITH truncate(1000, id)",
        "INSERT INTO {t} {rows} id",
    ),
    "a declared order": (
        "CREATE OR REPLACE TABLE {t} USING iceberg TBLPROPERTIES ({small}) AS {rows} rand(1)",
        "ALTER TABLE {t} WRITE LOCALLY ORDERED BY shop, id",
    ),
    "deleted rows": (
        """CREATE OR REPLACE TABLE {t} USING iceberg TBLPROPERTIES ({small}, 'write.delete.mode' = 'merge-on-read')
        AS {rows} id""",
        "DELETE FROM {t} WHERE id % 7 = 3",
    ),
    "deleted rows of partitions": (
        """CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (shop) TBLPROPERTIES ({small},
        'format-version' = '2', 'write.delete.mode' = 'merge-on-read', 'write.delete.granularity' = 'partition')
        AS {rows} id""",
        "DELETE FROM {t} WHERE id % 7 = 3",
        "DELETE FROM {t} WHERE id % 7 = 5",
    ),
    "deleted rows of an evolved spec": (
        """CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (truncate(3000, id)) TBLPROPERTIES ({small},
        'format-version' = '2', 'write.delete.mode' = 'merge-on-read', 'write.delete.granularity' = 'partition')
        AS {rows} id""",
        "ALTER TABLE {t} REPLACE PARTITION FIELD id_trunc WITH bucket(2, shop)",
        "INSERT INTO {t} {rows} id",
        "DELETE FROM {t} WHERE id % 7 = 3",
    ),
    "one file": ("CREATE OR REPLACE TABLE {t} USING iceberg AS {rows} id",),
    "no rows": ("CREATE OR REPLACE TABLE {t} USING iceberg AS {rows} id LIMIT 0",),
}


@pytest.mark.parametrize("seed", share(range(1, 8), 7))
@pytest.mark.parametrize("history", swept(HISTORIES, 2))
def test_a_second_round_finds_nothing(spark: SparkSession, history: str, seed: int) -> None:
    t = "local.health.history"
    small = "'write.target-file-size-bytes' = '20000', 'write.parquet.page-row-limit' = '500'"
    rows = RANDOM.format(seed=seed, n=7000 * (1 + seed % 3))
    for statement in HISTORIES[history]:
        spark.sql(statement.format(t=t, small=small, rows=rows))
    before = spark.table(t).orderBy("id", "score").collect()
    files = sis.health(spark, t).files
    for finding in sis.health(spark, t).findings:
        # Of small files of an earlier spec, the call of `old specs` takes care.
        if finding.call is not None:
            spark.sql(finding.call)
    health = sis.health(spark, t)
    assert health.findings == ()
    assert health.files <= files + (history == "a declared order")  # a sort divides the rows evenly
    assert spark.table(t).orderBy("id", "score").collect() == before
    spark.sql(f"DROP TABLE {t}")


def test_small_files_that_do_not_fit_together(spark: SparkSession) -> None:
    """A file of one row group is not cut: two of them that are larger than a task's share stay two files."""
    name = "local.health.small"
    make = f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '{{}}') AS "
    rows = "SELECT id, sha2(string(id), 256) AS h FROM range(0, {}, 1, {})"

    def small() -> HealthFinding | None:
        findings = sis.health(spark, name).findings
        return next((finding for finding in findings if finding.problem == "small files"), None)

    spark.sql(make.format(60_000) + rows.format(12_000, 1))
    assert spark.table(f"{name}.files").count() == 12
    assert small() is None  # 12 files of 43 kB
    spark.sql(make.format(500_000) + rows.format(12_000, 1))  # of 500 kB and less, then many small
    spark.sql(f"INSERT INTO {name} {rows.format(4_000, 20)}")
    for _ in range(2):
        finding = small()
        if finding is None:
            break
        assert finding.call is not None
        (done,) = spark.sql(finding.call).collect()
        assert done.rewritten_data_files_count > done.added_data_files_count
        left = int(re.findall(r"fit into about (\d+) files", finding.detail)[0])
        assert left <= done.added_data_files_count
    assert small() is None
    # The writer ends files early, since it counts rows uncompressed: what a rewrite made together stays.
    spark.sql(make.format(64_000) + "SELECT id, uuid() AS u FROM range(0, 20020, 1, 1)")
    assert small() is None  # one file fewer by their bytes, which is no gain
    call = "CALL local.system.rewrite_data_files(table => 'health.small', options => map('min-input-files', '2'))"
    (done,) = spark.sql(call).collect()
    assert done.added_data_files_count == done.rewritten_data_files_count == 11
    assert small() is None
    # A larger target: what did not fit together before does now.
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.target-file-size-bytes' = '60000000')")
    finding = small()
    assert finding is not None
    assert finding.call is not None
    spark.sql(finding.call)
    assert spark.table(f"{name}.files").count() == 1
    for value in ("0", "-1"):
        spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.target-file-size-bytes' = '{value}')")
        with pytest.raises(sis.IcebergSqlError, match="target-file-size-bytes' cannot be"):
            sis.health(spark, name)
    spark.sql(f"DROP TABLE {name}")


@pytest.mark.tier("quick", of="health")
def test_files_that_are_not_sorted(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.health.mixed (id BIGINT, k INT) USING iceberg")
    spark.sql("INSERT INTO local.health.mixed SELECT /*+ REPARTITION(4) */ id, CAST(id % 7 AS INT) FROM range(400)")
    spark.sql("ALTER TABLE local.health.mixed WRITE LOCALLY ORDERED BY id")
    (finding,) = [f for f in sis.health(spark, "local.health.mixed").findings if f.problem == "unsorted"]
    assert "the table's sort order" in finding.detail
    assert finding.call is not None
    spark.sql(finding.call)
    left = [f.problem for f in sis.health(spark, "local.health.mixed").findings]
    assert "unsorted" not in left
    spark.sql("DROP TABLE local.health.mixed")


def test_what_is_no_table_of_iceberg(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("a_view")
    for name, message in (
        ("local.health.nope", "there is no table or view `local.health.nope`"),
        ("/path/of/table", "Path does not exist: /path/of/table"),
        ("a_view", "is a temporary view"),
    ):
        with pytest.raises(sis.IcebergSqlError, match=message):
            sis.health(spark, name)
        with pytest.raises(AnalysisException, match=message):
            spark.sql(f"SELECT * FROM iceberg_health('{name}')")
    spark.catalog.dropTempView("a_view")


def test_a_branch_is_judged_by_its_table(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.health.branched USING iceberg AS SELECT id FROM range(9)")
    spark.sql("ALTER TABLE local.health.branched CREATE BRANCH b")
    try:
        for name, kind in (("branch_b", "branch"), ("files", "metadata table")):
            expected = f"`local.health.branched.{name}` is a {kind} of the table .*branched.*\nhelp: write .*branched"
            for call in (sis.health, sis.describe):
                with pytest.raises(sis.IcebergSqlError, match=expected):
                    call(spark, f"local.health.branched.{name}")
    finally:
        spark.sql("DROP TABLE local.health.branched")


def test_a_table_at_a_path(spark: SparkSession) -> None:
    """It has the same findings as by its name, but statements need a name."""
    spark.sql(
        "CREATE TABLE local.health.placed USING iceberg PARTITIONED BY (bucket(2, id)) AS SELECT id FROM range(9)"
    )
    for _ in range(3):
        spark.sql("INSERT INTO local.health.placed SELECT id FROM range(9)")
    by_name = sis.health(spark, "local.health.placed")
    (location,) = spark.sql("DESCRIBE EXTENDED local.health.placed").where("col_name = 'Location'").collect()
    path = location["data_type"].removeprefix("file:")
    by_path = sis.health(spark, path)
    assert [(f.problem, f.detail, f.files) for f in by_path.findings] == [
        (f.problem, f.detail, f.files) for f in by_name.findings
    ]
    assert [f.problem for f in by_path.findings] == ["small files"]
    assert all(f.call is None for f in by_path.findings)
    assert f"sis.attach(spark, {path!r}, 'lake.placed') gives it one" in str(by_path)
    (row,) = spark.sql(f"SELECT problem, call, reason FROM iceberg_health('{path}')").collect()
    assert (row["problem"], row["call"], row["reason"]) == ("small files", None, by_path.findings[0].reason)
    with pytest.raises(sis.IcebergSqlError, match="queries refer to a table by a name"):
        sis.health(spark, path, ["SELECT * FROM local.health.placed"])
    with pytest.raises(sis.IcebergSqlError, match="cannot be read"):
        sis.health(spark, f"{path}/nowhere")
