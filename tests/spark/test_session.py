"""session(), install() on all kinds of sessions, threads, and the lifetime of a process.

What a JVM does only once (its start, its class path, its catalogs) is tested in separate processes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyspark
import pytest
from process import run
from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.versions import runtime


def test_eight_threads_at_once(spark: SparkSession) -> None:
    def ask(number: int) -> list[int]:
        text = f"SELECT iceberg_bucket(16, {number}L), iceberg_truncate(10, {number}L)"
        return [tuple(spark.sql(text).head()) for _ in range(6)]

    alone = [ask(number)[0] for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, range(8)))
    assert together == [[answer] * 6 for answer in alone]


def test_threads_are_refused_each_on_its_own(spark: SparkSession) -> None:
    def ask(number: int) -> str:
        try:
            spark.sql(f"SELECT iceberg_bucket(-{number}, 1)")
        except Exception as error:
            return str(error)
        return "nothing"

    with ThreadPoolExecutor(8) as pool:
        messages = list(pool.map(ask, range(1, 17)))
    assert [f"it is -{number}," in message for number, message in enumerate(messages, 1)] == [True] * 16


def test_a_query_started_on_a_thread_of_the_jvm(spark: SparkSession, tmp_path: Path) -> None:
    buckets: list[int] = []

    def batch(rows: DataFrame, _: int) -> None:
        rows.createOrReplaceTempView("batch")
        answer = rows.sparkSession.sql("SELECT iceberg_bucket(16, id) AS b FROM batch")
        buckets.extend(row.b for row in answer.collect())

    spark.range(3).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("id BIGINT").parquet(str(tmp_path / "in")).writeStream
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = stream.trigger(availableNow=True).foreachBatch(batch).start()
    assert query.awaitTermination(120)
    assert query.exception() is None
    assert sorted(buckets) == [4, 4, 12]


@pytest.mark.tier("quick", of="session")
def test_installing_twice_is_harmless_and_quiet(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    assert sis.install(spark) is spark
    sis.register(spark)
    assert capfd.readouterr() == ("", "")
    assert spark.newSession().sql("SELECT iceberg_bucket(16, 0L)").head()[0] == 12


def test_somebody_else_s_function_is_not_overwritten(spark: SparkSession) -> None:
    other = spark.newSession()
    other.sql("DROP TEMPORARY FUNCTION IF EXISTS nothing")
    sis.uninstall(other)
    other.udf.register("iceberg_bucket", lambda n, x: 0)
    try:
        with pytest.raises(sis.IcebergSqlError, match="DROP TEMPORARY FUNCTION iceberg_bucket"):
            sis.install(other)
    finally:
        other.sql("DROP TEMPORARY FUNCTION iceberg_bucket")
        sis.install(other)
        sis.install(spark)
    assert other.sql("SELECT iceberg_bucket(16, 0L)").head()[0] == 12


@pytest.mark.tier("quick", of="session")
def test_uninstall_takes_everything_out(spark: SparkSession) -> None:
    other = spark.newSession()
    sis.install(other)
    sis.uninstall(other)
    try:
        for call in ("SELECT iceberg_bucket(16, 1)", "SELECT * FROM iceberg('x')"):
            with pytest.raises(Exception, match=r"UNRESOLVED_ROUTINE|UNRESOLVABLE_TABLE_VALUED"):
                other.sql(call)
        assert other.sql("SHOW FUNCTIONS LIKE 'iceberg*'").count() <= 1  # iceberg_rules stays
    finally:
        sis.install(spark)


def test_a_session_of_ours_starts_quietly_and_stops_and_starts_again(tmp_path: Path) -> None:
    out, err = run(
        tmp_path,
        """
import os
config = {**SMALL, "spark.master": "local[2]"}
spark = sis.session("here", catalog="lake", timezone="Asia/Kathmandu", config=config)
print(spark.conf.get("spark.sql.session.timeZone"), bucket(spark))
spark.sql("CREATE TABLE lake.db.t (id INT) USING iceberg PARTITIONED BY (bucket(4, id))")
spark.sql("INSERT INTO lake.db.t VALUES (1)")
spark.sql("CREATE VIEW spark_catalog.default.v AS SELECT iceberg_bucket(4, id) AS b FROM lake.db.t")
print(spark.sql("SELECT b FROM spark_catalog.default.v").head().b, os.path.isdir("here/db/t"))
spark.sql("SHOW TABLES").collect()
spark.sql("CREATE TABLE first (id INT) USING iceberg PARTITIONED BY (bucket(4, id))")
spark.sql("CREATE TABLE second AS SELECT 7 AS id")
print(spark.table("default.second.files").count(), spark.table("lake.default.first").count())
spark.stop()
spark = sis.session("here", catalog="lake", config=SMALL)
print(spark.table("second").head().id)
print(spark.conf.get("spark.sql.session.timeZone"), bucket(spark))
print(sis.session("here", catalog="lake") is spark, spark.table("lake.db.t").count())
try:
    spark.sql("SELECT iceberg_bucket(0, 1)")
except Exception as error:
    print(type(error).__name__)
