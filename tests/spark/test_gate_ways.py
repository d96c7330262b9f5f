"""Every way to reach an installed session, with a statement that would damage its table: all are refused."""

from __future__ import annotations

import threading
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest
from pyspark import InheritableThread
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.gate import requests
from spark_iceberg_sql.spark.gate import intercept

pytestmark = pytest.mark.tier("rest", sampled=False)  # on every line of Spark


@pytest.fixture
def damaging(spark):
    """A statement that the runtime accepts and that breaks the table's metadata tables."""
    name = f"local.gate.ways_{uuid.uuid4().hex[:8]}"
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.gate")
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING iceberg")
    spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD bucket(4, id) AS shard")
    yield f"ALTER TABLE {name} REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard"
    spark.table(f"{name}.files").collect()  # this is what the damage would break
    spark.sql(f"DROP TABLE {name}")


def refused(run):
    """Whether a call ends in the gate's refusal, without a note on something unchecked."""
    with warnings.catch_warnings(record=True) as caught_warnings:
        warnings.simplefilter("always")
        with pytest.raises(sis.IcebergSqlError) as error:
            run()
    assert [d.code for d in error.value.report] == ["SIS404"]
    return not [w for w in caught_warnings if issubclass(w.category, IcebergSqlWarning)]


def in_thread(run, kind=threading.Thread):
    """The call's outcome, from its own thread."""
    caught = []

    def body():
        try:
            run()
        except Exception as error:
            caught.append(error)

    thread = kind(target=body)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]


def copy_of(jsession):
    """A Python object for a JVM session that was not created by Python's `newSession()`."""
    return lambda spark: SparkSession(spark.sparkContext, jsession(spark))


def active(spark):
    """The session, made active: pyspark remembers the last one that created a DataFrame from Python values."""
    spark.createDataFrame([(1,)], "id INT")
    assert SparkSession.active()._jsparkSession.equals(spark._jsparkSession)
    return SparkSession.active()


SESSIONS = {
    "the session": lambda spark: spark,
    "newSession": lambda spark: spark.newSession(),
    "newSession twice": lambda spark: spark.newSession().newSession(),
    "getOrCreate": lambda spark: SparkSession.builder.getOrCreate(),
    "SparkSession(sc)": lambda spark: SparkSession(spark.sparkContext),
    "the same JVM session": copy_of(lambda spark: spark._jsparkSession),
    "the JVM's newSession": copy_of(lambda spark: spark._jsparkSession.newSession()),
    "the JVM's cloneSession": copy_of(lambda spark: spark._jsparkSession.cloneSession()),
    "a frame's": lambda spark: spark.range(1).sparkSession,
    "a frame's of newSession": lambda spark: spark.newSession().range(1).sparkSession,
    "active": active,
}


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
class TestSessions:
    def test_here(self, spark, damaging, session):
        assert refused(lambda: session(spark).sql(damaging))

    def test_by_the_class(self, spark, damaging, session):
        assert refused(lambda: SparkSession.sql(session(spark), damaging))

    def test_made_here_used_in_a_thread(self, spark, damaging, session):
        tested_session = session(spark)
        assert refused(lambda: in_thread(lambda: tested_session.sql(damaging)))

    def test_used_in_a_thread_that_another_session_has_worked_in(self, spark, damaging, session):
        tested_session = session(spark)

        def run():
            spark.newSession().sql("SELECT 1").collect()
            tested_session.sql(damaging)

        assert refused(lambda: in_thread(run))

    def test_planned_and_run_as_a_script_in_a_thread(self, spark, damaging, session):
        tested_session = session(spark)
        plans = []
        in_thread(lambda: plans.append(sis.plan(tested_session, damaging)))
        assert not plans[0].report.ok
        assert refused(lambda: in_thread(lambda: sis.run(tested_session, damaging)))
        assert refused(lambda: in_thread(lambda: sis.sql(tested_session, damaging)))


