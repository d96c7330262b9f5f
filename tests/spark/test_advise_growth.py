"""Advice on a table that grows: a spec for new rows only, and bucket counts by the table's size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, relations

T = "local.advice.growing"
DAY = 86_400_000
ROWS = "SELECT id, pmod(hash(id), 40) AS shop, sha2(string(id), 256) AS note FROM range({}, {}, 1, 1)"
PROPERTIES = "'write.target-file-size-bytes' = '400000', 'read.split.open-file-cost' = '1000'"
QUERY = f"SELECT * FROM {T} WHERE shop = 7"


def create(spark: SparkSession, *ranges: tuple[int, int]) -> None:
    spark.sql(f"DROP TABLE IF EXISTS {T}")
    spark.sql(f"CREATE TABLE {T} (id BIGINT, shop INT, note STRING) USING iceberg TBLPROPERTIES ({PROPERTIES})")
    for start, end in ranges:
        spark.sql(f"INSERT INTO {T} {ROWS.format(start, end)}")


def bytes_read(spark: SparkSession) -> int:
    with sessions.working_in(spark):
        table = relations.catalog_table(T)
    scans = hypothetical_plans.scans(spark, QUERY, table, [tuple(T.split("."))])
    return sum(hypothetical_plans.read_by(scan.scan)[1] for scan in scans)


def backdate(spark: SparkSession, days: list[float]) -> None:
    """Commit the table's metadata with snapshots that are so many days old."""
    (row,) = spark.sql(f"SELECT file FROM {T}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1").collect()
    file = Path(row["file"].removeprefix("file:"))
    metadata = json.loads(file.read_text())
    now = max(snapshot["timestamp-ms"] for snapshot in metadata["snapshots"])
    for entries in (metadata["snapshots"], metadata["snapshot-log"]):
        for entry, age in zip(entries, days, strict=True):
            entry["timestamp-ms"] = now - round(age * DAY)
    metadata["metadata-log"] = []
    older = file.parent / "older" / "v9.metadata.json"
    older.parent.mkdir()
    older.write_text(json.dumps(metadata))
    with sessions.working_in(spark):
        operations = relations.catalog_table(T).operations()
        operations.commit(
            operations.current(), spark._jvm.org.apache.iceberg.TableMetadataParser.read(operations.io(), str(older))
        )
    spark.sql(f"REFRESH TABLE {T}")


def test_what_new_rows_alone_save_is_what_is_read(spark: SparkSession) -> None:
    """The same rows are appended once more, after the ALTER and without a rewrite."""
    create(spark, (0, 20_000), (20_000, 40_000))
    backdate(spark, [11, 1])
    advice = sis.advise(spark, T, [QUERY])
    new_rows = advice.evolution
    assert new_rows is not None
    assert new_rows.growth is not None
    assert new_rows.growth.days == pytest.approx(11, abs=0.1)
    (size,) = spark.sql(f"SELECT sum(file_size_in_bytes) AS bytes FROM {T}.files").collect()
    assert new_rows.growth.bytes_per_day == pytest.approx(size["bytes"] / 2 / 11, rel=0.1)
    assert new_rows.days_to_half == pytest.approx(22, rel=0.1)
    assert f"  {new_rows}" in str(advice)
    assert advice.to_dict()["evolution"]["old_files"] == new_rows.old_files
    before = bytes_read(spark)
    for statement in advice.best.ddl:
        spark.sql(statement)
    assert bytes_read(spark) == before  # without the rewrite
    spark.sql(f"INSERT INTO {T} {ROWS.format(0, 40_000)}")
    assert bytes_read(spark) / (2 * before) == pytest.approx(new_rows.share_then, rel=0.05)


def test_rewrites_and_old_loads_are_no_growth(spark: SparkSession) -> None:
    create(spark, (0, 5_000))
    for _ in range(2):
        spark.sql(f"CALL local.system.rewrite_data_files(table => '{T}', options => map('rewrite-all', 'true'))")
    backdate(spark, [20, 10, 5])
    new_rows = sis.advise(spark, T, [QUERY]).evolution
    assert new_rows is None or new_rows.growth is None


def test_more_buckets_for_a_large_table(spark: SparkSession) -> None:
    """As many as leave files of the least size that is proposed."""
    create(spark, (0, 40_000))
    spark.sql(f"ALTER TABLE {T} SET TBLPROPERTIES ('write.target-file-size-bytes' = '24000')")
    advice = sis.advise(spark, T, [f"SELECT * FROM {T} WHERE id = 7"])
    tried = {proposal.spec for proposal in (*advice, *advice.ruled_out)}
    assert "bucket(512, id)" in tried
    assert "bucket(2048, id)" not in tried
