"""SQL functions, which Spark 4 has: with Iceberg's parser alone no session can create or call one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning

pytestmark = [pytest.mark.tier("rest", sampled=False), pytest.mark.needs("SQL functions")]
TABLE = "local.routines.t"


@pytest.fixture(scope="module", autouse=True)
def rows(spark: SparkSession) -> Iterator[None]:
    """160 rows: 40 days, four rows a day, each day and bucket in its own file."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.routines")
    spark.sql(f"CREATE TABLE {TABLE} (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), bucket(4, id))")
    spark.sql(
        f"INSERT INTO {TABLE} SELECT id, TIMESTAMP '2024-01-01' + make_dt_interval(CAST(id % 40 AS INT)) "
        "FROM range(160)"
    )
    yield
    spark.sql(f"DROP TABLE {TABLE}")


class TestScalar:
    def test_every_way_to_create_one(self, spark: SparkSession) -> None:
        for head in (
            "CREATE TEMPORARY FUNCTION sis_f",
            "CREATE OR REPLACE TEMPORARY FUNCTION sis_f",
            "CREATE FUNCTION spark_catalog.default.sis_g",
            "CREATE OR REPLACE FUNCTION spark_catalog.default.sis_g",
            "CREATE FUNCTION IF NOT EXISTS spark_catalog.default.sis_g",
        ):
            spark.sql(f"{head}(x INT, y INT DEFAULT 2) RETURNS INT COMMENT 'c' RETURN x + y")
            name = head.split()[-1]
            assert spark.sql(f"SELECT {name}(1), {name}(1, 4), {name}(y => 5, x => 1)").first() == (3, 5, 6)
        assert spark.sql("DESCRIBE FUNCTION EXTENDED spark_catalog.default.sis_g").collect()
        spark.sql("DROP TEMPORARY FUNCTION sis_f")
        spark.sql("DROP FUNCTION spark_catalog.default.sis_g")

    def test_it_prunes_as_its_body(self, spark: SparkSession) -> None:
        spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION sis_day(t TIMESTAMP) RETURNS DATE RETURN iceberg_days(t)")
        spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION sis_shard(x BIGINT) RETURNS INT RETURN iceberg_bucket(4, x)")
        for call, body in (
            ("sis_day(ts) = DATE'2024-01-03'", "iceberg_days(ts) = DATE'2024-01-03'"),
            ("sis_shard(id) = 2", "iceberg_bucket(4, id) = 2"),
            ("sis_shard(id) IN (1, 3) AND sis_day(ts) < DATE'2024-01-03'", None),
        ):
            body = body or call.replace("sis_shard(", "iceberg_bucket(4, ").replace("sis_day", "iceberg_days")
            query = f"SELECT * FROM {TABLE} WHERE "
            assert sorted(spark.sql(query + call).collect()) == sorted(spark.sql(query + body).collect())
            explained, expected = sis.explain(spark, query + call), sis.explain(spark, query + body)
            function_scan, body_scan = explained.scans[0], expected.scans[0]
            assert (function_scan.files, function_scan.total_files) == (body_scan.files, body_scan.total_files)
            assert function_scan.files < function_scan.total_files

    def test_in_a_permanent_view(self, spark: SparkSession) -> None:
        spark.sql(
            "CREATE OR REPLACE FUNCTION spark_catalog.default.sis_v(t TIMESTAMP) RETURNS DATE RETURN iceberg_days(t)"
        )
        spark.sql(
            "CREATE OR REPLACE VIEW spark_catalog.default.sis_view AS "
            f"SELECT spark_catalog.default.sis_v(ts) AS day, id FROM {TABLE}"
        )
        for session in (spark, spark.newSession()):
            frame = session.sql("SELECT count(*) FROM spark_catalog.default.sis_view WHERE day = DATE'2024-01-03'")
            assert frame.first()[0] == 4
        spark.sql("DROP VIEW spark_catalog.default.sis_view")
        spark.sql("DROP FUNCTION spark_catalog.default.sis_v")

    def test_nothing_is_said_about_it(self, spark: SparkSession) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", IcebergSqlWarning)
            spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION sis_f(x INT) RETURNS INT RETURN x + 1")
            spark.sql("DROP TEMPORARY FUNCTION sis_f")


class TestTable:
    def test_a_table_function(self, spark: SparkSession) -> None:
        spark.sql(
            "CREATE OR REPLACE TEMPORARY FUNCTION sis_of_day(d DATE) RETURNS TABLE (id BIGINT, ts TIMESTAMP) "
            f"RETURN SELECT id, ts FROM {TABLE} WHERE iceberg_days(ts) = d"
        )
        assert spark.sql("SELECT count(*) FROM sis_of_day(DATE'2024-01-03')").first()[0] == 4
        spark.sql("DROP TEMPORARY FUNCTION sis_of_day")
