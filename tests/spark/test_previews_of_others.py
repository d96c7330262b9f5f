"""What a preview states of its errors is true of tables that a stranger brought: long texts, a hot key, nulls."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession
from samples import share

import spark_iceberg_sql as sis

ROWS = 200_000
# Orders have texts of one to six hashes, which hardly compress, and a status that depends on their age.
ORDERS = f"""
SELECT id AS order_id, cast(floor(rand(21) * 20000) AS int) AS customer,
  date '2024-01-01' + cast(floor(id / {ROWS} * 420) AS int) AS odate,
  CASE WHEN id < {ROWS} * 0.93 THEN 'done' WHEN rand(22) < 0.5 THEN 'open' ELSE 'shipped' END AS status,
  cast(rand(23) * 5000 AS decimal(12, 2)) AS amount, md5(cast(id AS string)) AS ref,
  array_join(transform(sequence(1, cast(floor(rand(24) * 6) AS int) + 1), x -> md5(cast(x * id AS string))), ',')
    AS note
FROM range(0, {ROWS}, 1, 2)
"""
# Of the clicks, 45 % have no user, and one user has 30 %.
CLICKS = f"""
SELECT CASE WHEN r < 0.45 THEN NULL WHEN r < 0.75 THEN 7 ELSE cast(floor(pow(rand(11), 4) * 50000) AS bigint) END
    AS user_id,
  timestamp '2025-03-01 00:00:00' + make_dt_interval(0, 0, 0, floor(pow(rand(12), 2) * 5184000)) AS ts,
  element_at(array('view', 'view', 'view', 'view', 'click', 'cart', 'buy', NULL), cast(rand(13) * 8 + 1 AS int)) AS ev,
  concat('https://shop.example/p/', cast(floor(rand(15) * 9000) AS string)) AS url,
  md5(cast(rand(19) AS string)) AS visit
FROM (SELECT rand(10) AS r FROM range(0, {ROWS}, 1, 2))
"""
SMALL_FILES = {"write.target-file-size-bytes": "500000"}
CASES = [
    (ORDERS, "", SMALL_FILES),
    (CLICKS, "bucket(16, user_id)", {}),
    (ORDERS, "bucket(4, amount)", SMALL_FILES),
    (CLICKS, "ev", SMALL_FILES),
    (ORDERS, "truncate(1, ref)", {**SMALL_FILES, "write.distribution-mode": "none"}),
    (CLICKS, "ev, months(ts)", {}),
    (ORDERS, "months(odate), status", SMALL_FILES),
]


@pytest.mark.parametrize(("rows", "spec", "properties"), share(CASES, 2))
def test_the_files_and_bytes_are_within_the_error_that_is_stated(
    spark: SparkSession, rows: str, spec: str, properties: dict[str, str]
) -> None:
    source, written = "local.preview.of_others", "local.preview.of_others_written"
    spark.sql(f"CREATE OR REPLACE TABLE {source} USING iceberg AS {rows}")
    preview = sis.preview(spark, source, spec, properties=properties)
    options = ", ".join(f"'{key}' = '{value}'" for key, value in {"format-version": "2", **properties}.items())
    partitioning = f"PARTITIONED BY ({spec})" if spec else ""
    spark.sql(f"DROP TABLE IF EXISTS {written}")
    spark.sql(f"CREATE TABLE {written} USING iceberg {partitioning} TBLPROPERTIES ({options}) AS TABLE {source}")
    sizes = [row.file_size_in_bytes for row in spark.sql(f"SELECT file_size_in_bytes FROM {written}.files").collect()]
    assert preview.rows == ROWS
    partitions = spark.table(f"{written}.partitions").collect()
    assert preview.partitions == len(partitions)
    files_error = 10 if "+-10 %" in preview.basis.files else 0
    assert abs(preview.files - len(sizes)) <= files_error / 100 * len(sizes)
    stated = re.search(r"\+-(\d+)%", preview.basis.bytes)
    bytes_error = int(stated[1]) if stated else 0.1  # the numbers of snapshots in footers differ
    assert abs(preview.bytes - sum(sizes)) <= bytes_error / 100 * sum(sizes)
    of_partition = re.search(r"of a partition \+-(\d+)%", preview.basis.bytes)
    partition_error = (int(of_partition[1]) if of_partition else bytes_error) / 100
    real = {row.record_count: row.total_data_file_size_in_bytes for row in partitions}
    outside = [p for p in preview.per_partition if abs(p.bytes - real[p.rows]) > partition_error * real[p.rows]]
    assert len(outside) <= max(1, len(partitions) // 20)
    # Of a partition of nulls, the column has no bytes even before compression; it has next to none in the others.
    assert not any(None in p.values for p in outside)


def test_a_large_partition_is_seen_from_everywhere(spark: SparkSession) -> None:
    """Its first half is one text, its second half random: the first rows alone would be a small part of the bytes."""
    source, written = "local.preview.halves", "local.preview.halves_written"
    rows = "SELECT id, IF(id < 200000, 'constant', sha2(cast(id AS string), 256)) AS text FROM range(0, 400000, 1, 4)"
    spark.sql(f"CREATE OR REPLACE TABLE {source} USING iceberg AS {rows}")
    spark.sql(f"CREATE OR REPLACE TABLE {written} USING iceberg AS TABLE {source}")
    size = spark.sql(f"SELECT sum(file_size_in_bytes) AS bytes FROM {written}.files").collect()[0]["bytes"]
    preview = sis.preview(spark, source, "")
    assert "of 1 written in memory" in preview.basis.bytes
    assert abs(preview.bytes - size) < 0.2 * size
