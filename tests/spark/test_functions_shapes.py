"""Query shapes: the same rows as with Iceberg's own function on a table where that is correct.

`{f}` is iceberg_bucket over a table partitioned by it, then local.system.bucket over an unpartitioned
copy, where nothing is pushed. Pruning on the table partitioned by the function is also asserted.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from samples import share

from spark_iceberg_sql.spark.bridge.plans.scan_metrics import files_read

B = "{f}(4, id)"
SHAPES = [
    f"SELECT {B} FROM {{t}}",
    f"SELECT {B} AS b, id FROM {{t}}",
    f"SELECT {B} + 1, -{B}, {B} * id FROM {{t}}",
    f"SELECT CAST({B} AS STRING), concat('b', {B}) FROM {{t}}",
    f"SELECT CASE WHEN {B} = 1 THEN 'one' ELSE name END FROM {{t}}",
    f"SELECT if({B} IS NULL, -1, {B}) FROM {{t}}",
    f"SELECT coalesce({B}, -1), nullif({B}, 2) FROM {{t}}",
    f"SELECT struct({B} AS b, id), array({B}), map('b', {B}) FROM {{t}}",
    f"SELECT DISTINCT {B} FROM {{t}}",
    "SELECT {f}(4, id + 1), {f}(4, -id) FROM {t}",
    "SELECT {f}(4, CAST(id AS BIGINT)), {f}(4, name), {f}(4, s.a) FROM {t}",
    "SELECT {f}(4, {f}(8, id)) FROM {t}",
    "SELECT {f}(4, coalesce(id, 0)) FROM {t}",
    "SELECT {f}(4, max(id)), {f}(4, count(*)) FROM {t}",
    # WHERE
    f"SELECT id FROM {{t}} WHERE {B} = 2",
    f"SELECT id FROM {{t}} WHERE 2 = {B}",
    f"SELECT id FROM {{t}} WHERE {B} = 2 AND id > 10",
    f"SELECT id FROM {{t}} WHERE {B} = 2 OR id = 3",
    f"SELECT id FROM {{t}} WHERE {B} <> 2",
    f"SELECT id FROM {{t}} WHERE NOT ({B} = 2)",
    f"SELECT id FROM {{t}} WHERE {B} < 2",
    f"SELECT id FROM {{t}} WHERE {B} <= 2 AND {B} > 0",
    f"SELECT id FROM {{t}} WHERE {B} IN (0, 2)",
    f"SELECT id FROM {{t}} WHERE {B} NOT IN (0, 2)",
    f"SELECT id FROM {{t}} WHERE {B} IN (0, 2, NULL)",
    f"SELECT id FROM {{t}} WHERE {B} BETWEEN 1 AND 2",
    f"SELECT id FROM {{t}} WHERE {B} IS NULL",
    f"SELECT id FROM {{t}} WHERE {B} IS NOT NULL",
    f"SELECT id FROM {{t}} WHERE {B} <=> NULL",
    f"SELECT id FROM {{t}} WHERE {B} <=> 2",
    f"SELECT id FROM {{t}} WHERE {B} = 1 + 1",
    f"SELECT id FROM {{t}} WHERE {B} = 2L",
    f"SELECT id FROM {{t}} WHERE {B} = {{f}}(4, 34)",
    f"SELECT id FROM {{t}} WHERE {B} = id % 4",
    f"SELECT id FROM {{t}} WHERE {B} = {{f}}(4, name)",
    f"SELECT id FROM {{t}} WHERE {B} + 0 = 2",
    "SELECT id FROM {t} WHERE {f}(8, id) = 2",
    # GROUP BY, HAVING, ORDER BY
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY {B}",
    f"SELECT {B} AS b, count(*) FROM {{t}} GROUP BY b",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY 1",
    f"SELECT {B} + 1, count(*) FROM {{t}} GROUP BY {B}",
    f"SELECT {B}, name, count(*) FROM {{t}} GROUP BY {B}, name",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY ROLLUP({B})",
    f"SELECT {B}, name, count(*) FROM {{t}} GROUP BY CUBE({B}, name)",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY {B} GROUPING SETS (({B}), ())",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY ALL",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY {B} HAVING {B} > 1",
    f"SELECT count(*) FROM {{t}} GROUP BY {B} HAVING max({B}) > 1",
    f"SELECT count(DISTINCT {B}), sum({B}), max({B}) FROM {{t}}",
    f"SELECT sum(id) FILTER (WHERE {B} = 1) FROM {{t}}",
    f"SELECT id, {B} FROM {{t}} ORDER BY {B}, id",
    f"SELECT {B}, count(*) FROM {{t}} GROUP BY {B} ORDER BY {B} DESC",
    f"SELECT id FROM {{t}} ORDER BY {B}, id LIMIT 5",
    f"SELECT id FROM {{t}} DISTRIBUTE BY {B} SORT BY id",
    # windows
    f"SELECT id, row_number() OVER (PARTITION BY {B} ORDER BY id) FROM {{t}} WHERE id IS NOT NULL",
    f"SELECT id, sum({B}) OVER (ORDER BY id) FROM {{t}} WHERE id IS NOT NULL",
    f"SELECT id FROM (SELECT id, rank() OVER (PARTITION BY {B} ORDER BY id) r FROM {{t}}) WHERE r = 1",
    f"SELECT id, lag(id) OVER w FROM {{t}} WINDOW w AS (PARTITION BY {B} ORDER BY id)",
    # joins, sub-queries, CTEs, set operations
    "SELECT a.id, b.id FROM {t} a JOIN {t} b ON {f}(4, a.id) = {f}(4, b.id) AND b.id < 3",
    "SELECT a.id FROM {t} a LEFT JOIN {t} b ON {f}(4, a.id) = b.id",
    "SELECT a.id FROM {t} a LEFT ANTI JOIN {t} b ON {f}(4, a.id) = b.id",
    "SELECT /*+ BROADCAST(b) */ a.id FROM {t} a JOIN {t} b ON {f}(4, a.id) = {f}(8, b.id)",
    "SELECT /*+ MERGE(b) */ a.id, b.id FROM {t} a JOIN {t} b ON {f}(4, a.id) = b.id",
    f"SELECT x FROM (SELECT {B} AS x FROM {{t}}) WHERE x = 2",
    f"SELECT id FROM {{t}} WHERE id IN (SELECT {B} FROM {{t}})",
    "SELECT id FROM {t} a WHERE EXISTS (SELECT 1 FROM {t} b WHERE {f}(4, b.id) = a.id)",
    f"SELECT id, (SELECT max({B}) FROM {{t}}) FROM {{t}}",
    f"WITH c AS (SELECT {B} AS x, id FROM {{t}} WHERE {B} < 3) SELECT * FROM c WHERE x > 0",
    f"SELECT {B} FROM {{t}} UNION ALL SELECT {B} FROM {{t}} WHERE {B} = 1",
    f"SELECT {B} FROM {{t}} EXCEPT SELECT {B} FROM {{t}} WHERE {B} = 1",
    "SELECT l.x FROM {t} t, LATERAL (SELECT {f}(4, t.id) AS x) l",
    f"SELECT * FROM (SELECT {B} AS b, id FROM {{t}}) PIVOT (count(id) FOR b IN (0, 1, 2, 3))",
    f"SELECT x FROM {{t}} LATERAL VIEW explode(array({B}, id)) AS x",
    "SELECT transform(array(id, id + 1), x -> x + {f}(4, id)) FROM {t}",
    f"FROM {{t}} |> WHERE {B} = 2 |> SELECT id, {B}",
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """The same 42 rows partitioned by bucket(4, id), and unpartitioned."""
    names = ("local.db.bucketed", "local.db.plain")
    columns = "(id INT, name STRING, s STRUCT<a: INT>)"
    for name, clause in zip(names, ("PARTITIONED BY (bucket(4, id))", ""), strict=True):
        spark.sql(f"CREATE OR REPLACE TABLE {name} {columns} USING iceberg {clause}")
        spark.sql(
            f"INSERT INTO {name} SELECT id, concat('n', id % 3), named_struct('a', id % 5) FROM "
            "(SELECT CAST(id AS INT) AS id FROM range(40) UNION ALL SELECT NULL FROM range(2))"
        )
    yield names
    for name in names:
        spark.sql(f"DROP TABLE {name}")


def _rows(spark: SparkSession, text: str) -> list[str]:
    return sorted(str(tuple(row)) for row in spark.sql(text).collect())


@pytest.mark.parametrize("shape", share(SHAPES, 2))
def test_the_same_rows_in_every_shape(spark: SparkSession, tables: tuple[str, str], shape: str) -> None:
    ours = _rows(spark, shape.replace("{f}", "iceberg_bucket").replace("{t}", tables[0]))
    truth = _rows(spark, shape.replace("{f}", "local.system.bucket").replace("{t}", tables[1]))
    assert ours == truth
    assert truth


@pytest.mark.parametrize(
    ("predicate", "files"),
    [
        ("iceberg_bucket(4, id) = 2", 1),
        ("iceberg_bucket(4, id) IN (0, 2)", 2),
        ("iceberg_bucket(4, id) > 2", 1),
        ("iceberg_bucket(4, id) IS NULL", 1),
        ("NOT (iceberg_bucket(4, id) = 2)", 3),
        ("iceberg_bucket(8, id) = 2", 1),  # bucket 2 of 8 implies bucket 2 of 4: the rule `prune`
    ],
)
def test_a_filter_on_the_partition_s_own_transform_prunes(
    spark: SparkSession, tables: tuple[str, str], predicate: str, files: int
) -> None:
    rows = spark.sql(f"SELECT * FROM {tables[0]} WHERE {predicate}")
    rows.collect()
    assert (files_read(rows).files, files_read(rows).total) == (files, 5)


def test_statements_that_write(spark: SparkSession, tables: tuple[str, str]) -> None:
    t, plain = "local.db.written", tables[1]
    spark.sql(
        f"CREATE OR REPLACE TABLE {t} USING iceberg PARTITIONED BY (bucket(4, id)) AS "
        f"SELECT id, iceberg_bucket(4, id) AS b FROM {plain}"
    )
    assert spark.sql(f"SELECT * FROM {t} WHERE NOT (b <=> _partition.id_bucket)").count() == 0
    spark.sql(f"INSERT INTO {t} SELECT id + 100, iceberg_bucket(4, id + 100) FROM {plain}")
    spark.sql(f"INSERT INTO {t} VALUES (1000, iceberg_bucket(4, 1000))")
    bucket = "local.system.bucket(4, id)"

    def count(where: str) -> int:
        # Iceberg's own function over values that do not come from a scan
        ids = [row.id for row in spark.table(t).select("id").collect()]
        rows = spark.createDataFrame([(i,) for i in ids], "id INT")
        return spark.sql(f"SELECT * FROM {{rows}} WHERE {where}", rows=rows).count()

    before, doomed = spark.table(t).count(), count(f"{bucket} = 2")
    spark.sql(f"DELETE FROM {t} WHERE iceberg_bucket(4, id) = 2")
    assert doomed > 0
    assert (spark.table(t).count(), count(f"{bucket} = 2")) == (before - doomed, 0)
    spark.sql(f"DELETE FROM {t} WHERE iceberg_bucket(4, id) = 1 AND id > 20")
    assert count(f"{bucket} = 1 AND id > 20") == 0
    spark.sql(f"UPDATE {t} SET b = -1 - iceberg_bucket(4, id) WHERE iceberg_bucket(4, id) = 3")
    assert spark.sql(f"SELECT * FROM {t} WHERE b = -4").count() == count(f"{bucket} = 3")
    spark.sql(
        f"MERGE INTO {t} USING (SELECT * FROM {plain} WHERE iceberg_bucket(4, id) = 0) s "
        f"ON {t}.id = s.id AND iceberg_bucket(4, {t}.id) = 0 "
        f"WHEN MATCHED THEN UPDATE SET b = 77 WHEN NOT MATCHED THEN INSERT (id, b) VALUES (-1, -1)"
    )
    assert spark.sql(f"SELECT * FROM {t} WHERE b = 77").count() == count(f"{bucket} = 0 AND id < 40")
    spark.sql(f"DROP TABLE {t}")


def test_views(spark: SparkSession, tables: tuple[str, str]) -> None:
    query = f"SELECT id, iceberg_bucket(4, id) AS b FROM {tables[0]} WHERE iceberg_bucket(4, id) < 3"
    expected = _rows(spark, query)
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW v AS {query}")
    spark.sql(f"CREATE OR REPLACE VIEW spark_catalog.default.pv AS {query}")
    assert _rows(spark, "SELECT * FROM v") == expected
    for session in (spark, spark.newSession()):
        assert _rows(session, "SELECT * FROM spark_catalog.default.pv") == expected
        filtered = session.sql("SELECT * FROM spark_catalog.default.pv WHERE b = 1")
        filtered.collect()
        assert files_read(filtered).files == 1
    spark.sql("CACHE TABLE v")
    assert _rows(spark, "SELECT * FROM v") == expected
    spark.sql("DROP VIEW v")
    spark.sql("DROP VIEW spark_catalog.default.pv")
