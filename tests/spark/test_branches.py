"""Branches: what a view counts is what the session reads, and its text names the branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from foreign import spark_millis
from pyspark.sql import SparkSession
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import shims

NAMESPACE = "local.branched"
T, OTHER, PLAIN = f"{NAMESPACE}.t", f"{NAMESPACE}.other", f"{NAMESPACE}.plain"
WAP = "spark.wap.branch"
BUCKETED = "local.branched.bucketed"
MAIN, AUDIT = (10, 1), (24, 3)  # rows and files
DAY = f"SELECT * FROM {T} WHERE d = DATE '2024-01-03'"  # which the branch alone has
BY_PATH_FOLLOWS = shims.SPARK_VERSION < (4, 1)  # Iceberg 1.12 reads main of a table that is read by its path


@pytest.fixture(scope="module", autouse=True)
def _tables(spark: SparkSession) -> Iterator[None]:
    with settings(spark, **{"spark.sql.session.timeZone": "UTC"}):
        for name, properties in ((T, "'write.wap.enabled' = 'true'"), (PLAIN, "'a' = 'b'")):
            spark.sql(
                f"CREATE TABLE {name} (id BIGINT, d DATE) USING iceberg PARTITIONED BY (d) TBLPROPERTIES ({properties})"
            )
            spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id, DATE '2024-01-01' FROM range(10)")
            spark.sql(f"ALTER TABLE {name} CREATE TAG first")
            spark.sql(f"ALTER TABLE {name} CREATE BRANCH audit")
            for day in (2, 3):
                rows = f"SELECT /*+ COALESCE(1) */ id, DATE '2024-01-0{day}' FROM range(7)"
                spark.sql(f"INSERT INTO {name}.branch_audit {rows}")
        spark.sql(f"CREATE TABLE {OTHER} USING iceberg PARTITIONED BY (d) AS SELECT * FROM {T}.branch_audit")
        yield
        for name in (T, OTHER, PLAIN):
            spark.sql(f"DROP TABLE {name} PURGE")


@pytest.fixture
def on_audit(spark: SparkSession) -> Iterator[SparkSession]:
    with settings(spark, **{WAP: "audit"}):
        yield spark


def rows_of(spark: SparkSession, call: str) -> int:
    return spark.sql(f"SELECT * FROM {call}").count()


# ------------------------------------------------------------------ the rule


@pytest.mark.parametrize(
    ("table", "branch", "counts"),
    [
        (T, None, MAIN),
        (T, "audit", AUDIT),
        (T, "main", MAIN),
        (T, "not_yet", MAIN),  # the first write creates it
        (PLAIN, "audit", MAIN),  # a table that does not allow it
    ],
)
def test_the_views_count_what_a_query_reads(
    spark: SparkSession, table: str, branch: str | None, counts: tuple[int, int]
) -> None:
    rows, files = counts
    with settings(spark, **({WAP: branch} if branch else {})):
        assert spark.table(table).count() == rows
        (scan,) = sis.explain(spark, f"SELECT * FROM {table} WHERE id >= 0").scans
        description, health = sis.describe(spark, table), sis.health(spark, table)
        listing = sis.tables(spark, table)
        (listed,) = listing.tables
        preview = sis.preview(spark, table, "d", using="metadata")
        numbers = {
            "explain": scan.total_files,
            "describe": description.files,
            "specs": description.specs[0].files,
            "health": health.files,
            "tables": listed.files,
            "preview": preview.files,
            "iceberg_files": rows_of(spark, f"iceberg_files('{table}')"),
        }
        assert numbers == dict.fromkeys(numbers, files)
        assert (description.rows, listed.rows, preview.rows) == (rows, rows, rows)
        title = f"{table} (branch audit)" if counts is AUDIT else table
        assert scan.table == health.table == description.table == preview.source == title
        assert bool(listing.notes) == (counts is AUDIT)


# ------------------------------------------------------------------ each view


def test_describe_marks_the_snapshots(on_audit: SparkSession) -> None:
    newest, *_, first = sis.describe(on_audit, T).snapshots
    assert (newest.is_current, newest.references) == (True, ("audit",))
    assert (first.is_current, first.references) == (False, ("first", "main"))


def test_tables_says_which_are_counted_on_a_branch(on_audit: SparkSession) -> None:
    listing = sis.tables(on_audit, NAMESPACE)
    assert listing.notes == (f"counted on the branch audit, which this session reads ({WAP}): {T}",)
    assert {table.name: table.files for table in listing.tables} == {T: 3, OTHER: 3, PLAIN: 1}


def test_explain(on_audit: SparkSession) -> None:
    (scan,) = sis.explain(on_audit, DAY).scans
    assert (scan.table, scan.files, scan.total_files) == (f"{T} (branch audit)", 1, 3)
    (scan,) = sis.explain(on_audit, DAY.replace(T, f"{T}.branch_audit")).scans
    assert (scan.table, scan.files, scan.total_files) == (f"{T} (branch audit)", 1, 3)
    (scan,) = sis.explain(on_audit, DAY.replace(T, f"{T}.branch_main")).scans
    assert (scan.table, scan.files, scan.total_files) == (T, 0, 1)


def test_explain_of_a_branch_in_the_name(spark: SparkSession) -> None:
    (scan,) = sis.explain(spark, DAY.replace(T, f"{PLAIN}.branch_audit")).scans
    assert (scan.table, scan.files, scan.total_files) == (f"{PLAIN} (branch audit)", 1, 3)
    (scan,) = sis.explain(spark, f"SELECT * FROM {PLAIN} VERSION AS OF 'first'").scans
    assert (scan.table, scan.files, scan.total_files) == (PLAIN, 1, 1)


@pytest.mark.parametrize("using", ["data", "metadata"])
def test_preview(on_audit: SparkSession, using: str) -> None:
    preview = sis.preview(on_audit, T, "d", using=using)
    assert (preview.rows, preview.partitions, preview.files) == (24, 3, 3)
    assert preview.title == f"{T} (branch audit), PARTITIONED BY (d)"


@pytest.mark.parametrize("using", ["data", "metadata"])
def test_advise(on_audit: SparkSession, using: str) -> None:
    advice = sis.advise(on_audit, T, DAY, using=using)
    today = advice.today
    assert today is not None
    assert (advice.source, today.files, today.table_files) == (f"{T} (branch audit)", 1, 3)
    assert all(proposal.rewrite is None for proposal in advice)


def test_advise_says_what_its_statements_do_to_a_branch(on_audit: SparkSession) -> None:
    # By `id` the rows of the query are one file, by `d` they are in all.
    properties = {"write.target-file-size-bytes": "1000", "read.split.open-file-cost": "1000"}
    advice = sis.advise(on_audit, T, f"SELECT * FROM {T} WHERE id = 3", using="metadata", properties=properties)
    assert not advice.best.is_today
    assert advice.best.ddl
    assert advice.best.rewrite is None
    (note,) = (note for note in advice.notes if "branch" in note)
    assert note.startswith(f"the session reads the branch audit ({WAP}): no rewrite is proposed, since it would change")
    assert "CALL" not in str(advice)


def test_health_proposes_nothing_that_acts_on_main(spark: SparkSession) -> None:
    name = f"{NAMESPACE}.small"
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, d DATE) USING iceberg PARTITIONED BY (d) "
        "TBLPROPERTIES ('write.wap.enabled' = 'true', 'write.distribution-mode' = 'none')"
    )
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH audit")
    try:
        for first in (0, 10, 20):
            rows = f"SELECT /*+ COALESCE(1) */ id, DATE '2024-01-01' FROM range({first}, {first + 5})"
            spark.sql(f"INSERT INTO {name}.branch_audit {rows}")
        assert sis.health(spark, name).files == 0
        with settings(spark, **{WAP: "audit"}):
            health = sis.health(spark, name)
            judged = sis.health(spark, name, f"SELECT * FROM {name} WHERE id = 3")
        (finding,) = health.findings
        assert (health.table, health.files, finding.problem) == (f"{name} (branch audit)", 3, "small files")
        assert finding.call is None
        assert finding.reason == health.notes[0]
        assert "the session reads the branch audit (spark.wap.branch): no rewrite is proposed" in str(health)
        assert "CALL" not in str(health) + str(judged)
        assert (judged.files, judged.notes[-1]) == (3, health.notes[0])
    finally:
        spark.sql(f"DROP TABLE {name} PURGE")


def test_wrong_bounds_are_those_of_the_branch(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.foreign")
    name = spark_millis(spark, tmp_path, "millis_on_main")
    spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH audit")
    spark.sql(f"DELETE FROM {name}.branch_audit")
    assert [finding.problem for finding in sis.health(spark, name).findings] == ["wrong bounds"]
    with settings(spark, **{WAP: "audit"}):
        health = sis.health(spark, name)
    assert (health.files, health.findings, health.notes) == (0, (), ())


def test_spj(on_audit: SparkSession) -> None:
    with settings(on_audit, **{"spark.sql.autoBroadcastJoinThreshold": "-1"}):
        report = sis.spj(on_audit, f"SELECT * FROM {T} a JOIN {OTHER} b USING (d)")
        (join,) = report.operators
        assert join.tables == (f"{T} (branch audit)", OTHER)
        assert join.why.startswith("the partitions have ")  # so few rows
        on_audit.sql(f"CREATE TABLE {BUCKETED} USING iceberg PARTITIONED BY (bucket(4, id)) AS SELECT * FROM {OTHER}")
        (join,) = sis.spj(on_audit, f"SELECT * FROM {T} a JOIN {BUCKETED} b USING (id)").operators
        on_audit.sql(f"DROP TABLE {BUCKETED}")
        assert join.statement == f"ALTER TABLE {T} ADD PARTITION FIELD bucket(4, id); then rewrite its files"


# ------------------------------------------------------------------ functions


FUNCTIONS = {"files": (1, 3), "partitions": (1, 3), "entries": (1, 3), "metadata": (1, 3), "column_stats": (2, 6)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_functions_follow_the_session(spark: SparkSession, function: str) -> None:
    main, branch = FUNCTIONS[function]
    call = f"iceberg_{function}('{{}}')".format
    assert rows_of(spark, call(T)) == main
    assert rows_of(spark, call(f"{T}.branch_audit")) == branch
    assert rows_of(spark, call(f"{PLAIN}.branch_audit")) == branch
    assert rows_of(spark, call(f"{PLAIN}.tag_first")) == main
    with settings(spark, **{WAP: "audit"}):
        assert rows_of(spark, call(T)) == branch
        assert rows_of(spark, call(PLAIN)) == main
        assert rows_of(spark, call(f"{T}.branch_main")) == main
        assert rows_of(spark, call(f"{T}.tag_first")) == main
        assert rows_of(spark, f"iceberg_{function}('{T}', version => 'main')") == main
        assert rows_of(spark, f"iceberg_{function}('{T}', ref => 'first')") == main


def test_the_functions_by_path_read_what_iceberg_reads_by_path(on_audit: SparkSession) -> None:
    (row,) = on_audit.sql(f"SELECT file_path FROM {T}.files LIMIT 1").collect()
    path = row.file_path.partition("/data/")[0].removeprefix("file:")
    files = AUDIT[1] if BY_PATH_FOLLOWS else MAIN[1]
    assert rows_of(on_audit, f"iceberg('{path}')") == (AUDIT[0] if BY_PATH_FOLLOWS else MAIN[0])
    assert rows_of(on_audit, f"iceberg_files('{path}')") == files
    assert sis.health(on_audit, path).files == files
    assert sis.describe(on_audit, path).files == files


def test_two_choices_of_a_snapshot_are_refused(spark: SparkSession) -> None:
    with pytest.raises(Exception, match=r"is of a branch, a tag or a snapshot already; leave `ref` out"):
        rows_of(spark, f"iceberg_files('{T}.branch_audit', ref => 'first')")


@pytest.mark.parametrize(("part", "kind"), [("branch_audit", "branch"), ("tag_first", "snapshot")])
def test_health_and_describe_refuse_a_part_of_a_table(spark: SparkSession, part: str, kind: str) -> None:
    for view in (sis.describe, sis.health):
        with pytest.raises(sis.IcebergSqlError) as refused:
            view(spark, f"{T}.{part}")
        assert str(refused.value) == (f"`{T}.{part}` is a {kind} of the table {T}, not a table itself\nhelp: write {T}")
    assert sis.preview(spark, f"{T}.branch_audit", "d").rows == AUDIT[0]
    assert sis.preview(spark, f"{T}.tag_first", "d").rows == MAIN[0]