""",
    )
    assert out.splitlines() == ["Asia/Kathmandu 12", "0 True", "1 0", "7", "UTC 12", "True 1", "AnalysisException"]
    # The JVM's own first messages, which no setting of this package affects; Spark 3.5 does not use the module.
    assert set(err.splitlines()) <= {"WARNING: Using incubator modules: jdk.incubator.vector"}


_CATALOGS = """
iceberg = "org.apache.iceberg.spark."
spark = theirs(**{
    "spark.sql.extensions": iceberg + "extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.spark_catalog": iceberg + "SparkSessionCatalog",
    "spark.sql.catalog.spark_catalog.type": "hadoop",
    "spark.sql.catalog.spark_catalog.warehouse": "one",
    "spark.sql.catalog.other": iceberg + "SparkCatalog",
    "spark.sql.catalog.other.type": "hadoop",
    "spark.sql.catalog.other.warehouse": "two",
    "spark.sql.warehouse.dir": "three",
})
sis.install(spark)
for table in ("default.t", "other.db.t"):
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg PARTITIONED BY (bucket(16, id))")
    spark.sql(f"INSERT INTO {table} SELECT id FROM range(100)")
    rows = spark.sql(f"SELECT id FROM {table} WHERE iceberg_bucket(16, id) = 12")
    from spark_iceberg_sql.spark.bridge.plans.scan_metrics import files_read
    print(len(rows.collect()) > 0, files_read(rows).files)
spark.sql("CREATE TABLE plain (id BIGINT) USING parquet")
spark.sql("INSERT INTO plain VALUES (0)")
print(spark.sql("SELECT iceberg_bucket(16, id) AS b FROM plain").head().b)
spark.sql("USE other")
print(bucket(spark))
"""


def test_somebody_else_s_sessions_without_and_with_catalogs(tmp_path: Path) -> None:
    out, _ = run(
        tmp_path,
        """
spark = theirs()
before = spark.sparkContext.getConf().getAll()
assert sis.install(spark) is sis.install(spark) is spark
print(bucket(spark), bucket(spark.newSession()), bucket(SparkSession.builder.getOrCreate()))
spark.stop()
spark = theirs()
print(bucket(spark))
spark.stop()
"""
        + _CATALOGS,
    )
    assert out.splitlines() == ["12 12 12", "12", "True 1", "True 1", "12", "12"]


def test_executors_need_nothing_but_the_runtime_jar(tmp_path: Path) -> None:
    """An executor in its own JVM with an empty Python path: a Python function of this package would not load."""
    out, _ = run(
        tmp_path,
        """
spark = theirs("local-cluster[1,2,1024]", **{
    "spark.executorEnv.PYTHONPATH": "", "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
    "spark.pyspark.python": "/nonexistent/python",
    "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.local.type": "hadoop",
    "spark.sql.catalog.local.warehouse": os.path.abspath("wh"),  # an executor has its own folder
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
})
sis.install(spark)
spark.sql("CREATE TABLE local.db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id))")
spark.sql("INSERT INTO local.db.t SELECT id, timestamp_seconds(id * 86400) FROM range(0, 1000, 1, 4)")
rows = "SELECT id, timestamp_seconds(id * 86400) AS ts FROM range(0, 1000, 1, 4)"
query = (
    "SELECT iceberg_bucket(4, id) AS b, count(*) AS n, max(iceberg_days(ts)) AS d FROM {} "
    "WHERE iceberg_bucket(4, id) <> 1 GROUP BY 1 ORDER BY 1"
)
one = spark.sql(query.format("local.db.t")).collect()
two = spark.sql(query.format(f"({rows})")).collect()
print(one == two, len(one), spark.sparkContext.defaultParallelism)
for mode in ("CODEGEN_ONLY", "NO_CODEGEN"):  # interpreted, the expressions themselves are serialized
    spark.conf.set("spark.sql.codegen.factoryMode", mode)
    spark.conf.set("spark.sql.codegen.wholeStage", str(mode != "NO_CODEGEN").lower())
    implied = spark.sql(
        "SELECT count(*), max(iceberg_months(ts)) FROM local.db.t "
        "WHERE year(ts) = 1971 OR year(ts) IN (1972)"
    )
    print("(implied)" in implied._jdf.queryExecution().toString(), tuple(implied.head()))
spark.sql("DELETE FROM local.db.t WHERE iceberg_truncate(100, id) = 900")
print(spark.table("local.db.t").count())
spark.stop()
""",
        seconds=500,  # one more JVM to start, possibly on a slow machine
    )
    assert out.splitlines() == ["True 3 2", "True (635, 32)", "True (635, 32)", "900"]


def test_a_session_without_the_runtime_is_told_what_to_do(tmp_path: Path) -> None:
    out, _ = run(
        tmp_path,
        """
spark = theirs(jar=False)
for attempt in (sis.install, sis.register):
    try:
        attempt(spark)
    except sis.IcebergSqlError as error:
        print(error)
""",
    )
    assert out.count("Iceberg's runtime is not on this session's class path") == 2
    coordinate = runtime(pyspark.__version__).coordinate
    assert out.count(f"spark.jars.packages={coordinate}") == 2