class TestThreads:
    def test_pools(self, spark, damaging):
        sessions = [spark.newSession() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            for session in sessions:
                assert refused(pool.submit(session.sql, damaging).result)
        with ThreadPool(2) as pool:
            for session in sessions:
                assert refused(lambda session=session: pool.apply(session.sql, (damaging,)))

    def test_a_thread_that_inherits(self, spark, damaging):
        session = spark.newSession()
        assert refused(lambda: in_thread(lambda: session.sql(damaging), InheritableThread))

    def test_made_and_used_in_a_thread(self, spark, damaging):
        assert refused(lambda: in_thread(lambda: spark.newSession().sql(damaging)))

    def test_the_threads_own_active_session_stays(self, spark, damaging):
        active, other = [], spark.newSession()

        def run():
            with pytest.raises(sis.IcebergSqlError):
                other.sql(damaging)
            active.append(SparkSession.getActiveSession())

        in_thread(run)
        assert active == [None]

    def test_settings_are_the_sessions_own(self, spark, damaging):
        """A catalog that only one session has configured, first used in a thread."""
        session = spark.newSession()
        name = f"own_{uuid.uuid4().hex[:8]}"
        session.conf.set(f"spark.sql.catalog.{name}", "org.apache.iceberg.spark.SparkCatalog")
        session.conf.set(f"spark.sql.catalog.{name}.type", "hadoop")
        warehouse = spark.conf.get("spark.sql.catalog.local.warehouse")
        session.conf.set(f"spark.sql.catalog.{name}.warehouse", warehouse)
        statement = damaging.replace("TABLE local.", f"TABLE {name}.")
        assert refused(lambda: in_thread(lambda: session.sql(statement)))


def test_in_a_streaming_query(spark, damaging, tmp_path):
    """foreachBatch works in a clone of the session, whose Python object is new."""
    caught = []

    def batch(frame, _):
        try:
            frame.sparkSession.sql(damaging)
        except Exception as error:
            caught.append(error)

    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    query = (
        stream.writeStream.foreachBatch(batch).trigger(once=True).option("checkpointLocation", str(tmp_path)).start()
    )
    assert query.awaitTermination(60)
    assert [type(error) for error in caught] == [sis.IcebergSqlError], caught
    assert [d.code for d in caught[0].report] == ["SIS404"]


class TestModes:
    def test_a_session_has_its_own_mode_and_the_others_the_strictest(self, spark, damaging):
        lax = spark.newSession()
        sis.install(lax, ddl="warn")
        off = spark.newSession()
        sis.install(off, ddl="off")
        try:
            assert requests.mode(lax) == "warn"
            assert requests.mode(off) == "off"
            assert requests.mode(copy_of(lambda _: off._jsparkSession)(spark)) == "off"
            assert refused(lambda: spark.newSession().sql(damaging))
            assert refused(lambda: lax.newSession().sql(damaging))
        finally:
            sis.install(lax, ddl="off")

    def test_uninstalled_the_class_has_its_own_method_back(self, spark):
        sis.uninstall(spark)
        try:
            assert (SparkSession.sql is intercept._PLAIN_SQL) is not requests.is_enforced()
        finally:
            sis.install(spark)
        assert SparkSession.sql is not intercept._PLAIN_SQL


def test_names_in_double_quotes(spark, damaging):
    """Strings or names, depending on the session's settings; Iceberg's parser gets names in backticks."""
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    table = damaging.split()[2].replace("local.", '"local".')
    session.sql(f'ALTER TABLE {table} ADD COLUMN "a name" INT COMMENT \'he said "a"\'')
    with pytest.raises(sis.IcebergSqlError, match="SIS201"):
        session.sql(f'ALTER TABLE {table} DROP COLUMN "another name"')
    session.sql(f'ALTER TABLE {table} ADD PARTITION FIELD "a name"')
    with pytest.raises(sis.IcebergSqlError, match="SIS201"):
        session.sql(f'ALTER TABLE {table} ADD PARTITION FIELD "another name"')
    with pytest.raises(sis.IcebergSqlError, match="SIS202"):
        session.sql('CREATE TABLE "local"."gate"."q" ("a" INT) USING iceberg PARTITIONED BY (days("a"))')
    spark.sql(f'CREATE TABLE {damaging.split()[2]}_q (id INT COMMENT "text") USING iceberg')
    spark.sql(f"DROP TABLE {damaging.split()[2]}_q")


@pytest.mark.needs("doubled quotes")
def test_a_name_in_double_quotes_with_one_inside(spark, damaging):
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")
    session.conf.set("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    table = damaging.split()[2]
    session.sql(f'ALTER TABLE {table} ADD COLUMN "b""c" INT')
    assert session.table(table).columns == ["id", 'b"c']
